import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../testing/redis-server.ts';
import { MOMENT_MS, momentKey, momentStart, readRecentOutcomes } from './moments.ts';
import { connectFailFast, type Redis } from './redis-connection.ts';

const POINTS = 30;
let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectFailFast(server.url, 'test');
  await redis.connect();
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Each test has a time of its own, so that no point of another one is read. */
test.each([
  ['failures of the newest minute', [[20, 'shed', 2]], { successes: 0, failures: 2, hasRecovered: false }],
  [
    'failures before it, and successes since',
    [
      [90, 'server_error', 3],
      [70, 'timeout', 1],
      [10, 'success', 5],
    ],
    { successes: 5, failures: 4, hasRecovered: true },
  ],
  [
    'failures before it, and nothing since',
    [[90, 'server_error', 3]],
    { successes: 0, failures: 3, hasRecovered: false },
  ],
  ['callers’ own errors', [[10, 'client_error', 9]], { successes: 0, failures: 0, hasRecovered: false }],
  ['points that are too old', [[400, 'timeout', 7]], { successes: 0, failures: 0, hasRecovered: false }],
] as const)('adds up %s', async (name, points, expected) => {
  const now = 1_800_000_000_000 + name.length * 3_600_000;
  for (const [secondsAgo, outcome, count] of points) {
    await redis.hset(momentKey(momentStart(now - secondsAgo * 1_000)), `outcome:${outcome}`, count);
  }
  expect(await readRecentOutcomes(redis, now, POINTS)).toEqual(expected);
  expect(POINTS * MOMENT_MS).toBe(300_000);
});
