import type { RedisTarget } from '@lontar/shared/redis-connection.ts';
import { rotateWhileRunning } from '../processes/log-file.ts';
import type { PortFinder } from '../processes/ports.ts';
import { redisWarnings } from '../redis/check-external.ts';
import { readTopology } from '../redis/check-topology.ts';
import { connectOnce } from '../redis/connect.ts';
import { obtainRedis } from '../redis/obtain-redis.ts';
import { preparePrivateRedis, untilRedisReady } from '../redis/private-redis.ts';
import { type EverySetting, isGiven } from '../settings/check-settings.ts';
import type { Surroundings } from '../settings/environment.ts';
import type { ServiceName } from '../settings/services.ts';
import type { ProgressStream } from '../system/progress.ts';
import type { Fleet } from './fleet.ts';
import { createRedisTether } from './redis-tether.ts';

/** A large append-only file takes a while to load. */
const READY_TIMEOUT_MS = 120_000;
const ADVICE = 'Start it, correct REDIS_URL, or remove REDIS_URL: npm start then brings its own.';
const UNIX_PREFIX = /^unix:\/\//;

export interface ChosenRedis {
  /** The operator's address as the client takes it. */
  readonly connection: RedisTarget;
  /** The address as `REDIS_URL` takes it. */
  readonly full: string;
  /** The address for each service, where the services must get it because the operator's settings do not name it. */
  readonly own: ((service: ServiceName) => string) | undefined;
}

/**
 * Takes the Redis that the operator names, or starts one.
 *
 * @throws RedisUnreachable when the named one does not answer; StartFailure when none can be started
 */
export async function startRedis(deps: {
  readonly surroundings: Surroundings;
  readonly settings: EverySetting;
  readonly fleet: Fleet;
  readonly ports: PortFinder;
  readonly progress: ProgressStream;
  readonly say: (text: string) => void;
}): Promise<ChosenRedis> {
  const { surroundings, settings, say } = deps;
  if (isGiven(surroundings.environment, 'REDIS_URL')) {
    const url = settings.REDIS_URL;
    const redis = await connectOnce(settings, 'lontar-start', ADVICE);
    const { dangers } = await readTopology(redis, settings);
    for (const warning of [...(await redisWarnings(redis)), ...dangers]) say(`Warning: ${warning}`);
    redis.disconnect();
    const full = url.startsWith('/') ? `unix://${url}` : url;
    return { connection: settings, full, own: undefined };
  }
  const program = await obtainRedis(surroundings.environment, surroundings.home, deps.progress);
  const { spec, urlOf, warning } = await preparePrivateRedis(program, surroundings, deps.ports);
  if (warning !== undefined) say(`Warning: ${warning}`);
  const url = urlOf('operator');
  const connection = url.replace(UNIX_PREFIX, '');
  rotateWhileRunning(spec.log);
  const tether = createRedisTether(surroundings.home.run, settings.DRAIN_TIMEOUT_MS, surroundings.environment);
  const redis = deps.fleet.run('redis', spec, {
    untilReady: (signal) => untilRedisReady(connection, signal),
    readyTimeoutMs: READY_TIMEOUT_MS,
    say,
    onStarted: ({ pid }) => pid !== undefined && tether.attach(pid),
    onStopped: tether.release,
  });
  await redis.ready;
  return { connection, full: url, own: urlOf };
}
