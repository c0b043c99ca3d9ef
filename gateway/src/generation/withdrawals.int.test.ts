import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import { connectFailFast, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import { openWithdrawals, type Withdrawals } from './withdrawals.ts';

const requestId = 'req_0000000000000000000001';

let server: TestRedis;
let redis: Redis;
let withdrawals: Withdrawals;
const removed: string[] = [];
const queue = { remove: async (id: string) => removed.push(id) > 0 } as unknown as GenerationQueue;

beforeEach(async () => {
  server = await startTestRedis({ durable: true });
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  withdrawals = openWithdrawals({ redis, queue, freeFailuresPerHour: 5, onRedisFailure: () => undefined });
  await server.client.hset(redisKeys.apiKey('k'), { charged: 1 });
  await reserve(server.client, requestId, 'k');
});
afterEach(async () => {
  withdrawals.stop();
  redis.disconnect();
  await server.stop();
});

test('a request that was refused while Redis was away is settled and taken out of the queue when it is back', async () => {
  await server.kill();
  withdrawals.add(requestId, 'k', 'service_unavailable');
  await server.start();
  while (removed.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(removed).toEqual([requestId]);
  expect(await server.client.hget(redisKeys.request(requestId), 'result')).toContain('service_unavailable');
  expect(await server.client.hget(redisKeys.apiKey('k'), 'charged')).toBe('0');
  expect(await server.client.zcard(redisKeys.keyFlight('k'))).toBe(0);
});
