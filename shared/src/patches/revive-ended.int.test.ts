import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { startTcpProxy } from '../../testing/tcp-proxy.ts';
import { connectFailFast, connectPatient, connectTwin } from '../redis-connection.ts';
import { reviveEnded } from './revive-ended.ts';

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

test('a connection that is never ready, because its host says nothing, is made anew', async () => {
  const proxy = await startTcpProxy(server.port);
  const redis = new Redis(proxy.port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => 50 });
  const errors: string[] = [];
  redis.on('error', ({ message }) => errors.push(message));
  reviveEnded(redis, 200);
  proxy.mode('hold');
  const isReady = new Promise<void>((resolve) => void redis.once('ready', resolve));
  redis.connect().catch(() => undefined);
  while (redis.status !== 'connect') await new Promise(setImmediate);
  // What was sent until now has no answer, ever.
  proxy.mode('lose');
  proxy.mode('pass');
  await isReady;
  expect(await redis.ping()).toBe('PONG');
  expect(errors).toContain('a connection to Redis was not ready for 200 ms, and is made anew');
  redis.disconnect();
  await proxy.stop();
});
