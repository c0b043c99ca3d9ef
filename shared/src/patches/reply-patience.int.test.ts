import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { connectFailFast, type Redis } from '../redis-connection.ts';
import { COMMAND_TIMEOUT_MS } from '../time-budget.ts';

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

test('a reply that arrived while the event loop was busy is read', async () => {
  const replies = Promise.all(Array.from({ length: 100 }, (_, index) => redis.incrby('count', index)));
  // The commands leave; then nothing is read for longer than a command may take.
  await new Promise(setImmediate);
  const end = performance.now() + 1_200;
  while (performance.now() < end);
  expect(await replies).toHaveLength(100);
});

test('a reply that does not come is given up, and a pipeline of them too', async () => {
  const pid = Number(/process_id:(\d+)/.exec(await server.client.info('server'))?.[1]);
  process.kill(pid, 'SIGSTOP');
  try {
    // At the same time: a connection that is silent for longer is made anew, and what waits on it fails for that.
    const reply = redis.get('count').catch((error: unknown) => String(error));
    const replies = await redis
      .multi()
      .get('count')
      .incr('count')
      .exec()
      .catch((error: unknown) => String(error));
    expect(await reply).toContain('Command timed out');
    expect(JSON.stringify(replies)).toContain('timed out');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

test('nothing is looked at any more once all replies are here', async () => {
  await redis.get('count');
  const begun = jest.spyOn(globalThis, 'setTimeout');
  const ended = jest.spyOn(globalThis, 'clearTimeout');
  await redis.get('count');
  // The reply is handed out before the stream's other listeners have heard of it.
  await new Promise(setImmediate);
  const looks = begun.mock.results.filter((_, call) => begun.mock.calls[call]?.[1] === COMMAND_TIMEOUT_MS / 2);
  expect(looks).toHaveLength(1);
  expect(ended.mock.calls.map(([timer]) => timer)).toContain(looks[0]?.value);
  jest.restoreAllMocks();
});

test('the next command after a wait has a wait of its own', async () => {
  await delay(100);
  expect(await redis.get('count')).toBe(String((99 * 100) / 2 + 1));
});
