import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { LOCK_ENDING_ABSENCE_MS, REDIS_AWAY_MS } from '@lontar/shared/time-budget.ts';
import { watchPresence } from './redis-presence.ts';

const clock = { now: () => redisTime(Math.round(performance.now())), stop: () => undefined };

let answers: boolean;
let waiting: (() => void)[];
let presence: ReturnType<typeof watchPresence>;

beforeEach(async () => {
  jest.useFakeTimers({ now: 0 });
  answers = true;
  waiting = [];
  const ping = () =>
    answers ? Promise.resolve('PONG') : new Promise((resolve) => waiting.push(() => resolve('PONG')));
  presence = watchPresence({ ping } as unknown as Redis, clock);
  await jest.advanceTimersByTimeAsync(1_000);
});
afterEach(() => {
  presence.stop();
  jest.useRealTimers();
});

async function absence(ms: number): Promise<void> {
  answers = false;
  await jest.advanceTimersByTimeAsync(ms);
  answers = true;
  for (const resolve of waiting.splice(0)) resolve();
  await jest.advanceTimersByTimeAsync(1);
}

test('an absence is over when Redis answers again, and in the future before', async () => {
  expect(presence.returnedAt()).toBe(0);
  answers = false;
  await jest.advanceTimersByTimeAsync(REDIS_AWAY_MS + 300);
  expect(presence.returnedAt()).toBe(Number.POSITIVE_INFINITY);
  await absence(1);
  expect(presence.returnedAt()).toBeGreaterThan(0);
  expect(presence.returnedAt()).toBeLessThanOrEqual(clock.now());
});

test.each([
  ['is too short to end a lock explains no loss', REDIS_AWAY_MS + 300, false],
  ['is long enough to end a lock explains one', LOCK_ENDING_ABSENCE_MS + 300, true],
])('an absence that %s', async (_what, ms, explains) => {
  await absence(ms);
  expect(presence.returnedAt()).toBeGreaterThan(0);
  expect(presence.outageEndedAt() > 0).toBe(explains);
});

test('a time in which this process stood still says nothing of Redis', async () => {
  answers = false;
  await jest.advanceTimersByTimeAsync(300);
  const stoodStillMs = 2 * LOCK_ENDING_ABSENCE_MS;
  const now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now + stoodStillMs);
  await absence(300);
  expect(presence.outageEndedAt()).toBe(0);
  jest.restoreAllMocks();
});
