import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import { type GenerationQueue, jobKeys, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { later, readRedisTime } from '@lontar/shared/redis-clock.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { QUEUE_PREFIX } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { startJobRunner } from './job-runner.ts';
import type { JobEnd, JobRunner, JobStart } from './job-start.ts';

const [requestId, second] = ['req_0000000000000000000001', 'req_0000000000000000000002'] as const;
const DELAYED_JOBS = `${QUEUE_PREFIX}:generation:delayed`;
const RETRY_MS = 200;
const HOUR_MS = 3_600_000;
const ownNow = Date.now;
const clock = { now: () => redisTime(ownNow()), stop: () => undefined };

let server: TestRedis;
let redis: Redis;
let queue: GenerationQueue;
let runners: JobRunner[];
const started = new EventEmitter();

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.client.flushall();
  redis = connectPatient(server.url, 'test');
  await redis.connect();
  queue = openGenerationQueue(redis);
  runners = [];
});
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.stop(0)));
  redis.disconnect();
});

function run(
  process: (start: JobStart) => Promise<JobEnd>,
  concurrency = 1,
  untilSteady: () => Promise<void> = () => Promise.resolve(),
): JobRunner {
  const runner = startJobRunner({
    name: randomUUID(),
    redis,
    clock,
    concurrency,
    logger: createLogger('test', 'silent'),
    process,
    onGivenUp: () => Promise.resolve(),
    onStalled: () => undefined,
    untilSteady,
  });
  runners.push(runner);
  return runner;
}

async function add(id: string): Promise<void> {
  const now = clock.now();
  const job: GenerationJob = {
    ...{ v: 1, id, endpoint: '/api/ai', prompt: 'hi', model: 'ai-2.5-flash', temperature: 1, maxOutputTokens: 9 },
    ...{ keyId: 'k', gateway: 'g', receivedAt: now, deadlineAt: later(now, 60_000) },
  };
  await queue.add(job, now);
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
    if (stop === 1) await add(second);
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
    { job: { id: second }, number: 1 },
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

test('jobs whose lock has ended are looked for once Redis is steady, and not before', async () => {
  const steady = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  run(
    () => {
      begun.resolve();
      return Promise.resolve({ kind: 'done' });
    },
    1,
    () => steady.promise,
  );
  await add(requestId);
  await begun.promise;
  const hasLooked = () => server.client.exists(`${QUEUE_PREFIX}:generation:stalled-check`);
  expect(await hasLooked()).toBe(0);
  steady.resolve();
  while ((await hasLooked()) === 0) await new Promise(setImmediate);
});

// The canary of shared/src/patches/queue-time.ts. It fails where BullMQ gives its scripts the time in another place, or
// compares other times with its clock.
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
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('jobs are started, and started by the end of another one, at moments of Redis', async () => {
    await add(requestId);
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
    await add(requestId);
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

test('the connection that waits for jobs is made anew with the one for commands, which was lost', async () => {
  run(() => Promise.resolve({ kind: 'done' }));
  const waits = async () => {
    const lines = String(await server.client.client('LIST')).split('\n');
    return lines.find((line) => line.includes('cmd=bzpopmin') && line.includes(`name=${QUEUE_PREFIX}:`));
  };
  const idOf = (line: string | undefined) => /^id=(\d+)/.exec(line ?? '')?.[1];
  const untilWaits = async (isSo: (id: string | undefined) => boolean) => {
    let id: string | undefined;
    while (!isSo((id = idOf(await waits())))) await new Promise(setImmediate);
    return id;
  };
  const before = await untilWaits((id) => id !== undefined);
  await server.client.client('KILL', 'ID', await redis.client('ID'));
  await untilWaits((id) => id !== undefined && id !== before);
});

test.each(['for commands', 'that waits for jobs'])(
  'jobs are taken after ioredis has given up the connection %s',
  async (which) => {
    const duplicates = jest.spyOn(redis, 'duplicate');
    const taken = once(started, 'job');
    run(({ job }) => {
      started.emit('job', job.id);
      return Promise.resolve({ kind: 'done' });
    });
    const waiting = duplicates.mock.results[0]?.value as Redis;
    const given = which === 'for commands' ? redis : waiting;
    while (waiting.status !== 'ready') await once(waiting, 'ready');
    // Its own `disconnect` is what ioredis calls then: the state is `end`, and stays so.
    const ended = once(given, 'end');
    Object.getPrototypeOf(given).disconnect.call(given);
    await ended;
    const other = connectPatient(server.url, 'gateway');
    queue = openGenerationQueue(other);
    await add(requestId);
    expect(await taken).toEqual([requestId]);
    other.disconnect();
  },
);
