import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addressBits } from '@lontar/shared/address.ts';
import { GENERATION_JOB, type GenerationJob, writeJobToAdmit } from '@lontar/shared/generation-job.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { connectPatient } from '@lontar/shared/redis-connection.ts';
import { QUEUE_PREFIX, redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { Queue } from 'bullmq';
import { admit } from '../gateway/src/admission/admit.ts';
import { startJobRunner } from '../worker/src/job-runner.ts';
import type { JobEnd, JobStart } from '../worker/src/job-start.ts';

const BASE = '/board';
const DELAY_MS = 3_600_000;
const rules = { perHour: 1_000, banAfterBadKeys: 20, maxWaiting: 1_000, reservationMs: 60_000 };

let url: string;
let stock: Queue;
const stops: (() => unknown)[] = [];

beforeAll(async () => {
  const server = await startTestRedis();
  const redis = connectPatient(server.url, 'test');
  await redis.connect();
  stock = new Queue(GENERATION_JOB.queue, { connection: redis, prefix: QUEUE_PREFIX });
  const adapter = new ExpressAdapter().setBasePath(BASE);
  createBullBoard({ queues: [new BullMQAdapter(stock)], serverAdapter: adapter });
  const board = createServer(adapter.getRouter()).listen(0, '127.0.0.1');
  await once(board, 'listening');
  url = `http://127.0.0.1:${(board.address() as AddressInfo).port}`;
  stops.push(() => server.stop());
  stops.push(() => redis.disconnect());
  stops.push(() => stock.close());
  stops.push(() => board.close());

  // One that is made again later, one in work, two that wait: in the order in which they are admitted.
  await server.client.hset(redisKeys.apiKey('k'), { id: 'k', hash: 'h', state: 'active', name: 'n' });
  for (const number of [1, 2, 3, 4]) {
    const job = jobOf(number);
    const { decision } = await admit(redis, rules, {
      ...{ mode: 'generate', requestId: job.id, address: '192.0.2.1', addressBits: addressBits('192.0.2.1') ?? '' },
      ...{ key: { id: 'k', hash: 'h' }, model: job.model, job: writeJobToAdmit(job) },
    });
    expect(decision).toBe('admitted');
  }
  const secondStarted = Promise.withResolvers<void>();
  const runner = startJobRunner({
    name: 'worker-of-this-test',
    redis,
    clock: { now: redisTime, stop: () => undefined },
    concurrency: 1,
    logger: createLogger('test', 'silent'),
    process: ({ job, signal }: JobStart) => {
      if (job.id === idOf(1)) return Promise.resolve<JobEnd>({ kind: 'again', delayMs: DELAY_MS });
      secondStarted.resolve();
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'handed back' }), { once: true });
      });
    },
    onGivenUp: () => Promise.resolve(),
    onStalled: () => undefined,
    untilSteady: () => Promise.resolve(),
  });
  stops.push(() => runner.stop(0));
  await secondStarted.promise;
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

const idOf = (number: number) => `req_${String(number).padStart(22, '0')}`;

function jobOf(number: number): GenerationJob {
  const now = redisTime();
  return {
    ...{ v: 1, id: idOf(number), endpoint: '/api/ai', prompt: `prompt ${number}`, model: 'ai-2.5-flash' },
    ...{
      temperature: 1,
      maxOutputTokens: 9,
      keyId: 'k',
      gateway: 'g',
      receivedAt: now,
      deadlineAt: later(now, 60_000),
    },
  };
}

interface BoardJob {
  readonly id: string;
  readonly name: string;
  readonly attempts: number;
  readonly delay: number;
  readonly data: GenerationJob;
}

/** What the page of Bull Board asks for when a state is looked at. */
async function look(status: string) {
  const response = await fetch(`${url}/api/queues?activeQueue=${GENERATION_JOB.queue}&status=${status}`);
  const { queues } = (await response.json()) as {
    queues: { name: string; isPaused: boolean; counts: Record<string, number>; jobs: BoardJob[] }[];
  };
  const [queue] = queues;
  if (queue === undefined || queues.length > 1) throw new Error('one queue');
  return queue;
}

test('Bull Board counts the jobs that admission has added and our worker has taken, as BullMQ does', async () => {
  const { name, isPaused, counts } = await look('latest');
  expect({ name, isPaused }).toEqual({ name: GENERATION_JOB.queue, isPaused: false });
  expect(counts).toMatchObject({ waiting: 2, active: 1, delayed: 1, completed: 0, failed: 0 });
  expect(counts).toMatchObject(await stock.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed'));
});

test.each([
  ['waiting', [3, 4], { attempts: 0, delay: 0 }],
  ['active', [2], { attempts: 0, delay: 0 }],
  ['delayed', [1], { attempts: 1, delay: DELAY_MS }],
] as const)('Bull Board lists those that are %s, with their data', async (status, numbers, fields) => {
  const { jobs } = await look(status);
  expect(jobs.map(({ id }) => id).toSorted()).toEqual(numbers.map(idOf));
  for (const { id, name, attempts, delay, data } of jobs) {
    expect({ name, attempts, delay }).toEqual({ name: GENERATION_JOB.name, ...fields });
    expect(data).toMatchObject({ id, prompt: `prompt ${Number(id.slice('req_'.length))}`, maxOutputTokens: 9 });
  }
});

test('Bull Board finds one by its id, in the state that it is in', async () => {
  const found = await fetch(`${url}/api/queues/${GENERATION_JOB.queue}/${idOf(2)}`);
  expect(await found.json()).toMatchObject({ status: 'active', job: { id: idOf(2), data: { prompt: 'prompt 2' } } });
});
