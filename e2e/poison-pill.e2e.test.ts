import { expect, test } from '@jest/globals';
import { GENERATION_JOB } from '@lontar/shared/generation-job.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import { ask, expectSuccess, type Reply } from './harness/client.ts';
import type { Service } from './harness/service.ts';
import { type Stack, startStack } from './harness/stack.ts';

const POISON = 'poison';
const GIVEN_UP = 'a job was given up: each worker that had it died or went silent (a poison pill)';

interface Fixture {
  readonly stack: Stack;
  generate(prompt: string): Promise<Reply>;
  charged(): Promise<number>;
  callsOf(prompt: string): readonly unknown[];
}

/** A test on a stack of its own, two at a time: most of their time is waiting for locks to end. */
function onStack(name: string, run: (fixture: Fixture) => Promise<void>): void {
  test.concurrent(name, async () => {
    const stack = await startStack({ durable: true, workers: 0, settings: { REQUEST_TIMEOUT_MS: '120000' } });
    try {
      const { id, key } = await stack.createKey('--credits', '1000');
      await run({
        stack,
        generate: (prompt) => ask(stack.url, '/api/ai', { query: { prompt }, headers: { 'x-api-key': key } }),
        charged: async () => Number(await stack.redis.client.hget(redisKeys.apiKey(id), 'charged')),
        callsOf: (prompt) => stack.upstream.calls.filter((call) => call.prompt === prompt),
      });
    } finally {
      await stack.stop();
    }
  }, 180_000);
}

/** The worker that was started last: it may call the model before its start is known here. */
function latestOf({ workers }: Stack): Service {
  const latest = workers.at(-1);
  if (latest === undefined) throw new Error('no worker was started');
  return latest;
}

async function givenUpBy(stack: Stack, worker: Service): Promise<string> {
  const { instance } = await worker.logged('the worker takes jobs');
  const metrics = await (await fetch((await stack.metricsUrlOf(String(instance))) ?? '')).text();
  return /^queue_jobs_given_up_total\{.*poison_pill.*\} (\d+)$/m.exec(metrics)?.[1] ?? '';
}

onStack(
  'a prompt that three workers died of is given up before the fourth; those beside it are answered',
  async ({ stack, generate, charged, callsOf }) => {
    const innocent = Array.from({ length: 12 }, (_, index) => `innocent ${index}`);
    await stack.startWorker();
    // Whichever worker asks about it dies, and with it everything that the worker has in work.
    stack.upstream.behave(async (call) => {
      if (call.prompt !== POISON) return { kind: 'answer', text: `to ${call.prompt}`, delayMs: 400 };
      await latestOf(stack).end('SIGKILL');
      await stack.startWorker();
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
    const worker = latestOf(stack);
    expect(await worker.logged(GIVEN_UP)).toMatchObject({ requestId: refused.headers['x-request-id'], deaths: 3 });
    expect(await givenUpBy(stack, worker)).toBe('1');
    expect(worker.process.exitCode).toBeNull();
  },
);

onStack('a worker that goes silent and comes back counts as one that died', async ({ stack, generate, callsOf }) => {
  let worker = await stack.startWorker();
  // Whichever worker asks about it goes silent at that moment.
  stack.upstream.behave(async ({ prompt }) => {
    if (prompt !== POISON) return { kind: 'answer', text: 'fine' };
    worker.process.kill('SIGSTOP');
    worker = await stack.startWorker();
    return 'hang';
  });
  const poisoned = generate(POISON);
  expect(await poisoned).toMatchObject({ status: 500, body: { error: 'Internal error' } });
  // The silent ones come back, and change nothing.
  for (const { process } of stack.workers) process.kill('SIGCONT');
  expect(expectSuccess(await generate('next'))).toBe('fine');
  expect(callsOf(POISON)).toHaveLength(GENERATION_JOB.deathsAtMost);
  expect(worker.process.exitCode).toBeNull();
  // Its connection stays: its locks have to end first.
  expect(stack.logs()).not.toContain('a worker that is gone');
});

onStack(
  'workers that are stopped on purpose, one after the other, use up no attempt of the job that they have',
  async ({ stack, generate, charged, callsOf }) => {
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
  },
);
