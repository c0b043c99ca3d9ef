import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import { type GenerationQueue, jobKeys, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { later, readRedisTime } from '@lontar/shared/redis-clock.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { QUEUE_PREFIX } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { type JobEnd, type JobRunner, type JobStart, startJobRunner } from './job-runner.ts';

/**
 * The canary of shared/src/patches/queue-time.ts: what the queue of a worker reckons by, on a machine whose clock is an
 * hour away. It fails where BullMQ gives its scripts the time in another place, or compares other times with its clock.
 */

const DELAYED_JOBS = `${QUEUE_PREFIX}:generation:delayed`;
const RETRY_MS = 200;
const HOUR_MS = 3_600_000;

const [first, second] = ['req_0000000000000000000001', 'req_0000000000000000000002'] as const;
const ownNow = Date.now;
const clock = { now: () => redisTime(ownNow()), stop: () => undefined };

let server: TestRedis;
let redis: Redis;
let queue: GenerationQueue;
let runner: JobRunner | undefined;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.client.flushall();
  redis = connectPatient(server.url, 'test');
  await redis.connect();
  queue = openGenerationQueue(redis, () => undefined);
});
afterEach(async () => {
  await runner?.stop(0);
  jest.restoreAllMocks();
  await queue.close();
  redis.disconnect();
});

function run(process: (start: JobStart) => Promise<JobEnd>): void {
  runner = startJobRunner({
    ...{ redis, clock, concurrency: 1, logger: createLogger('test', 'silent'), process },
    ...{ onGivenUp: () => Promise.resolve(), onStalled: () => undefined },
  });
}

async function add(id: string): Promise<void> {
  const now = clock.now();
  const job: GenerationJob = {
    ...{ v: 1, id, endpoint: '/api/ai', prompt: 'hi', model: 'ai-2.5-flash', temperature: 1, maxOutputTokens: 9 },
    ...{ keyId: 'k', gateway: 'g', receivedAt: now, deadlineAt: later(now, 60_000) },
  };
  await queue.add(job, now);
}

/** How far a moment that the queue has noted is from Redis's own time, ms. */
async function distanceMs(noted: number): Promise<number> {
  return Math.abs(noted - (await readRedisTime(server.client)));
}

describe.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])('on a machine whose clock is an hour %s', (_, skewMs) => {
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockImplementation(() => ownNow() + skewMs);
  });

  test('jobs are started, and started by the end of another one, at moments of Redis', async () => {
    await add(first);
    await add(second);
    const both = Promise.withResolvers<void>();
    const noted: number[] = [];
    run(async ({ job }) => {
      noted.push(Number(await server.client.hget(jobKeys(job.id).job, 'processedOn')));
      if (job.id === second) both.resolve();
      return { kind: 'done' };
    });
    await both.promise;
    for (const at of noted) expect(await distanceMs(at)).toBeLessThan(HOUR_MS / 2);
  });

  test('a job that comes again is delayed by Redis, and nobody asks for it all the time meanwhile', async () => {
    await add(first);
    const again = Promise.withResolvers<void>();
    run(async ({ attempt }) => {
      if (attempt === 1) return { kind: 'again', delayMs: RETRY_MS };
      again.resolve();
      return { kind: 'done' };
    });
    let due: string[] = [];
    while (due.length === 0) due = await server.client.zrange(DELAYED_JOBS, '0', '-1', 'WITHSCORES');
    expect(await distanceMs(Number(due[1]) / 0x1000)).toBeLessThan(HOUR_MS / 2);
    await server.client.config('RESETSTAT');
    await again.promise;
    const asked = (await server.client.info('commandstats')).matchAll(/cmdstat_(?:bzpopmin|evalsha):calls=(\d+)/g);
    expect(Array.from(asked, ([, calls]) => Number(calls)).reduce((sum, calls) => sum + calls, 0)).toBeLessThan(30);
  });
});
