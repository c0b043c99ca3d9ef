import { openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { Redis, RedisSettings } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { redisWarnings } from '../redis/check-external.ts';
import { readTopology } from '../redis/check-topology.ts';
import { checkModelsInForce } from './check-models.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const LEAST_REDIS_MAJOR = 6;
const MOST_SKEW_MS = 2_000;
const PROBE_SECONDS = 5;

/**
 * What Redis says of itself and of the queue.
 *
 * @throws when Redis fails in a way that is no finding: it was reached before
 */
export async function checkRedis(redis: Redis, target: RedisSettings): Promise<Finding[]> {
  return [
    await checkVersion(redis),
    await checkWrite(redis),
    await checkClock(redis),
    ...(await checkDurability(redis)),
    ...(await checkModelsInForce(redis)),
    ...(await checkTopology(redis, target)),
    await checkQueue(redis),
  ];
}

async function checkVersion(redis: Redis): Promise<Finding> {
  const version = /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown';
  if (Number.parseInt(version, 10) >= LEAST_REDIS_MAJOR) return ok('redis version', `Redis ${version}`);
  return failed('redis version', `Redis ${version} is too old; Lontar needs ${LEAST_REDIS_MAJOR} or later.`);
}

/** A write, because a full or read-only Redis still answers PING. */
async function checkWrite(redis: Redis): Promise<Finding> {
  try {
    await redis.set(redisKeys.probe('doctor'), '1', 'EX', PROBE_SECONDS);
    return ok('redis write', 'Redis takes writes.');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(
      'redis write',
      `Redis refuses writes: ${reason.replace(/\.?$/, '.')} Free memory or disk, or point REDIS_URL at the primary.`,
    );
  }
}

async function checkClock(redis: Redis): Promise<Finding> {
  const before = Date.now();
  const [seconds, microseconds] = await redis.time();
  const middle = (before + Date.now()) / 2;
  const skewMs = Math.round(Math.abs(Number(seconds) * 1000 + Number(microseconds) / 1000 - middle));
  if (skewMs <= MOST_SKEW_MS) return ok('clock', `Redis and this machine differ by ${skewMs} ms.`);
  return warning('clock', `Redis and this machine differ by ${skewMs} ms. Run a time service (NTP) on both.`);
}

async function checkDurability(redis: Redis): Promise<Finding[]> {
  const warnings = await redisWarnings(redis);
  if (warnings.length === 0) return [ok('redis durability', 'Nothing is evicted, and an append-only file is kept.')];
  return warnings.map((text) => warning('redis durability', text));
}

async function checkTopology(redis: Redis, target: RedisSettings): Promise<Finding[]> {
  const { what, dangers } = await readTopology(redis, target);
  return [ok('redis topology', what), ...dangers.map((danger) => warning('redis topology', danger))];
}

async function checkQueue(redis: Redis): Promise<Finding> {
  const { waiting, active, delayed, paused } = await openGenerationQueue(redis).state();
  const counts = `${waiting} waiting, ${active} active, ${delayed} delayed`;
  if (paused) {
    return failed(
      'queue',
      `The queue is paused, so that no caller gets an answer; ${counts}. Resume it: lontar queue resume`,
    );
  }
  return ok('queue', counts);
}
