import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '@lontar/shared/logger.ts';
import { connectFailFast, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { openEventLog } from './event-log.ts';

let server: TestRedis;
let redis: Redis;
const logger = createLogger('test', 'silent');

beforeAll(async () => {
  server = await startTestRedis({ durable: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.client.flushall();
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
});

const event = (id: number): RequestEvent => ({
  v: 1,
  id: `req_${id}`,
  at: 1,
  route: '/api/ai',
  method: 'GET',
  status: 200,
  outcome: 'success',
  responseMs: 1,
  address: '192.0.2.1',
});
const stored = async () =>
  (await server.client.xrange(redisKeys.events, '-', '+')).map(
    ([, fields]) => (JSON.parse(fields[1] ?? '') as RequestEvent).id,
  );
const open = (gateway = 'gateway-1') => openEventLog({ gateway, redis, logger, onDropped: () => undefined });

test('events arrive in order, in a few batches', async () => {
  const events = open();
  await Promise.all(Array.from({ length: 1_200 }, (_, index) => events.append(event(index))));
  expect(await stored()).toEqual(Array.from({ length: 1_200 }, (_, index) => `req_${index}`));
  // One for the first event alone, then at most 500 at once.
  expect(Number(await server.client.get(redisKeys.eventProducer('gateway-1')))).toBeLessThanOrEqual(5);
  redis.disconnect();
});

test('an event appended while the last batch is being acknowledged is not left behind', async () => {
  const events = open();
  for (let index = 0; index < 50; index++) await events.append(event(index));
  expect(await stored()).toHaveLength(50);
  redis.disconnect();
});

test('a batch whose acknowledgement was lost is not counted twice', async () => {
  const append = loadScript(new URL('./append-events.lua', import.meta.url));
  const keys = [redisKeys.events, redisKeys.eventProducer('g'), redisKeys.eventsDropped];
  expect(await append(redis, keys, [1, 100, 1000, 'a', 'b'])).toEqual(['appended', 0]);
  expect(await append(redis, keys, [1, 100, 1000, 'a', 'b'])).toEqual(['repeated']);
  expect(await append(redis, keys, [2, 100, 1000, 'c'])).toEqual(['appended', 0]);
  expect(await append(redis, keys, [1, 100, 1000, 'a', 'b'])).toEqual(['repeated']);
  expect(await server.client.xlen(redisKeys.events)).toBe(3);
  redis.disconnect();
});

test('a full stream drops and counts what does not fit', async () => {
  const append = loadScript(new URL('./append-events.lua', import.meta.url));
  const keys = [redisKeys.events, redisKeys.eventProducer('g'), redisKeys.eventsDropped];
  expect(await append(redis, keys, [1, 2, 1000, 'a', 'b', 'c'])).toEqual(['appended', 1]);
  expect(await server.client.get(redisKeys.eventsDropped)).toBe('1');
  redis.disconnect();
});

test('nothing is lost while Redis is killed and started again, and nothing is counted twice', async () => {
  const events = open();
  await events.append(event(0));
  await server.kill();
  const away = Array.from({ length: 20 }, (_, index) => events.append(event(index + 1)));
  await server.start();
  await Promise.all(away);
  expect(await stored()).toEqual(Array.from({ length: 21 }, (_, index) => `req_${index}`));
  redis.disconnect();
});
