import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { jobKeys } from '@lontar/shared/generation-queue.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import { JOB_LOCK_MS, STALLED_CHECK_MS, WORKER_GONE_MS } from '@lontar/shared/time-budget.ts';
import { ask, expectSuccess } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import type { Service } from './harness/service.ts';
import { type Stack, startStack } from './harness/stack.ts';

const TAKEN_BACK = 'jobs were taken back from a worker that is gone';
const JOBS = 8;

let stack: Stack;
let key: { id: string; key: string };
let round = 0;

beforeAll(async () => {
  stack = await startStack({ workers: 2, settings: { REQUEST_TIMEOUT_MS: '60000' } });
  key = await stack.createKey('--credits', '1000');
});
afterAll(() => stack.stop());

interface Held {
  /** Lets the model answer. */
  release(): void;
  /** How often the model was asked for each request, those that are asked again answered at once. */
  asked(): number[];
  /** Resolves once every request has its answer, each charged once. */
  answered(): Promise<void>;
}

/** Requests that workers have in work, because the model does not answer before `release`. */
async function holdJobs(): Promise<Held> {
  const prompts = Array.from({ length: JOBS }, (_, index) => `round ${round} number ${index}`);
  round++;
  const released = Promise.withResolvers<void>();
  const countOf = (prompt: string) => stack.upstream.calls.filter((call) => call.prompt === prompt).length;
  stack.upstream.behave(async ({ prompt }) => {
    if (countOf(prompt) === 1) await released.promise;
    return { kind: 'answer', text: `to ${prompt}` };
  });
  const chargedBefore = await charged();
  const replies = prompts.map((prompt) =>
    ask(stack.url, '/api/ai', { query: { prompt }, headers: { 'x-api-key': key.key } }),
  );
  const asked = () => prompts.map(countOf);
  await until(() => Promise.resolve(asked().every((count) => count === 1)));
  return {
    release: released.resolve,
    asked,
    async answered() {
      for (const [index, reply] of replies.entries()) expect(expectSuccess(await reply)).toBe(`to ${prompts[index]}`);
      expect((await charged()) - chargedBefore).toBe(JOBS);
      expect(await countReservations(stack.redis.client)).toBe(0);
      expect(await stack.redis.client.llen(queueKeys.active)).toBe(0);
    },
  };
}

const charged = async () => Number(await stack.redis.client.hget(redisKeys.apiKey(key.id), 'charged'));
const instanceOf = async (worker: Service) => String((await worker.logged('the worker takes jobs'))['instance']);

/** Request ids of the jobs that a worker has in work. */
async function jobsOf(worker: Service): Promise<string[]> {
  const { client } = stack.redis;
  const name = await instanceOf(worker);
  const active = await client.lrange(queueKeys.active, 0, -1);
  const locks = await Promise.all(active.map((requestId) => client.get(jobKeys(requestId).lock)));
  return active.filter((_, index) => locks[index]?.startsWith(`${name}:`));
}

/** The workers, the one with the most jobs first: the one that dies must have some. */
async function busiestFirst(): Promise<{ readonly busiest: Service; readonly other: Service }> {
  const [a, b] = stack.workers.slice(-2) as [Service, Service];
  const [ofA, ofB] = await Promise.all([jobsOf(a), jobsOf(b)]);
  return ofA.length >= ofB.length ? { busiest: a, other: b } : { busiest: b, other: a };
}

test('a worker whose connections are cut makes new ones, and keeps its jobs', async () => {
  const held = await holdJobs();
  const { client } = stack.redis;
  for (const type of ['pubsub', 'normal'] as const) await client.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
  // Longer than a worker that is gone is unheard before its jobs are taken back.
  await delay(2 * WORKER_GONE_MS);
  held.release();
  await held.answered();
  expect(held.asked()).toEqual(Array.from({ length: JOBS }, () => 1));
  expect(stack.logs()).not.toContain(TAKEN_BACK);
});

test('while Redis stands still past the end of every lock, no worker loses a job', async () => {
  const held = await holdJobs();
  const redis = stack.redis.process();
  redis.kill('SIGSTOP');
  await delay(JOB_LOCK_MS + 500);
  redis.kill('SIGCONT');
  // Workers make new connections, and all of them look for lost jobs, twice.
  await delay(WORKER_GONE_MS + 2 * STALLED_CHECK_MS);
  held.release();
  await held.answered();
  expect(held.asked()).toEqual(Array.from({ length: JOBS }, () => 1));
  expect(stack.logs()).not.toContain(TAKEN_BACK);
  expect(stack.logs()).not.toContain('a job was taken back from a worker that stopped working');
});

test('a worker that is killed loses its jobs to another one while their locks last; each counts one death', async () => {
  const held = await holdJobs();
  const { client } = stack.redis;
  const { busiest, other } = await busiestFirst();
  const [lost, kept] = await Promise.all([jobsOf(busiest), jobsOf(other)]);
  await busiest.end('SIGKILL');
  const line = await other.logged(TAKEN_BACK);
  expect(line).toMatchObject({ worker: await instanceOf(busiest), jobs: lost.length });
  await until(async () => (await countReservations(client)) === kept.length);
  held.release();
  await held.answered();
  expect(held.asked().reduce((sum, count) => sum + count)).toBe(JOBS + lost.length);
  const noted = (requestId: string) => client.hmget(redisKeys.request(requestId), 'deaths', 'losses');
  for (const requestId of lost) expect(await noted(requestId)).toEqual(['1', '1']);
  for (const requestId of kept) expect(await noted(requestId)).toEqual([null, null]);
});

test('a worker that is started when the only one was killed takes its jobs over', async () => {
  const held = await holdJobs();
  const { busiest } = await busiestFirst();
  await busiest.end('SIGKILL');
  const next = await stack.startWorker();
  expect(await next.logged(TAKEN_BACK)).toMatchObject({ worker: await instanceOf(busiest), jobs: JOBS });
  await held.answered();
  expect(held.asked()).toEqual(Array.from({ length: JOBS }, () => 2));
});

test('a worker that stops is not listed any more', async () => {
  const [worker] = stack.workers.slice(-1) as [Service];
  const name = await instanceOf(worker);
  expect(await stack.redis.client.hexists(redisKeys.workers, name)).toBe(1);
  expect(await worker.end('SIGTERM')).toBe(0);
  expect(await stack.redis.client.exists(redisKeys.workers)).toBe(0);
});
