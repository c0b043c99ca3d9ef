import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import { type GenerationQueue, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { QUEUE_KEYS, queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { QUEUE_PREFIX, redisKeys } from '@lontar/shared/redis-keys.ts';
import { runTurn } from '@lontar/shared/settlement/turn.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import { type JobsOptions, Queue, Worker } from 'bullmq';
import { startJobRunner } from './job-runner.ts';
import type { JobEnd, JobRunner, JobStart } from './job-start.ts';

/** What gateways of the version before enqueue with. */
const AS_BEFORE: JobsOptions = {
  attempts: GENERATION_JOB.attempts,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};
const NOTHING = { waiting: 0, active: 0, delayed: 0, failed: 0 };

let server: TestRedis;
let redis: Redis;
let queue: GenerationQueue;
let stock: Queue;
let stops: (() => Promise<unknown>)[];

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.client.flushall();
  redis = connectPatient(server.url, 'test');
  await redis.connect();
  queue = openGenerationQueue(redis);
  stock = new Queue(GENERATION_JOB.queue, { connection: redis, prefix: QUEUE_PREFIX });
  stops = [() => stock.close()];
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  redis.disconnect();
});

const idOf = (number: number) => `req_${String(number).padStart(22, '0')}`;

function jobOf(number: number): GenerationJob {
  const now = redisTime();
  return {
    ...{ v: 1, id: idOf(number), endpoint: '/api/ai', prompt: 'hi', model: 'ai-2.5-flash', temperature: 1 },
    ...{ maxOutputTokens: 9, keyId: 'k', gateway: 'g', receivedAt: now, deadlineAt: redisTime(now + 60_000) },
  };
}

const addStock = (number: number, over: JobsOptions = {}) =>
  stock.add(GENERATION_JOB.name, jobOf(number), { jobId: idOf(number), ...AS_BEFORE, ...over });

interface Seen {
  readonly starts: JobStart[];
  /** Resolves with the n-th start, from 1. */
  started(count: number): Promise<JobStart>;
}

/** Our worker; each start ends as told. */
function runOurs(end: (start: JobStart) => Promise<JobEnd>, concurrency = 10): Seen & { readonly runner: JobRunner } {
  const starts: JobStart[] = [];
  const waiting = new Map<number, (start: JobStart) => void>();
  const runner = startJobRunner({
    name: randomUUID(),
    redis,
    clock: { now: redisTime, stop: () => undefined },
    concurrency,
    logger: createLogger('test', 'silent'),
    process: (start) => {
      starts.push(start);
      waiting.get(starts.length)?.(start);
      return end(start);
    },
    onGivenUp: () => Promise.resolve(),
    onStalled: () => undefined,
    untilSteady: () => Promise.resolve(),
  });
  stops.push(() => runner.stop(0));
  const started = (count: number) =>
    new Promise<JobStart>((resolve) => {
      const there = starts[count - 1];
      if (there) resolve(there);
      else waiting.set(count, resolve);
    });
  return { runner, starts, started };
}

const done = () => Promise.resolve<JobEnd>({ kind: 'done' });
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await new Promise(setImmediate);
};
const isEmpty = () => until(async () => (await server.client.keys(`${QUEUE_KEYS}req_*`)).length === 0);
const handBack = ({ signal }: JobStart) =>
  new Promise<JobEnd>((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'handed back' }), { once: true });
  });

function runStock(end: () => Promise<void> = () => Promise.resolve()): Worker<GenerationJob> {
  const options = { connection: redis, prefix: QUEUE_PREFIX, lockDuration: 5_000, stalledInterval: 100 };
  const worker = new Worker<GenerationJob>(GENERATION_JOB.queue, end, options);
  stops.push(() => worker.close());
  return worker;
}

describe('a job', () => {
  test('of BullMQ and one of ours look the same in Redis', async () => {
    await addStock(1);
    await queue.add(jobOf(2), redisTime());
    const [theirs, ours] = await Promise.all(
      [1, 2].map((number) => server.client.hgetall(queueKeys.job(idOf(number)))),
    );
    expect(Object.keys(ours ?? {}).sort()).toEqual(Object.keys(theirs ?? {}).sort());
    const { jobId: _id, ...options } = JSON.parse(theirs?.['opts'] ?? '') as JobsOptions;
    expect(JSON.parse(ours?.['opts'] ?? '')).toEqual(options);
    expect({ ...ours, data: '', opts: '', timestamp: '' }).toEqual({ ...theirs, data: '', opts: '', timestamp: '' });
  });

  test('that BullMQ enqueued is settled and finished by ours, in one step', async () => {
    await reserve(server.client, idOf(1), 'k');
    await addStock(1);
    const { started } = runOurs(async (start) => {
      await start.settle({ keyId: 'k', settlement: { v: 1, outcome: 'failed', error: 'timed_out' }, cost: 'no' });
      // BullMQ has not asked for the end of this start yet.
      expect(await queue.counts()).toEqual(NOTHING);
      return { kind: 'done' };
    });
    expect(await started(1)).toMatchObject({ job: { id: idOf(1) }, number: 1, attempt: 1, losses: 0 });
    await isEmpty();
    expect(await server.client.hget(redisKeys.request(idOf(1)), 'charge')).toBe('refund');
    expect(await server.client.exists(queueKeys.active, queueKeys.stalled, queueKeys.waiting)).toBe(0);
  });

  test('of ours is taken and finished by BullMQ', async () => {
    await queue.add(jobOf(1), redisTime());
    const finished = new Promise((resolve) => {
      runStock().on('completed', (job) => resolve(job.data.id));
    });
    expect(await finished).toBe(idOf(1));
    expect(await queue.counts()).toEqual(NOTHING);
  });

  test('that BullMQ has to keep is finished by BullMQ, under our lock', async () => {
    await addStock(1, { removeOnComplete: false });
    runOurs(done);
    await until(async () => (await stock.getCompletedCount()) === 1);
    expect((await stock.getJob(idOf(1)))?.attemptsMade).toBe(1);
    expect(await queue.counts()).toEqual(NOTHING);
  });

  test('that waits or is in work is seen alike by BullMQ', async () => {
    const { started, runner } = runOurs(handBack, 1);
    await queue.add(jobOf(1), redisTime());
    await started(1);
    for (const number of [2, 3]) await queue.add(jobOf(number), redisTime());
    expect(await stock.getJobCounts()).toMatchObject({ waiting: 2, active: 1, delayed: 0, completed: 0, failed: 0 });
    expect((await stock.getJobs(['wait'], 0, -1, true)).map(({ id }) => id)).toEqual([idOf(2), idOf(3)]);
    const [active] = await stock.getJobs(['active']);
    expect([active?.id, active?.attemptsStarted, await active?.getState()]).toEqual([idOf(1), 1, 'active']);
    await runner.stop(0);
    expect((await stock.getJobs(['wait'], 0, -1, true)).map(({ id }) => id)).toEqual([1, 2, 3].map(idOf));
  });

  test('of BullMQ that waits, is due later or is in work is seen and taken out by ours as by BullMQ', async () => {
    const later = { delay: 60_000 };
    for (const [number, over] of [[1], [2], [3, later], [4, { priority: 2 }]] as const) await addStock(number, over);
    await stock.pause();
    expect(await queue.state()).toMatchObject({ waiting: 2, active: 0, delayed: 1, failed: 0, paused: true });
    expect((await queue.unstarted(9)).map(({ id }) => id)).toEqual([1, 2, 3].map(idOf));
    expect((await queue.unstarted(1)).map(({ id }) => id)).toEqual([1, 3].map(idOf));
    const came = Number(await server.client.hget(queueKeys.job(idOf(1)), 'timestamp'));
    await server.client.hset(queueKeys.job(idOf(1)), 'timestamp', came - 60_000);
    expect((await queue.state()).oldestWaitingAgeMs).toBeGreaterThanOrEqual(60_000);
    await stock.resume();
    await runTurn(redis, { endings: [], take: 1, lock: 'held' });
    expect(await queue.remove(idOf(1))).toBe(false);
    expect(await stock.remove(idOf(1))).toBe(0);
    for (const number of [2, 3, 4]) expect(await queue.remove(idOf(number))).toBe(true);
    expect(await queue.remove(idOf(2))).toBe(false);
    expect(await stock.getJobCounts()).toMatchObject({ waiting: 0, active: 1, delayed: 0, prioritized: 0 });
    // Its worker is gone, and its lock with it.
    await server.client.del(`${queueKeys.job(idOf(1))}:lock`);
    expect([await queue.remove(idOf(1)), await queue.counts()]).toEqual([true, NOTHING]);
    expect(await server.client.keys(`${QUEUE_KEYS}req_*`)).toEqual([]);
  });

  test('that has a priority is not left behind', async () => {
    await addStock(1, { priority: 3 });
    await addStock(2, { priority: 2 });
    const { started } = runOurs(done);
    expect((await started(2)).job.id).toBe(idOf(1));
  });

  test('that is to be made again comes when its delay is over, and leaves no event where all goes well', async () => {
    await queue.add(jobOf(1), redisTime());
    const { started } = runOurs(async ({ job, attempt }) =>
      attempt === 1 && job.id === idOf(1) ? { kind: 'again', delayMs: 30 } : { kind: 'done' },
    );
    expect(await started(2)).toMatchObject({ number: 2, attempt: 2, losses: 0 });
    await isEmpty();
    const events = await server.client.xlen(`${QUEUE_KEYS}events`);
    for (const number of [2, 3, 4]) await queue.add(jobOf(number), redisTime());
    await started(5);
    await isEmpty();
    expect(await server.client.xlen(`${QUEUE_KEYS}events`)).toBe(events);
  });
});

describe('a queue', () => {
  test('that BullMQ pauses gives our worker nothing, until it is resumed', async () => {
    await stock.pause();
    for (const number of [1, 2, 3]) await queue.add(jobOf(number), redisTime());
    const { starts, started } = runOurs(done);
    const { taken } = await runTurn(redis, { endings: [], take: 10, lock: 'paused' });
    expect([taken, starts]).toEqual([[], []]);
    await stock.resume();
    await started(3);
  });

  test('with a most of jobs in work gives no more', async () => {
    await stock.setGlobalConcurrency(2);
    for (const number of [1, 2, 3]) await queue.add(jobOf(number), redisTime());
    const { taken } = await runTurn(redis, { endings: [], take: 10, lock: 'most' });
    expect(Array.isArray(taken) && taken.map(([id]) => id)).toEqual([idOf(1), idOf(2)]);
  });
});

describe('a worker that is lost', () => {
  test('loses our job to BullMQ, which counts it', async () => {
    await queue.add(jobOf(1), redisTime());
    await runTurn(redis, { endings: [], take: 1, lock: 'lost' });
    await server.client.del(`${queueKeys.job(idOf(1))}:lock`);
    const back = new Promise<number>((resolve) => {
      runStock().on('completed', (job) => resolve(job.stalledCounter));
    });
    expect(await back).toBe(1);
  });

  test("loses BullMQ's job to us, and may not finish it any more", async () => {
    await addStock(1);
    const lost = Promise.withResolvers<void>();
    const worker = runStock(() => lost.promise);
    const errors: string[] = [];
    worker.on('error', ({ message }) => errors.push(message));
    await until(async () => (await queue.counts()).active === 1);
    await server.client.del(`${queueKeys.job(idOf(1))}:lock`);
    const { started, runner } = runOurs(handBack);
    expect(await started(1)).toMatchObject({ number: 2, losses: 1 });
    lost.resolve();
    await until(() => Promise.resolve(errors.length > 0));
    expect(await queue.counts()).toMatchObject({ active: 1 });
    await runner.stop(0);
  });
});

test('jobs that are made again and again among many others keep no worker from its work', async () => {
  const count = 60;
  const finished = new Set<string>();
  const { promise, resolve } = Promise.withResolvers<void>();
  runOurs(async ({ job, attempt }) => {
    if (attempt < 4) return { kind: 'again', delayMs: Number(job.id.at(-1)) };
    if (finished.add(job.id).size === count) resolve();
    return { kind: 'done' };
  }, 7);
  for (let number = 1; number <= count; number++) await queue.add(jobOf(number), redisTime());
  await promise;
  await isEmpty();
  expect(await queue.counts()).toEqual(NOTHING);
});
