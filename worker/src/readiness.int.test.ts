import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { holdQueue } from '@lontar/shared/admin/hold-queue.ts';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import { type GenerationQueue, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { createCatalog } from '@lontar/shared/models/catalog.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { connectFailFast } from '@lontar/shared/redis-connection.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { judgeReadiness, longestStartMs, type WorkerCondition } from './readiness.ts';

const TESTER = { by: 'cli', id: 'tester' } as const;

const LONGEST_START_MS = 60_000;
const clock = { now: () => redisTime(), stop: () => undefined };

let server: TestRedis;
let redis: ReturnType<typeof connectFailFast>;
let queue: GenerationQueue;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  queue = openGenerationQueue(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(() => server.client.flushall());

/** A worker that has done nothing for a minute, with slots free. */
function idle(part: Partial<WorkerCondition> = {}): WorkerCondition {
  const minuteAgo = later(redisTime(), -60_000);
  const startedAt = later(minuteAgo, -3_600_000);
  return { id: 'w', startedAt, lastProgressAt: minuteAgo, inFlight: 0, slots: 4, draining: false, ...part };
}

const judge = (worker: WorkerCondition) =>
  judgeReadiness({ redis, clock, queue, worker, longestStartMs: LONGEST_START_MS });

/** Puts a job into the queue that has waited for this long; no worker runs here to take it. */
async function addJob(waitedMs: number): Promise<void> {
  const id = 'req_0000000000000000000001';
  const job: GenerationJob = {
    v: 1,
    id,
    endpoint: '/api/ai',
    prompt: 'hi',
    model: 'ai-2.5-flash',
    temperature: 0.7,
    maxOutputTokens: 10,
    keyId: 'k',
    gateway: 'g',
    receivedAt: later(redisTime(), -waitedMs),
    deadlineAt: later(redisTime(), 60_000),
  };
  await queue.add(job, later(redisTime(), -waitedMs));
}

test('a worker without work is ready, however long it has had none', async () => {
  expect(await judge(idle())).toEqual({ ready: true });
  await addJob(10);
  expect(await judge(idle())).toEqual({ ready: true });
});

test('a worker that leaves jobs waiting while it has free slots is not', async () => {
  await addJob(30_000);
  expect(await judge(idle())).toEqual({
    ready: false,
    reason: expect.stringMatching(/^no progress for 3\d s while 1 /),
  });
  expect(await judge(idle({ lastProgressAt: redisTime() }))).toEqual({ ready: true });
  expect(await judge(idle({ inFlight: 4 }))).toEqual({ ready: true });
});

test('a worker whose slots are all taken has as long as a model attempt may take', async () => {
  await addJob(LONGEST_START_MS + 30_000);
  const longAgo = later(redisTime(), -LONGEST_START_MS - 30_000);
  expect((await judge(idle({ inFlight: 4, lastProgressAt: longAgo }))).ready).toBe(false);
});

test('jobs that the operator holds back say nothing against a worker', async () => {
  await addJob(30_000);
  await holdQueue(redis, 'pause', TESTER);
  expect(await judge(idle())).toEqual({ ready: true });
  await holdQueue(redis, 'resume', TESTER);
  expect((await judge(idle())).ready).toBe(false);
});

test('a worker that is about to stop is not ready', async () => {
  expect(await judge(idle({ draining: true }))).toEqual({ ready: false, reason: 'draining' });
});

test('a start may take as long as its longest call, and another one where there is another route', () => {
  const deadlines = { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 60_000 };
  const route = { upstream: 'a', model: 'x', weight: 1, order: 1 };
  const model = (name: string, routes: number, totalMs: number) => ({
    name,
    aliases: [],
    routes: Array.from({ length: routes }, () => route),
    deadlines: { ...deadlines, totalMs },
  });
  const catalogOf = (...models: ReturnType<typeof model>[]) => createCatalog('file', [], models);
  expect(longestStartMs(catalogOf(model('m', 1, 60_000)))).toBe(60_000);
  expect(longestStartMs(catalogOf(model('m', 1, 60_000), model('n', 2, 40_000)))).toBe(80_000);
  expect(longestStartMs(catalogOf(model('m', 1, 3_600_000)))).toBe(300_000);
});
