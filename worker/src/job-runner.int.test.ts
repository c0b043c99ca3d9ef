import { EventEmitter, once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import { type GenerationQueue, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { type JobEnd, type JobRunner, type JobStart, startJobRunner } from './job-runner.ts';

const requestId = 'req_0000000000000000000001';

let server: TestRedis;
let redis: Redis;
let queue: GenerationQueue;
let runners: JobRunner[];

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.client.flushall();
  redis = connectPatient(server.url, 'test');
  await redis.connect();
  queue = openGenerationQueue(redis, () => undefined);
  runners = [];
});
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.stop(0)));
  await queue.close();
  redis.disconnect();
});

function run(process: (start: JobStart) => Promise<JobEnd>, concurrency = 1): JobRunner {
  const runner = startJobRunner({
    redis,
    clock: { now: () => redisTime(), stop: () => undefined },
    concurrency,
    logger: createLogger('test', 'silent'),
    process,
    onGivenUp: () => Promise.resolve(),
    onStalled: () => undefined,
  });
  runners.push(runner);
  return runner;
}

async function add(id: string): Promise<void> {
  const now = redisTime();
  const job: GenerationJob = {
    ...{ v: 1, id, endpoint: '/api/ai', prompt: 'hi', model: 'ai-2.5-flash', temperature: 1, maxOutputTokens: 9 },
    ...{ keyId: 'k', gateway: 'g', receivedAt: now, deadlineAt: later(now, 60_000) },
  };
  await queue.add(job, redisTime());
}

const handBack = ({ signal }: JobStart) =>
  new Promise<JobEnd>((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'handed back' }), { once: true });
  });

test('a job that stopping workers hand back uses up no attempt, counts as no loss, and comes first', async () => {
  const stops = GENERATION_JOB.attempts + 1;
  await add(requestId);
  for (let stop = 1; stop <= stops; stop++) {
    const begun = Promise.withResolvers<JobStart>();
    const runner = run((start) => {
      begun.resolve(start);
      return handBack(start);
    });
    expect(await begun.promise).toMatchObject({ number: stop, attempt: 1, losses: 0 });
    if (stop === 1) await add('req_0000000000000000000002');
    await runner.stop(0);
    expect(await queue.counts()).toEqual({ waiting: 2, active: 0, delayed: 0, failed: 0 });
  }
  const order: JobStart[] = [];
  const both = Promise.withResolvers<void>();
  run((start) => {
    if (order.push(start) === 2) both.resolve();
    return Promise.resolve({ kind: 'done' });
  });
  await both.promise;
  expect(order).toMatchObject([
    { job: { id: requestId }, number: stops + 1, attempt: 1, losses: 0 },
    { job: { id: 'req_0000000000000000000002' }, number: 1 },
  ]);
});

test('a job whose caller left before it began is processed with a signal that says so: this worker has to settle it', async () => {
  const begun = Promise.withResolvers<JobStart>();
  const runner = run((start) => {
    begun.resolve(start);
    return Promise.resolve({ kind: 'done' });
  });
  runner.cancel(requestId);
  await add(requestId);
  const { signal } = await begun.promise;
  expect([signal.aborted, signal.reason]).toEqual([true, 'cancelled']);
});

test('takes more jobs while some of those in work only wait', async () => {
  const ends: (() => void)[] = [];
  const begun = new EventEmitter();
  const runner = run(
    () =>
      new Promise((resolve) => {
        ends.push(() => resolve({ kind: 'done' }));
        begun.emit('job');
      }),
    2,
  );
  for (const digit of [1, 2, 3, 4]) await add(`req_000000000000000000000${digit}`);
  while (ends.length < 2) await once(begun, 'job');
  runner.allowMore(1);
  ends[1]?.();
  while (ends.length < 4) await once(begun, 'job');
  expect(runner.active).toBe(3);
  for (const end of ends) end();
});
