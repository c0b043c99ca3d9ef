import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { connectToNode } from '../primary/ask-node.ts';
import { connectFailFast, connectOnceTo, connectPatient, connectReader, connectTwin } from '../redis-connection.ts';

const TIMES = { connectTimeout: 3_000, commandTimeout: 3_000 };

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

test.each([
  ['that fails fast', () => connectFailFast(server.url, 'test')],
  ['that waits', () => connectPatient(server.url, 'test')],
  ['that reads', () => connectReader(server.url, 'test')],
  ['of a command', () => connectOnceTo(server.url, 'test', TIMES)],
  ['that is a twin', () => connectTwin(connectPatient(server.url, 'test'), 'twin')],
  ['to a Sentinel', () => connectToNode({ host: '127.0.0.1', port: server.port }, { tls: undefined })],
])('a connection %s bears a second error of its socket, which ioredis does not listen to', async (_which, open) => {
  const redis = open();
  redis.on('error', () => undefined);
  await redis.connect();
  const { stream } = redis;
  stream.emit('error', new Error('refused'));
  stream.emit('error', new Error('and once more'));
  redis.disconnect();
  expect(stream.listenerCount('error')).toBe(1);
});
