import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../testing/redis-server.ts';
import { followRedisClock, readRedisTime, startRedisClock } from './redis-clock.ts';
import { connectFailFast, type Redis } from './redis-connection.ts';

const HOUR_MS = 3_600_000;
const ownNow = Date.now;

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(() => {
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  // This machine's clock is set an hour ahead; that of Redis is not.
  jest.spyOn(Date, 'now').mockImplementation(() => ownNow() + HOUR_MS);
});
afterEach(() => {
  redis.disconnect();
  jest.restoreAllMocks();
});

/** How far a clock is from that of Redis, hours. */
async function hoursAway(now: number): Promise<number> {
  return Math.abs(Math.round((now - (await readRedisTime(server.client))) / HOUR_MS));
}

test('a clock tells the time of Redis, not of this machine', async () => {
  await redis.connect();
  const clock = await startRedisClock(redis);
  expect(await hoursAway(clock.now())).toBe(0);
  clock.stop();
});

test('a clock that must tell the time of Redis does not start without it', async () => {
  redis.disconnect();
  await expect(startRedisClock(redis)).rejects.toThrow();
});

test('one that starts without Redis tells the time of this machine until Redis has answered', async () => {
  const listeners = redis.listenerCount('ready');
  const clock = followRedisClock(redis);
  expect(await hoursAway(clock.now())).toBe(1);
  await redis.connect();
  // It asks as soon as the connection is ready.
  while ((await hoursAway(clock.now())) !== 0);
  clock.stop();
  expect(redis.listenerCount('ready')).toBe(listeners);
});
