import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { Redis } from './redis-connection.ts';

const RESYNC_MS = 10_000;

export const redisTimeSchema = z.number().int().brand<'RedisTime'>();

/** A moment by Redis's clock, Unix ms. `Date.now()` is no such moment: this machine's clock may be hours away. */
export type RedisTime = z.infer<typeof redisTimeSchema>;

/** Redis's time, so that deadlines mean the same on every machine, whatever the machines' own clocks say. */
export interface RedisClock {
  /** By Redis's clock, carried forward by this process's monotonic clock. */
  now(): RedisTime;
  stop(): void;
}

/**
 * Reads Redis's clock once, and again every few seconds in the background.
 *
 * @throws when Redis cannot be asked the first time
 */
export async function startRedisClock(redis: Redis): Promise<RedisClock> {
  let offset = await measureOffset(redis);
  const timer = setInterval(() => {
    measureOffset(redis).then(
      (measured) => {
        offset = measured;
      },
      () => undefined,
    );
  }, RESYNC_MS);
  timer.unref();
  return {
    now: () => Math.floor(performance.now() + offset) as RedisTime,
    stop: () => clearInterval(timer),
  };
}

/**
 * What Redis's clock says; for who needs it now and then. Sent with other commands it costs no wait of its own.
 *
 * @throws when Redis does not answer
 */
export async function readRedisTime(redis: Redis): Promise<RedisTime> {
  const [seconds, microseconds] = await redis.time();
  return Math.floor(Number(seconds) * 1000 + Number(microseconds) / 1000) as RedisTime;
}

/**
 * Makes `Date.now()` of this process give Redis's time. BullMQ reckons waits between attempts, and its locks, by
 * `Date.now()`: where a machine's clock is set back, a job that waits for its next attempt would wait for that long.
 */
export function tellTimeByRedis(clock: RedisClock): { stop(): void } {
  const own = Date.now;
  Date.now = clock.now;
  return {
    stop() {
      Date.now = own;
    },
  };
}

async function measureOffset(redis: Redis): Promise<number> {
  const before = performance.now();
  const [seconds, microseconds] = await redis.time();
  const after = performance.now();
  return Number(seconds) * 1000 + Number(microseconds) / 1000 - (before + after) / 2;
}
