import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { askAtStart } from './ask-at-start.ts';
import { correctionOf, expectTime, meetingOf } from './clock-correction.ts';
import type { Logger } from './logger.ts';
import { machineNow } from './machine-time.ts';
import type { Redis } from './redis-connection.ts';

const RESYNC_MS = 10_000;

export const redisTimeSchema = z.number().int().brand<'RedisTime'>();

/** A moment by Redis's clock, Unix ms. `Date.now()` is no such moment: this machine's clock may be hours away. */
export type RedisTime = z.infer<typeof redisTimeSchema>;

/** @param ms negative for an earlier moment */
export function later(at: RedisTime, ms: number): RedisTime {
  return (at + ms) as RedisTime;
}

/** Redis's time, so that deadlines mean the same on every machine, whatever the machines' own clocks say. */
export interface RedisClock {
  /** By Redis's clock, carried forward by this process's monotonic clock. */
  now(): RedisTime;
  stop(): void;
}

/**
 * Reads Redis's clock once, and again every few seconds in the background.
 *
 * @param onJump called where another server becomes the primary whose clock is notably ahead, or behind: by how many ms
 * @throws when Redis cannot be asked for the first time in ten seconds
 */
export async function startRedisClock(redis: Redis, onJump?: (ms: number) => void): Promise<RedisClock> {
  // Without a time of its own, a process that starts takes the server's as it is, where that cannot be met yet.
  const firstOffset = () => measureOffset(redis).catch(() => readOffset(redis));
  const clock = keepTime(redis, await askAtStart(redis, firstOffset));
  expectTime(redis, clock.now, onJump);
  return clock;
}

/**
 * The same for a service that starts without Redis: it tells this machine's time until Redis has answered for the first
 * time. Until then there is nothing of Redis's to compare with.
 */
export function followRedisClock(redis: Redis): RedisClock {
  return keepTime(redis, machineNow() - performance.now());
}

/** For `startRedisClock`: a jump is an operator's to look after; the service goes on by the time that it knew. */
export function sayJump(logger: Pick<Logger, 'error'>): (ms: number) => void {
  return (ms) =>
    logger.error({ aheadMs: ms }, 'the clock of Redis jumped, and is corrected: run a time service on its machines');
}

function keepTime(redis: Redis, firstOffset: number): RedisClock {
  let offset = firstOffset;
  const measure = () => {
    measureOffset(redis).then(
      (measured) => {
        offset = measured;
      },
      () => undefined,
    );
  };
  // What answers after an outage may be another Redis on another machine.
  redis.on('ready', measure);
  if (redis.status === 'ready') measure();
  const timer = setInterval(measure, RESYNC_MS);
  timer.unref();
  return {
    now: () => Math.floor(performance.now() + offset) as RedisTime,
    stop() {
      clearInterval(timer);
      redis.off('ready', measure);
    },
  };
}

/**
 * What Redis's clock says; for who needs it now and then. Sent with other commands it costs no wait of its own.
 *
 * @throws when Redis does not answer
 */
export async function readRedisTime(redis: Redis): Promise<RedisTime> {
  await meetingOf(redis);
  const [seconds, microseconds] = await redis.time();
  return Math.floor(Number(seconds) * 1000 + Number(microseconds) / 1000 + correctionOf(redis)) as RedisTime;
}

/** How far Redis's clock is ahead of this process's monotonic one, ms. */
async function measureOffset(redis: Redis): Promise<number> {
  await meetingOf(redis);
  return readOffset(redis);
}

async function readOffset(redis: Redis): Promise<number> {
  const before = performance.now();
  const [seconds, microseconds] = await redis.time();
  const after = performance.now();
  return Number(seconds) * 1000 + Number(microseconds) / 1000 + correctionOf(redis) - (before + after) / 2;
}
