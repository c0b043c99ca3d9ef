import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { holdQueue } from '@lontar/shared/admin/hold-queue.ts';
import { GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import { type GenerationQueue, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { runTurn } from '@lontar/shared/settlement/turn.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { REDIS_AWAY_MS, WORKER_GONE_MS, WORKER_LOOK_MS } from '@lontar/shared/time-budget.ts';
import { lookForWorkers, takeBack, type WatchWorkersOptions, type WorkerWatch, watchWorkers } from './lost-workers.ts';
import { thisPlace } from './place.ts';

const TESTER = { by: 'cli', id: 'tester' } as const;

let server: TestRedis;
let redis: Redis;
let queue: GenerationQueue;
let listeners: Redis[];

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.client;
  queue = openGenerationQueue(redis);
});
afterAll(async () => {
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  listeners = [];
});
afterEach(() => {
  for (const listener of listeners) if (listener.status !== 'end') listener.disconnect();
});

const idOf = (number: number) => `req_${String(number).padStart(22, '0')}`;
const look = (name: string) => lookForWorkers(redis, name, 'place');
const lostOf = (number: number) => redis.hget(queueKeys.job(idOf(number)), 'stc');

async function listenAs(name: string): Promise<Redis> {
  const listener = connectPatient(server.url, name);
  listeners.push(listener);
  await listener.subscribe(redisKeys.workerChannel(name));
  return listener;
}

/** Jobs in work, `count` for each of the workers in turn, from number 1. */
async function inWork(...takes: readonly (readonly [worker: string, count: number])[]): Promise<void> {
  let number = 0;
  for (const [worker, count] of takes) {
    for (let index = 0; index < count; index++) {
      await queue.add({ v: 1, id: idOf(++number), prompt: 'hi' } as GenerationJob, redisTime());
    }
    await runTurn(redis, { endings: [], take: count, lock: `${worker}:${number}` });
  }
}

describe('a look for workers', () => {
  test('lists the worker that looks, and finds those on whose channels no connection listens', async () => {
    await listenAs('a');
    const b = await listenAs('b');
    expect(await look('a')).toEqual([]);
    expect(await look('b')).toEqual([]);
    expect(await look('a')).toEqual([]);
    b.disconnect();
    let found = await look('a');
    while (found.length === 0) found = await look('a');
    expect(found).toEqual([{ name: 'b', said: '1 place' }]);
  });

  test('writes nothing once it is listed, and says that it is there as long as it does not listen', async () => {
    const a = await listenAs('a');
    for (let looks = 0; looks < 3; looks++) await look('a');
    expect(await redis.hgetall(redisKeys.workers)).toEqual({ a: '1 place' });
    await a.unsubscribe();
    for (let looks = 0; looks < 3; looks++) await look('a');
    expect(await look('b')).toEqual([{ name: 'a', said: '4 place' }]);
  });
});

describe('the jobs of a worker that is gone', () => {
  const gone = { name: 'a', said: '1 place' };
  beforeEach(() => redis.hset(redisKeys.workers, 'a', '1 place'));

  test('come to the front of the queue in their order, each counted as lost once; those of others stay', async () => {
    await inWork(['a', 2], ['b', 1], ['a', 1], ['ab', 1]);
    await queue.add({ v: 1, id: idOf(6), prompt: 'hi' } as GenerationJob, redisTime());
    await redis.del(queueKeys.marker);
    // As BullMQ's look for lost jobs has marked them.
    await redis.sadd(queueKeys.stalled, ...[1, 2, 3, 4, 5].map(idOf));
    const taken = [1, 2, 4].map(idOf);
    expect(await takeBack(redis, gone, 100)).toEqual({ requestIds: taken.toReversed(), isMore: false });
    expect(await takeBack(redis, gone, 100)).toEqual({ requestIds: [], isMore: false });
    expect((await redis.lrange(queueKeys.waiting, 0, -1)).toReversed()).toEqual([...taken, idOf(6)]);
    expect(await redis.lrange(queueKeys.active, 0, -1)).toEqual([idOf(5), idOf(3)]);
    expect((await redis.smembers(queueKeys.stalled)).toSorted()).toEqual([idOf(3), idOf(5)]);
    expect(await Promise.all([1, 2, 3, 4, 5].map(lostOf))).toEqual(['1', '1', null, '1', null]);
    expect(await redis.zrange(queueKeys.marker, '0', '-1')).toEqual(['0']);
    expect(await redis.exists(redisKeys.workers)).toBe(0);
    const { taken: again } = await runTurn(redis, { endings: [], take: 1, lock: 'c:1' });
    expect(Array.isArray(again) && again[0]?.[0]).toBe(idOf(1));
    expect(await redis.hget(queueKeys.job(idOf(1)), 'ats')).toBe('2');
  });

  test('are taken back so many at a time', async () => {
    await inWork(['a', 5]);
    expect(await takeBack(redis, gone, 2)).toEqual({ requestIds: [idOf(5), idOf(4)], isMore: true });
    expect(await takeBack(redis, gone, 2)).toEqual({ requestIds: [idOf(3), idOf(2)], isMore: true });
    expect(await takeBack(redis, gone, 2)).toEqual({ requestIds: [idOf(1)], isMore: false });
    expect((await redis.lrange(queueKeys.waiting, 0, -1)).toReversed()).toEqual([1, 2, 3, 4, 5].map(idOf));
  });

  test.each<[string, () => Promise<unknown>]>([
    ['listens again', () => listenAs('a')],
    ['has said that it is there', () => redis.hset(redisKeys.workers, 'a', '2 place')],
    ['has lost its jobs to another look', () => redis.hdel(redisKeys.workers, 'a')],
  ])('stay where it %s', async (_what, happens) => {
    await inWork(['a', 2]);
    await happens();
    expect(await takeBack(redis, gone, 100)).toEqual({ requestIds: [], isMore: false });
    expect(await queue.counts()).toMatchObject({ waiting: 0, active: 2 });
    expect(await lostOf(1)).toBeNull();
  });

  test('stay where their lock has ended or is of another start: BullMQ finds those', async () => {
    await inWork(['a', 2]);
    await redis.del(`${queueKeys.job(idOf(1))}:lock`);
    await redis.set(`${queueKeys.job(idOf(2))}:lock`, 'b:1');
    expect((await takeBack(redis, gone, 100)).requestIds).toEqual([]);
    expect(await queue.counts()).toMatchObject({ waiting: 0, active: 2 });
  });

  test('wake no worker while the queue is paused', async () => {
    await inWork(['a', 1]);
    await holdQueue(redis, 'pause', TESTER);
    await redis.del(queueKeys.marker);
    await takeBack(redis, gone, 100);
    expect(await redis.exists(queueKeys.marker)).toBe(0);
  });

  test('are given up by BullMQ once they were lost too often', async () => {
    await inWork(['a', 1]);
    await redis.hset(queueKeys.job(idOf(1)), 'stc', GENERATION_JOB.maxStalledCount);
    await takeBack(redis, gone, 100);
    expect(await redis.hget(queueKeys.job(idOf(1)), 'defa')).toMatch(/stalled/);
  });
});

describe('a watch of workers', () => {
  let connections: Redis[];
  beforeEach(() => {
    connections = [connectPatient(server.url, 'jobs'), connectPatient(server.url, 'listener')];
    for (const connection of connections) connection.on('error', () => undefined);
  });
  afterEach(() => {
    for (const connection of connections) connection.disconnect();
  });

  function watch(name: string, over: Partial<WatchWorkersOptions> = {}): Promise<WorkerWatch> {
    const [jobs, subscriber] = connections as [Redis, Redis];
    const ignore = () => undefined;
    return watchWorkers({ redis: jobs, subscriber, name, onTakenBack: ignore, onError: ignore, ...over });
  }

  test('takes jobs back from a worker of another machine whose connections are gone, and keeps its own', async () => {
    await inWork(['a', 2], ['b', 1]);
    await redis.hset(redisKeys.workers, 'a', '1 elsewhere.1');
    const taken = Promise.withResolvers<unknown[]>();
    const { stop } = await watch('b', { onTakenBack: (...args) => taken.resolve(args) });
    expect(await queue.counts()).toMatchObject({ waiting: 0, active: 3 });
    expect(await taken.promise).toEqual(['a', [idOf(2), idOf(1)]]);
    expect(await queue.counts()).toMatchObject({ waiting: 2, active: 1 });
    stop();
  });

  (process.platform === 'linux' ? test : test.skip)(
    'takes them back at the first look where the process of this machine has ended',
    async () => {
      const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
      await once(child, 'exit');
      await inWork(['a', 2]);
      const [table] = thisPlace().split('.');
      await redis.hset(redisKeys.workers, { a: `1 ${table}.${child.pid}`, c: `1 ${table}.${process.pid}` });
      const taken: unknown[] = [];
      const { stop } = await watch('b', { onTakenBack: (...args) => taken.push(args) });
      expect(taken).toEqual([['a', [idOf(2), idOf(1)]]]);
      expect(await redis.hkeys(redisKeys.workers)).toEqual(expect.arrayContaining(['b', 'c']));
      stop();
    },
  );

  test('is steady only once Redis has served for a while again', async () => {
    const { untilSteady, stop } = await watch('a');
    await untilSteady();
    await redis.client('PAUSE', 2 * REDIS_AWAY_MS, 'ALL');
    const served = redis.ping().then(() => performance.now());
    await untilSteady();
    expect(performance.now() - (await served)).toBeGreaterThanOrEqual(WORKER_GONE_MS - WORKER_LOOK_MS);
    stop();
  });

  test('where Redis does not let it listen says so, lists no worker, and holds up no look for lost jobs', async () => {
    await redis.call('ACL', 'SETUSER', 'default', 'resetchannels');
    const errors: string[] = [];
    const { untilSteady, leave } = await watch('a', { onError: (error) => errors.push(String(error)) });
    await redis.call('ACL', 'SETUSER', 'default', 'allchannels');
    await untilSteady();
    await leave();
    expect(errors).toEqual([expect.stringContaining('NOPERM')]);
    expect(await redis.exists(redisKeys.workers)).toBe(0);
  });

  test('whose looks fail holds up no look for lost jobs', async () => {
    const { untilSteady, stop } = await watch('a');
    await redis.del(redisKeys.workers);
    await redis.set(redisKeys.workers, 'no hash');
    await untilSteady();
    stop();
  });
});
