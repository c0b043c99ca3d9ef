import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type GenerationQueue, jobKeys } from '@lontar/shared/generation-queue.ts';
import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import { Leaving } from '../envelope/leaving.ts';
import { type AwaitDeps, type AwaitInput, awaitSettlement } from './await-settlement.ts';

const requestId = 'req_0000000000000000000001';
const { job, lock } = jobKeys(requestId);
const left: Settlement = { v: 1, outcome: 'failed', error: 'client_closed' };

let server: TestRedis;
let redis: Redis;
let removed: string[];

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.client;
});
afterAll(() => server.stop());
beforeEach(async () => {
  removed = [];
  await redis.flushall();
  await redis.hset(redisKeys.apiKey('k'), { charged: 1 });
  await reserve(redis, requestId, 'k');
});

const queue = { remove: async (id: string) => removed.push(id) > 0 } as unknown as GenerationQueue;

/** The gateway's wait for a request whose caller has left; no worker is there, but what the test plays of it. */
function leave(over: Partial<AwaitInput> = {}): Promise<Settlement> {
  const withdrawals = { add: () => Promise.resolve(), stop: async () => undefined };
  const onRedisFailure = (error: unknown) => {
    throw error;
  };
  return awaitSettlement(
    { redis, queue, withdrawals, freeFailuresPerHour: 5, onRedisFailure },
    { requestId, keyId: 'k', reply: new Promise(() => undefined), gone: new Leaving('left'), waitMs: 60_000, ...over },
  );
}

const charged = async () => Number(await redis.hget(redisKeys.apiKey('k'), 'charged'));

test('a job that no worker has is taken out and given back at once', async () => {
  expect(await leave()).toEqual({ ...left, charged: false });
  expect(removed).toEqual([requestId]);
  expect(await charged()).toBe(0);
});

test('a worker that does not settle is asked to stop again and again, until it does', async () => {
  await redis.set(lock, 'worker');
  const subscriber = redis.duplicate();
  await subscriber.subscribe(redisKeys.cancellations);
  const receivedTwice = new Promise<void>((resolve) => {
    let received = 0;
    subscriber.on('message', () => ++received === 2 && resolve());
  });
  const settled = leave();
  await receivedTwice;
  const settlement = { v: 1, outcome: 'failed', error: 'client_closed' } as const;
  await settle(redis, { requestId, keyId: 'k', settlement, cost: 'yes', attempt: 1 });
  expect(await settled).toEqual({ ...left, charged: true });
  expect(await charged()).toBe(1);
  subscriber.disconnect();
});

test('a worker that died is not waited for longer than its lock: the model was called, and the caller pays', async () => {
  await redis.hset(job, { ats: 1 });
  await redis.set(lock, 'worker', 'PX', 1_500);
  expect(await leave()).toEqual({ ...left, charged: true });
});

test('at the deadline the request is settled whichever worker has its job', async () => {
  await redis.hset(job, { ats: 1 });
  await redis.set(lock, 'worker');
  expect(await leave({ waitMs: 500 })).toEqual({ ...left, charged: true });
});

test('what the gateway has settled itself is repeated where replicas have not got it', async () => {
  const repeated: string[] = [];
  const failures: unknown[] = [];
  const withdrawals = {
    add: (id: string) => Promise.resolve(void repeated.push(id)),
    stop: async () => undefined,
  };
  const away = new RedisAwayError('too few replicas have it', { replied: true });
  const deps: AwaitDeps = {
    ...{ redis, queue, withdrawals, freeFailuresPerHour: 5, onRedisFailure: (error) => failures.push(error) },
    replication: { held: () => Promise.reject(away) },
  };
  const gone = new Leaving('left');
  const reply = new Promise<Settlement>(() => undefined);
  expect(await awaitSettlement(deps, { requestId, keyId: 'k', reply, gone, waitMs: 60_000 })).toEqual(left);
  expect([repeated, failures]).toEqual([[requestId], [away]]);
});

describe('where the key lets the request go on', () => {
  const answered: Settlement = { v: 1, outcome: 'failed', error: 'content_blocked', charged: true };
  const finish = (over: Partial<AwaitInput> = {}) => leave({ onDisconnect: 'finish', ...over });
  const isOpen = async () => {
    expect(removed).toEqual([]);
    expect(await redis.exists(redisKeys.request(requestId))).toBe(0);
    return (await redis.zscore(redisKeys.keyFlight('k'), requestId)) !== null;
  };

  test.each(['waits', 'is in work'])('a job that %s is left alone, and its reply waited for', async (state) => {
    if (state === 'is in work') await redis.set(lock, 'worker');
    let reply: (settlement: Settlement) => void = () => undefined;
    const settled = finish({ reply: new Promise((resolve) => (reply = resolve)) });
    await redis.ping();
    expect(await isOpen()).toBe(true);
    reply(answered);
    expect(await settled).toBe(answered);
    expect(await isOpen()).toBe(true);
  });

  test('it ends with its deadline all the same', async () => {
    await redis.hset(job, { ats: 1 });
    expect(await finish({ waitMs: 20 })).toEqual({ v: 1, outcome: 'failed', error: 'timed_out', charged: false });
  });

  test.each([
    ['is there, and got a failure, it is given back', new Leaving(), true],
    ['has left, and may have the answer by another connection, it is not', new Leaving('left'), false],
  ])('what is settled by then, and Redis cannot say: where the caller %s', async (_, gone, isRefused) => {
    const withdrawn: unknown[] = [];
    const withdrawals = {
      add: async (...given: unknown[]) => void withdrawn.push(given),
      stop: async () => undefined,
    } satisfies AwaitDeps['withdrawals'];
    const away = redis.duplicate({ lazyConnect: true, enableOfflineQueue: false });
    await awaitSettlement(
      { ...{ redis: away, queue, withdrawals, freeFailuresPerHour: 5 }, onRedisFailure: () => undefined },
      { requestId, keyId: 'k', reply: new Promise(() => undefined), gone, waitMs: 20, onDisconnect: 'finish' },
    );
    expect(withdrawn).toEqual([[requestId, 'k', 'timed_out', isRefused]]);
  });

  test('a gateway that stops leaves it to the worker, but refuses a caller who still waits', async () => {
    const stops = () => new Promise<'given up'>((resolve) => setImmediate(() => resolve('given up')));
    expect(await finish({ reply: stops() })).toEqual(left);
    expect(await isOpen()).toBe(true);
    const here = await finish({ reply: stops(), gone: new Leaving() });
    expect(here).toMatchObject({ error: 'service_unavailable', charged: false });
  });
});

test("a worker's reply is taken as it is, and a gateway that stops waits for none", async () => {
  await redis.set(lock, 'worker');
  const answered = { ...left, charged: true } as const;
  expect(await leave({ reply: new Promise((resolve) => setImmediate(() => resolve(answered))) })).toBe(answered);
  expect(await leave({ reply: new Promise((resolve) => setImmediate(() => resolve('given up'))) })).toEqual(left);
});
