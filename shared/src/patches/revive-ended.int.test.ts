import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { connectFailFast, connectPatient, connectTwin } from '../redis-connection.ts';

let server: TestRedis;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

test.each([
  ['fails fast', () => connectFailFast(server.url, 'test')],
  ['is patient', () => connectPatient(server.url, 'test')],
  ['is the twin of another', () => connectTwin(connectPatient(server.url, 'test'), 'twin')],
])('a connection that %s comes back from the state that ioredis ends in', async (_how, open) => {
  const redis = open();
  redis.on('error', () => undefined);
  await redis.connect();
  // As where ioredis itself gives up: its own `disconnect` is what it calls then.
  const ended = once(redis, 'end');
  Object.getPrototypeOf(redis).disconnect.call(redis);
  await ended;
  const ready = once(redis, 'ready');
  await ready;
  expect(await redis.ping()).toBe('PONG');

  const closed = once(redis, 'end');
  redis.disconnect();
  await closed;
  // What brings others back takes 100 ms.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(redis.status).toBe('end');
});
