import { setTimeout as delay } from 'node:timers/promises';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import { explainRedisFailure, isNothingThere } from './primary/explain-failure.ts';
import { followPrimary } from './primary/follow-primary.ts';
import { describeRedis } from './primary/redis-address.ts';
import { isCrossSlot, isRefusedHere, RedisAwayError } from './redis-away.ts';
import type { Redis, RedisTarget } from './redis-connection.ts';
import { redisKeys } from './redis-keys.ts';
import { throttledWarning } from './throttled-log.ts';
import { within } from './within.ts';

/** How long a starting service waits for Redis, ms. */
const START_TIMEOUT_MS = 10_000;
const ASK_AGAIN_MS = 500;

const START_IT = 'Start it, or set REDIS_URL to where it runs; `npm start` without REDIS_URL brings its own.';

/** Redis could not be reached at the start. */
export class RedisUnreachableError extends Error {
  constructor(target: RedisTarget, reason: unknown) {
    const url = typeof target === 'string' ? target : target.REDIS_URL;
    const advice = isNothingThere(reason) ? ` ${START_IT}` : '';
    super(`Redis cannot be reached at ${describeRedis(url)}: ${explainRedisFailure(reason)}${advice}`);
    this.name = 'RedisUnreachableError';
  }
}

/**
 * Waits until connections are ready, and from then on logs their troubles, at most a line a second, and
 * lets them follow the primary where Sentinels say which it is.
 *
 * @throws RedisUnreachableError when one is not ready in time; StoppedWhileStarting when the service is to stop
 */
export async function openRedis(
  target: RedisTarget,
  connections: readonly Redis[],
  logger: Logger,
  lifecycle: Pick<Lifecycle, 'unlessStopped' | 'started'>,
): Promise<void> {
  const warn = throttledWarning(logger, 'Redis is away');
  let lastFailure: unknown = new Error('it gives no answer');
  for (const redis of connections) {
    redis.on('error', (error: Error) => {
      lastFailure = error;
      warn(error);
    });
  }
  const late = () => {
    throw new RedisUnreachableError(target, lastFailure);
  };
  const untilServed = async () => {
    await Promise.all(connections.map(untilReady));
    await untilOurKeys(connections[0], (failure) => {
      lastFailure = failure;
    });
  };
  try {
    await lifecycle.unlessStopped(within(START_TIMEOUT_MS, untilServed(), late));
  } catch (error) {
    for (const redis of connections) redis.disconnect();
    throw error;
  }
  const following = followPrimary(target, connections);
  lifecycle.started('the primary', following.stop);
}

async function untilReady(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  const ready = new Promise<void>((resolve) => {
    redis.once('ready', resolve);
  });
  // A failed first attempt is followed by others; only the time decides.
  if (redis.status === 'wait') redis.connect().catch(() => undefined);
  await ready;
}

/**
 * A node of a cluster takes every connection, and refuses keys that are not its own, and keys of several slots in one
 * command.
 */
async function untilOurKeys(redis: Redis | undefined, onFailure: (error: unknown) => void): Promise<void> {
  while (redis && redis.status !== 'end') {
    try {
      await redis.exists(redisKeys.clock, redisKeys.probe('slot'));
      return;
    } catch (error) {
      const isElsewhere = isRefusedHere(error as Error) || isCrossSlot(error as Error);
      // Its user may not look: that is no matter of where Redis is.
      if (!isElsewhere && !(error instanceof RedisAwayError)) return;
      // The connection that is lost for it says less than the refusal.
      if (isElsewhere) onFailure(error);
      await delay(ASK_AGAIN_MS);
    }
  }
}
