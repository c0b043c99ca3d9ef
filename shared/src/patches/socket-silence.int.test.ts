import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { connectFailFast, type Redis } from '../redis-connection.ts';
import { FAIL_FAST_SILENCE_MS } from '../time-budget.ts';

let server: TestRedis;
let redis: Redis;
let closed = 0;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  redis.on('close', () => closed++);
  await redis.connect();
});
afterEach(() => {
  closed = 0;
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

test('replies that arrived while the event loop was busy for longer than the wait are read, on the same connection', async () => {
  const replies = Promise.all(Array.from({ length: 100 }, (_, index) => redis.incrby('count', index)));
  // The commands leave; then nothing is read for longer than a connection may be silent.
  await new Promise(setImmediate);
  const end = performance.now() + FAIL_FAST_SILENCE_MS + 300;
  while (performance.now() < end);
  expect(await replies).toHaveLength(100);
  expect(closed).toBe(0);
});

test('a connection on which replies come stays, though there is always a command that waits', async () => {
  const end = performance.now() + FAIL_FAST_SILENCE_MS + 500;
  const wait = () => redis.blpop('nothing', 0.3);
  let waiting = [wait(), wait()];
  while (performance.now() < end) {
    const [first, ...others] = waiting;
    await first;
    waiting = [...others, wait()];
  }
  expect(await Promise.all(waiting)).toEqual([null, null]);
  expect(closed).toBe(0);
});

test('a connection on which no reply comes is made anew', async () => {
  const pid = Number(/process_id:(\d+)/.exec(await server.client.info('server'))?.[1]);
  const isClosed = new Promise<number>((resolve) => redis.once('close', () => resolve(performance.now())));
  process.kill(pid, 'SIGSTOP');
  try {
    const sentAt = performance.now();
    await expect(redis.get('count')).rejects.toThrow('Command timed out');
    expect((await isClosed) - sentAt).toBeGreaterThan(FAIL_FAST_SILENCE_MS - 50);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});
