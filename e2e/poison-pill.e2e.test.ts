import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { GENERATION_JOB } from '@lontar/shared/generation-job.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import { ask, expectSuccess } from './harness/client.ts';
import type { Service } from './harness/service.ts';
import { type Stack, startStack } from './harness/stack.ts';

const POISON = 'poison';
const GIVEN_UP = 'a job was given up: each worker that had it died or went silent (a poison pill)';

let stack: Stack;
let key: { id: string; key: string };

beforeEach(async () => {
  stack = await startStack({ durable: true, workers: 0, settings: { REQUEST_TIMEOUT_MS: '120000' } });
  key = await stack.createKey('--credits', '1000');
}, 60_000);
afterEach(() => stack.stop());

const generate = (prompt: string) =>
  ask(stack.url, '/api/ai', { query: { prompt }, headers: { 'x-api-key': key.key } });
const charged = async () => Number(await stack.redis.client.hget(redisKeys.apiKey(key.id), 'charged'));
const callsOf = (prompt: string) => stack.upstream.calls.filter((call) => call.prompt === prompt);

async function givenUpBy(worker: Service): Promise<string> {
  const { instance } = await worker.logged('the worker takes jobs');
  const metrics = await (await fetch((await stack.metricsUrlOf(String(instance))) ?? '')).text();
  return /^queue_jobs_given_up_total\{.*poison_pill.*\} (\d+)$/m.exec(metrics)?.[1] ?? '';
}

test('a prompt that three workers died of is given up before the fourth; those beside it are answered', async () => {
  const innocent = Array.from({ length: 12 }, (_, index) => `innocent ${index}`);
  let worker = await stack.startWorker();
  // Whichever worker asks about it dies, and with it everything that the worker has in work.
  stack.upstream.behave(async (call) => {
    if (call.prompt !== POISON) return { kind: 'answer', text: `to ${call.prompt}`, delayMs: 400 };
    await worker.end('SIGKILL');
    worker = await stack.startWorker();
    return 'hang';
  });
  const answers = innocent.map((prompt) => generate(prompt));
  const poisoned = generate(POISON);

  const refused = await poisoned;
  expect(refused).toMatchObject({ status: 500, body: { error: 'Internal error' } });
  expect(refused.body['message']).toMatch(/The request was not charged\.$/);
  for (const [index, answer] of answers.entries()) {
    expect(expectSuccess(await answer)).toBe(`to ${innocent[index]}`);
  }
  expect(callsOf(POISON)).toHaveLength(GENERATION_JOB.deathsAtMost);
  expect(await charged()).toBe(innocent.length);
  expect(await countReservations(stack.redis.client)).toBe(0);
  expect(await worker.logged(GIVEN_UP)).toMatchObject({ requestId: refused.headers['x-request-id'], deaths: 3 });
  expect(await givenUpBy(worker)).toBe('1');
  expect(worker.process.exitCode).toBeNull();
}, 180_000);

test('a worker that goes silent and comes back counts as one that died', async () => {
  stack.upstream.behave(({ prompt }) => (prompt === POISON ? 'hang' : { kind: 'answer', text: 'fine' }));
  const poisoned = generate(POISON);
  for (let death = 0; death < GENERATION_JOB.deathsAtMost; death++) {
    const silent = await stack.startWorker();
    await stack.upstream.nextCall();
    silent.process.kill('SIGSTOP');
  }
  const last = await stack.startWorker();
  expect(await poisoned).toMatchObject({ status: 500, body: { error: 'Internal error' } });
  expect(expectSuccess(await generate('next'))).toBe('fine');
  expect(callsOf(POISON)).toHaveLength(GENERATION_JOB.deathsAtMost);
  expect(last.process.exitCode).toBeNull();
}, 180_000);

test('workers that are stopped on purpose, one after the other, use up no attempt of the job that they have', async () => {
  const settings = { DRAIN_TIMEOUT_MS: '2000' };
  const stops = GENERATION_JOB.attempts + 1;
  stack.upstream.queue(...Array.from({ length: stops }, () => 'hang' as const));
  const answer = generate('patience');
  for (let stop = 0; stop < stops; stop++) {
    const worker = await stack.startWorker({ settings });
    await stack.upstream.nextCall();
    expect(await worker.end('SIGTERM')).toBe(0);
  }
  await stack.startWorker();
  expectSuccess(await answer);
  expect(callsOf('patience')).toHaveLength(stops + 1);
  expect(await charged()).toBe(1);
}, 120_000);
