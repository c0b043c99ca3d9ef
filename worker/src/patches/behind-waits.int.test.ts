import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { afterEachWait } from './behind-waits.ts';

const COUNT = "return redis.call('INCR', KEYS[1])";

let server: TestRedis;
let redis: Redis;
let sha: string;

beforeAll(async () => {
  server = await startTestRedis();
  sha = String(await server.client.script('LOAD', COUNT));
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.client.flushall();
  redis = connectPatient(server.url, 'waits');
  redis.on('error', () => undefined);
  await redis.connect();
});
afterEach(() => redis.disconnect());

const readsOf = async () => Number(/^total_reads_processed:(\d+)/m.exec(await server.client.info('stats'))?.[1]);
const untilItWaits = async () => {
  while (!/name=waits .*cmd=bzpopmin/.test(String(await server.client.client('LIST')))) await new Promise(setImmediate);
};

test('a script behind a wait reaches Redis with it in one piece, and runs when the wait is over', async () => {
  let counted: Promise<unknown> | undefined;
  afterEachWait(redis, () => {
    counted = redis.evalsha(sha, 1, 'count');
  });
  const before = await readsOf();
  const popped = redis.bzpopmin('marker', 0);
  await untilItWaits();
  // Nothing else speaks to Redis here but this client, whose own questions are counted as they are read.
  const asked = await readsOf();
  expect(await server.client.get('count')).toBeNull();
  await server.client.zadd('marker', 0, '0');
  expect(await popped).toEqual(['marker', '0', '0']);
  expect(await counted).toBe(1);
  const own = 2;
  expect(await readsOf()).toBe(asked + 1 + own);
  expect(asked).toBeGreaterThan(before);
});

test('a connection that breaks waits again when it is made anew, and fails the script behind the wait instead of repeating it', async () => {
  let counted: Promise<unknown> | undefined;
  afterEachWait(redis, () => {
    counted ??= redis.evalsha(sha, 1, 'count');
    counted.catch(() => undefined);
  });
  const popped = redis.bzpopmin('marker', 0);
  await untilItWaits();
  const isRenewed = once(redis, 'ready');
  await server.client.client(
    'KILL',
    'ID',
    String(/id=(\d+) [^\n]*name=waits /.exec(String(await server.client.client('LIST')))?.[1]),
  );
  await expect(counted).rejects.toThrow('lost');
  await isRenewed;
  await server.client.zadd('marker', 0, '0');
  expect(await popped).toEqual(['marker', '0', '0']);
  expect(await server.client.get('count')).toBeNull();
});
