import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { connectFailFast, type Redis } from '../redis-connection.ts';
import { writeGathered } from './gather-writes.ts';

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

test('commands of one turn leave in one write, of 32 commands at most', async () => {
  const { stream } = redis;
  const replies = Array.from({ length: 3 }, () => redis.incr('count'));
  // Corked once, by us: the commands were written through the patched method, and wait for the end of the turn.
  expect(stream.writableCorked).toBe(1);
  expect(stream.writableLength).toBeGreaterThan(0);
  await new Promise(setImmediate);
  expect(stream.writableCorked).toBe(0);
  expect(await Promise.all(replies)).toEqual([1, 2, 3]);

  const many = Array.from({ length: 100 }, () => redis.incr('count'));
  const waiting = stream.writableLength;
  const one = redis.incr('count');
  const bytesOfOne = stream.writableLength - waiting;
  expect(bytesOfOne).toBeGreaterThan(0);
  expect(waiting).toBeLessThan(32 * bytesOfOne);
  await Promise.all([...many, one]);
});

test('what is gathered can be written at once, and later commands of the turn follow', async () => {
  const { stream } = redis;
  const first = redis.incr('early');
  expect(stream.writableCorked).toBe(1);
  writeGathered(redis);
  expect(stream.writableCorked).toBe(0);
  writeGathered(redis);
  const second = redis.incr('early');
  expect(stream.writableCorked).toBe(1);
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(stream.writableCorked).toBe(0);
});
