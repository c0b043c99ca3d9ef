import { nameAwayErrors } from '@lontar/shared/patches/away-errors.ts';
import { explainRedisFailure } from '@lontar/shared/primary/explain-failure.ts';
import { connectOnceTo, type Redis, type RedisTarget } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { RedisUnreachable } from '../failure/redis-unreachable.ts';

const CONNECT_TIMEOUT_MS = 3_000;
/** Longer than waiting for the append-only file may take. */
const COMMAND_TIMEOUT_MS = 5_000;

/**
 * A connection for one operator's command: it either works now or says why not, and never tries again by itself.
 *
 * @param name what `CLIENT LIST` shows
 * @param advice what the operator can do when it does not work
 * @throws RedisUnreachable; ConfigError where the address is of no use, or a file of TLS
 */
export async function connectOnce(target: RedisTarget, name: string, advice = ''): Promise<Redis> {
  const redis = connectOnceTo(target, name, { connectTimeout: CONNECT_TIMEOUT_MS, commandTimeout: COMMAND_TIMEOUT_MS });
  let cause: Error | undefined;
  redis.on('error', (error: Error) => {
    cause = error;
  });
  try {
    await redis.connect();
    // Only a command shows whether the password is right, whether Redis is still loading its data, and, in a cluster, whether
    // all of our keys are in one slot of this node.
    await redis.exists(redisKeys.apiKeyIndex, redisKeys.probe('slot'));
    nameAwayErrors(redis);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new RedisUnreachable(addressOf(target), explainRedisFailure(cause ?? error), advice);
  }
}

function addressOf(target: RedisTarget): string {
  return typeof target === 'string' ? target : target.REDIS_URL;
}
