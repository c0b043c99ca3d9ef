import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ReplyError } from 'ioredis';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { RedisAwayError } from '../redis-away.ts';
import { connectFailFast, type Redis } from '../redis-connection.ts';

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

const failure = (work: Promise<unknown>) =>
  work.then(
    (reply) => ({ reply }),
    (error: unknown) => error,
  );
const awayWith = (replied: boolean, message: string) =>
  expect.objectContaining({ name: 'RedisAwayError', replied, message: expect.stringContaining(message) });

test('a Redis that is full or read-only is away, from a script and a pipeline too', async () => {
  await server.client.config('SET', 'maxmemory', '1');
  expect(await failure(redis.set('a', '1'))).toEqual(awayWith(true, 'OOM command not allowed'));
  expect(await failure(redis.eval("return redis.call('set', KEYS[1], 1)", 1, 'a'))).toEqual(awayWith(true, 'OOM'));
  const [piped] = (await redis.pipeline().set('a', '1').exec()) ?? [];
  expect(piped?.[0]).toBeInstanceOf(RedisAwayError);
  await server.client.config('SET', 'maxmemory', '0');
  await server.client.replicaof('127.0.0.1', '1');
  const back = once(redis, 'ready');
  expect(await failure(redis.set('a', '1'))).toEqual(awayWith(true, 'READONLY'));
  await server.client.replicaof('NO', 'ONE');
  // Another server may be the primary by then: it has connected anew.
  await back;
});

test('what Redis refuses for another reason is no absence', async () => {
  await redis.set('text', 'x');
  const error = await failure(redis.hgetall('text'));
  expect(error).toBeInstanceOf(ReplyError);
  expect(error).not.toBeInstanceOf(RedisAwayError);
  // Its message may say anything.
  expect(await failure(redis.eval("return redis.error_reply('MINE READONLY')", 0))).not.toBeInstanceOf(RedisAwayError);
});

test('a connection that was closed says the same', async () => {
  const other = connectFailFast(server.url, 'other');
  await other.connect();
  const ended = once(other, 'end');
  other.disconnect();
  await ended;
  expect(await failure(other.get('text'))).toEqual(awayWith(false, 'Connection is closed'));
});

test('one that does not answer is away, and one that has gone', async () => {
  const pid = server.process().pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  expect(await failure(redis.get('text'))).toEqual(awayWith(false, 'Command timed out'));
  process.kill(pid, 'SIGCONT');
  await server.client.ping();
  const lost = failure(redis.blpop('nothing', 0));
  await server.kill();
  expect(await lost).toEqual(awayWith(false, ''));
  expect(await failure(redis.get('text'))).toEqual(awayWith(false, "isn't writeable"));
  const back = new Promise((resolve) => redis.once('ready', resolve));
  await server.start();
  await back;
});
