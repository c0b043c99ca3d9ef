import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import { type Instance, listInstances } from '@lontar/shared/instances.ts';
import { type RedisClock, type RedisTime, readRedisTime } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { HEALTH_PART_MS } from '@lontar/shared/time-budget.ts';
import { within } from '@lontar/shared/within.ts';
import type { HealthReading } from './judge-health.ts';

const PROBE_TTL_MS = 60_000;

export interface HealthDeps {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly queue: GenerationQueue;
  readonly instanceId: string;
  readonly version: string;
  readonly startedAt: RedisTime;
  readonly requestTimeoutMs: number;
}

/**
 * Reads everything health is judged by, at once and within a second; a part that fails is left out. Never rejects:
 * where Redis fails, that is what it reads.
 */
export async function readHealth(deps: HealthDeps): Promise<HealthReading> {
  const { redis, version, startedAt, requestTimeoutMs } = deps;
  const [redisWriteMs, queue, instances, lagMs] = await Promise.all([
    bounded(probeRedis(redis, deps.instanceId)),
    bounded(deps.queue.state()),
    bounded<Instance[]>(listInstances(redis)),
    bounded(readLagMs(redis)),
  ]);
  return {
    now: deps.clock.now(),
    version,
    startedAt,
    requestTimeoutMs,
    ...(redisWriteMs === undefined ? {} : { redisWriteMs }),
    ...(queue === undefined ? {} : { queue }),
    ...(instances === undefined ? {} : { instances }),
    ...(lagMs === undefined ? {} : { lagMs }),
  };
}

/**
 * Writes to Redis, because a full or read-only one still answers PING; gives the time it took, ms.
 *
 * @throws when Redis fails
 */
export async function probeRedis(redis: Redis, instanceId: string): Promise<number> {
  const begin = performance.now();
  await redis.set(redisKeys.probe(instanceId), '1', 'PX', PROBE_TTL_MS);
  return performance.now() - begin;
}

/**
 * Age of the oldest event that is not counted yet, ms; counted ones are gone from the stream.
 *
 * @throws when Redis fails
 */
export async function readLagMs(redis: Redis): Promise<number> {
  const [[oldest], now] = await Promise.all([
    redis.xrange(redisKeys.events, '-', '+', 'COUNT', 1),
    readRedisTime(redis),
  ]);
  if (oldest === undefined) return 0;
  return Math.max(0, now - Number(oldest[0].split('-')[0]));
}

function bounded<Value>(work: Promise<Value>): Promise<Value | undefined> {
  return within(HEALTH_PART_MS, work).catch(() => undefined);
}
