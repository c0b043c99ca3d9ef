import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import { type GenerationQueue, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { runTurn } from '@lontar/shared/settlement/turn.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { startTcpProxy, type TcpProxy } from '@lontar/shared/testing/tcp-proxy.ts';
import { startJobRunner } from './job-runner.ts';
import type { JobEnd, JobRunner, JobStart } from './job-start.ts';

let server: TestRedis;
let proxy: TcpProxy;
let redis: Redis;
let queue: GenerationQueue;
let runner: JobRunner | undefined;

beforeAll(async () => {
  server = await startTestRedis();
  proxy = await startTcpProxy(server.port);
  queue = openGenerationQueue(server.client);
  // So that Redis knows the script, and a take is one piece.
  await runTurn(server.client, { endings: [], take: 1, lock: 'none' });
});
afterAll(async () => {
  await proxy.stop();
  await server.stop();
});
beforeEach(async () => {
  // The server stays met: no script is sent to one whose time is not known.
  const keys = (await server.client.keys('*')).filter((key) => key !== redisKeys.clock);
  if (keys.length > 0) await server.client.del(keys);
  redis = connectPatient(`redis://127.0.0.1:${proxy.port}`, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
});
afterEach(async () => {
  proxy.intercept(() => 'pass');
  await runner?.stop(0);
  redis.disconnect();
});

const idOf = (number: number) => `req_${String(number).padStart(22, '0')}`;

async function enqueue(number: number): Promise<void> {
  const now = redisTime();
  const job: GenerationJob = {
    ...{ v: 1, id: idOf(number), endpoint: '/api/ai', prompt: 'hi', model: 'ai-2.5-flash', temperature: 1 },
    ...{ maxOutputTokens: 9, keyId: 'k', gateway: 'g', receivedAt: now, deadlineAt: later(now, 60_000) },
  };
  await queue.add(job, now);
}

function run(process: (start: JobStart) => Promise<JobEnd>, concurrency = 50): void {
  runner = startJobRunner({
    name: 'w',
    redis,
    clock: { now: redisTime, stop: () => undefined },
    concurrency,
    logger: createLogger('test', 'silent'),
    process,
    onGivenUp: () => Promise.resolve(),
    onStalled: () => undefined,
    untilSteady: () => Promise.resolve(),
  });
}

/** The next piece by which a worker waits for jobs and takes them. */
function nextWait(verdict: 'pass' | 'cut after' | 'cut before'): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  proxy.intercept((piece) => {
    if (!piece.includes('bzpopmin') || !piece.includes('w:')) return 'pass';
    proxy.intercept(() => 'pass');
    resolve(piece.toString('latin1'));
    return verdict;
  });
  return promise;
}

test('a worker that waits asks for the next job in the same piece, and the job is taken without another question', async () => {
  const waits = nextWait('pass');
  const starts: JobStart[] = [];
  const begun = Promise.withResolvers<void>();
  run((start) => {
    starts.push(start);
    begun.resolve();
    return new Promise((resolve) => {
      start.signal.addEventListener('abort', () => resolve({ kind: 'handed back' }), { once: true });
    });
  });
  const piece = await waits;
  const lock = /w:\d+/.exec(piece)?.[0];
  expect(lock).toBeDefined();
  await enqueue(1);
  await begun.promise;
  expect(await server.client.get(`${queueKeys.job(idOf(1))}:lock`)).toBe(lock);
  expect(starts).toMatchObject([{ number: 1, losses: 0 }]);
});

test.each(['cut after', 'cut before'] as const)(
  'jobs that come while the wait is lost (%s) are each run once, and none counts as lost',
  async (verdict) => {
    const cut = nextWait(verdict);
    const starts: JobStart[] = [];
    const all = Promise.withResolvers<void>();
    run((start) => {
      if (starts.push(start) === 20) all.resolve();
      return Promise.resolve({ kind: 'done' });
    });
    for (let number = 1; number <= 10; number++) await enqueue(number);
    await cut;
    for (let number = 11; number <= 20; number++) await enqueue(number);
    await all.promise;
    expect(starts.map(({ job }) => job.id).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => idOf(index + 1)),
    );
    expect(starts.every(({ number, losses }) => number === 1 && losses === 0)).toBe(true);
  },
);

test('a worker that stops while it waits leaves no job behind, whatever comes at that moment', async () => {
  for (let round = 1; round <= 6; round++) {
    const waits = nextWait('pass');
    run(() => Promise.resolve({ kind: 'done' }));
    await waits;
    const stopped = runner?.stop(0);
    await enqueue(round);
    await stopped;
    runner = undefined;
    // It was run, or it waits for another worker; no lock is left of a take that nobody has heard of.
    expect(await server.client.lrange(queueKeys.active, 0, -1)).toEqual([]);
  }
});

test('jobs beyond those that are taken ahead are taken at once', async () => {
  const waits = nextWait('pass');
  const started = new Set<string>();
  const all = Promise.withResolvers<void>();
  run(({ job, signal }) => {
    if (started.add(job.id).size === 30) all.resolve();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ kind: 'handed back' }), { once: true });
    });
  });
  await waits;
  await Promise.all(Array.from({ length: 30 }, (_, index) => enqueue(index + 1)));
  await all.promise;
  expect(started.size).toBe(30);
});

test('a delayed job is started when it is due, also where its marker has ended a wait', async () => {
  const waits = nextWait('pass');
  const attempts: number[] = [];
  const again = Promise.withResolvers<void>();
  run(({ attempt }) => {
    attempts.push(attempt);
    if (attempt === 1) return Promise.resolve({ kind: 'again', delayMs: 300 });
    again.resolve();
    return Promise.resolve({ kind: 'done' });
  });
  await waits;
  await enqueue(1);
  await again.promise;
  expect(attempts).toEqual([1, 2]);
});

test('a wait whose connection was ended by Redis goes on, with a take behind it again', async () => {
  const first = nextWait('pass');
  const started = Promise.withResolvers<string>();
  run(({ job }) => {
    started.resolve(job.id);
    return Promise.resolve({ kind: 'done' });
  });
  await first;
  const isAgain = nextWait('pass');
  await server.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  if (redis.status !== 'ready') await once(redis, 'ready');
  await isAgain;
  await enqueue(1);
  expect(await started.promise).toBe(idOf(1));
});
