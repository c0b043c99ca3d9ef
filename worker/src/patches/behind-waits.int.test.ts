import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { startTcpProxy } from '@lontar/shared/testing/tcp-proxy.ts';
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

const untilItWaits = async () => {
  while (!/name=waits .*cmd=bzpopmin/.test(String(await server.client.client('LIST')))) await new Promise(setImmediate);
};

test('a script behind a wait reaches Redis with it in one piece, and runs when the wait is over', async () => {
  const proxy = await startTcpProxy(server.port);
  const through = connectPatient(`redis://127.0.0.1:${proxy.port}`, 'waits');
  await through.connect();
  let counted: Promise<unknown> | undefined;
  afterEachWait(through, () => {
    counted = through.evalsha(sha, 1, 'count');
  });
  const pieces: string[] = [];
  proxy.intercept((piece) => {
    if (piece.includes('bzpopmin')) pieces.push(piece.toString('latin1'));
    return 'pass';
  });
  const popped = through.bzpopmin('marker', 0);
  await untilItWaits();
  expect(pieces).toEqual([expect.stringContaining(sha)]);
  expect(await server.client.get('count')).toBeNull();
  await server.client.zadd('marker', 0, '0');
  expect(await popped).toEqual(['marker', '0', '0']);
  expect(await counted).toBe(1);
  through.disconnect();
  await proxy.stop();
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
