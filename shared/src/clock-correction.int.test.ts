import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { startTestSentinels, type TestSentinels } from '../testing/redis-sentinels.ts';
import { ageWindow, fillWindows } from '../testing/windows.ts';
import { correctionOf, promotedAt } from './clock-correction.ts';
import { followPrimary } from './primary/follow-primary.ts';
import { startRedisClock } from './redis-clock.ts';
import { connectFailFast, connectPatient, type Redis } from './redis-connection.ts';
import { redisKeys } from './redis-keys.ts';
import { loadScript } from './redis-script.ts';

/** Each tells how many requests the window of KEYS[1] holds, by its last entry. */
const lookScript = loadScript(new URL('../testing/look-at-window.lua', import.meta.url));
const MEET = readFileSync(new URL('./meet-server.lua', import.meta.url), 'utf8');
const MOST_MS = 60_000;

/** What a busy machine may take between two looks at a clock, ms; the clocks differ by twice that. */
const SLOW_MS = 15_000;
const ownNow = performance.now;

let fleet: TestSentinels;
let following: { stop(): void };
let redis: Redis;
let other: Redis;

beforeAll(async () => {
  fleet = await startTestSentinels();
  [redis, other] = [connectFailFast(fleet.url, 'test'), connectPatient(fleet.url, 'other')];
  for (const one of [redis, other]) one.on('error', () => undefined);
  await Promise.all([redis.connect(), other.connect()]);
  following = followPrimary(fleet.url, [redis, other]);
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  following.stop();
  redis.disconnect();
  other.disconnect();
  await fleet.stop();
});

async function switchOver(): Promise<void> {
  const { port } = await fleet.failover();
  for (const one of [redis, other]) {
    // The old one closes connections once it is a replica.
    const isThere = () =>
      one.info('server').then(
        (info) => info.includes(`tcp_port:${port}\r`),
        () => false,
      );
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** How many requests a window holds; the old primary closes connections until it is a replica. */
async function look(one: Redis, window: string): Promise<unknown> {
  for (;;) {
    try {
      return await lookScript(one, [window], []);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Makes this process believe that so much more time has passed, as if the next primary's clock were behind by it. */
function shiftTime(ms: number): void {
  jest.spyOn(performance, 'now').mockImplementation(() => ownNow.call(performance) + ms);
}

test('time goes on where the clock of the new primary is 30 s behind, for all connections', async () => {
  const jumps: number[] = [];
  const clock = await startRedisClock(redis, (ms) => jumps.push(ms));
  const key = redisKeys.addressHour('192.0.2.1');
  await fillWindows(redis, [key], 100);
  // By the clock of the new primary it would leave half a minute late.
  await ageWindow(redis, key, 3_580);
  shiftTime(30_000);
  const before = clock.now();
  expect([promotedAt(redis), promotedAt(other)]).toEqual([0, 0]);

  await switchOver();

  expect([await look(redis, key), await look(other, key)]).toEqual([0, 0]);
  expect(clock.now()).toBeGreaterThanOrEqual(before);
  expect(promotedAt(redis)).toBeGreaterThanOrEqual(before);
  expect(promotedAt(other)).toBe(promotedAt(redis));
  expect(clock.now() - before).toBeLessThan(MOST_MS);
  expect(Math.abs((jumps.at(-1) ?? 0) + 30_000)).toBeLessThan(SLOW_MS);
  expect([correctionOf(redis), correctionOf(other)]).toEqual([expect.any(Number), correctionOf(redis)]);
  clock.stop();
});

/** What a server is told that it meets: whether it was a replica, and how far its clock is ahead of what it should be, ms. */
test.each([
  ['the first server of all', { stored: {}, wasReplica: true, aheadMs: 30_000 }, 0],
  [
    'one that was started again',
    { stored: { server: 'a', correction: '5000' }, wasReplica: false, aheadMs: 30_000 },
    5_000,
  ],
  ['one that is ahead', { stored: { server: 'a' }, wasReplica: true, aheadMs: 30_000 }, -30_000],
  ['one that is ahead by less than windows bear', { stored: { server: 'a' }, wasReplica: true, aheadMs: 500 }, 0],
  ['one that is behind', { stored: { server: 'a' }, wasReplica: true, aheadMs: -30_000 }, 30_000],
  ['one that is hours away', { stored: { server: 'a' }, wasReplica: true, aheadMs: 7_200_000 }, 0],
])('the clock of %s is corrected as it should be', async (_which, { stored, wasReplica, aheadMs }, correction) => {
  const { client } = await fleet.primary();
  await client.del(redisKeys.clock);
  if (Object.keys(stored).length > 0) await client.hset(redisKeys.clock, stored);
  const [seconds] = await client.time();
  const expected = String(Number(seconds) * 1_000 - aheadMs);
  const meet = (given: string, decides: string) =>
    client.eval(MEET, 1, redisKeys.clock, 'b', wasReplica ? '1' : '0', given, decides) as Promise<number[]>;
  // Who does not know the time leaves it to others, where that matters.
  if (wasReplica && 'server' in stored) expect(await meet('', '0')).toEqual([]);
  const [decided = Number.NaN] = await meet(expected, '1');
  expect(Math.abs(decided - correction)).toBeLessThan(SLOW_MS);
  // The first decides for all.
  expect((await meet(String(Number(expected) + 50_000), '1'))[0]).toBe(decided);
});
