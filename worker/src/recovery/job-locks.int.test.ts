import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import { type GenerationQueue, jobKeys, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { giveBackJobs } from '@lontar/shared/queue/give-back.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { runTurn } from '@lontar/shared/settlement/turn.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { JOB_LOCK_MS, STALLED_CHECK_MS } from '@lontar/shared/time-budget.ts';
import { countsOf } from '../held-jobs.ts';
import { createJobLocks, type LockedStart } from './job-locks.ts';
import { takeBack } from './lost-workers.ts';

const requestId = 'req_0000000000000000000001';
const { job, lock: lockKey } = jobKeys(requestId);

let server: TestRedis;
let redis: Redis;
let queue: GenerationQueue;

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.client;
  queue = openGenerationQueue(redis);
});
afterAll(async () => {
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  await queue.add({ v: 1, id: requestId, prompt: 'hi' } as GenerationJob, redisTime());
});

async function take(lock: string): Promise<LockedStart> {
  const { taken } = await runTurn(redis, { endings: [], take: 1, lock });
  if (taken instanceof Error || taken[0] === undefined) throw new Error('nothing was taken');
  return startOf(requestId, lock, taken[0][1]);
}

function startOf(id: string, lock: string, hash: readonly string[]): LockedStart {
  return { requestId: id, lock, ...countsOf(hash) };
}

/** As BullMQ takes back a job whose lock has ended. */
async function loseToTheQueue(): Promise<void> {
  await redis.hset(redisKeys.workers, 'a', '1');
  await takeBack(redis, { name: 'a', said: '1' }, 1);
}

test('a lock is renewed, and its job is no longer in doubt', async () => {
  const start = await take('a:1');
  await redis.pexpire(lockKey, 100);
  await redis.sadd(queueKeys.stalled, requestId);
  expect(await createJobLocks(redis, 'a').renew([start])).toEqual([]);
  expect(await redis.pttl(lockKey)).toBeGreaterThan(1_000);
  expect(await redis.exists(queueKeys.stalled)).toBe(0);
});

test('a lock that has ended while nobody took the job is made anew, also at a second start that was lost before', async () => {
  await take('a:1');
  await loseToTheQueue();
  const start = await take('b:1');
  expect(start).toMatchObject({ starts: '2', losses: '1' });
  await redis.del(lockKey);
  await redis.sadd(queueKeys.stalled, requestId);
  expect(await createJobLocks(redis, 'a').renew([start])).toEqual([]);
  expect(await redis.get(lockKey)).toBe('b:1');
  expect(await redis.exists(queueKeys.stalled)).toBe(0);
});

test.each<[string, (start: LockedStart) => Promise<unknown>]>([
  ['was taken back', () => loseToTheQueue()],
  ['was taken back and again', () => loseToTheQueue().then(() => take('b:1'))],
  [
    'was taken back and again, and that lock has ended, too',
    async () => {
      await loseToTheQueue();
      await take('b:1');
      await redis.del(lockKey);
    },
  ],
  ['was given back', (start) => giveBackJobs(redis, [start])],
  ['has another lock', () => redis.set(lockKey, 'b:1')],
  ['is gone', () => redis.del(job, lockKey)],
])('a job that %s is lost, and left alone', async (_what, happens) => {
  const start = await take('a:1');
  await happens(start);
  const before = await redis.get(lockKey);
  expect(await createJobLocks(redis, 'a').renew([start])).toEqual([requestId]);
  expect(await redis.get(lockKey)).toBe(before);
});

test('what Redis was told of jobs is not told again, and told anew where Redis has lost it', async () => {
  const others = Array.from({ length: 40 }, (_, index) => `req_${String(index + 2).padStart(22, '0')}`);
  for (const id of others) await queue.add({ v: 1, id, prompt: 'hi' } as GenerationJob, redisTime());
  const { taken } = await runTurn(redis, { endings: [], take: 41, lock: 'a:1' });
  if (taken instanceof Error) throw taken;
  const starts = taken.map(([id, hash]) => startOf(id, 'a:1', hash));
  const received = async () => Number(/total_net_input_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
  const locks = createJobLocks(redis, 'a');
  const renew = async (jobs: readonly LockedStart[]) => {
    for (const { requestId: id } of jobs) await redis.pexpire(jobKeys(id).lock, 100);
    const before = await received();
    const lost = await locks.renew(jobs);
    const bytes = (await received()) - before;
    const left = await Promise.all(starts.map(({ requestId: id }) => redis.pttl(jobKeys(id).lock)));
    return { lost, bytes, renewed: left.filter((ms) => ms > 1_000).length };
  };
  // The first one brings the script.
  await renew(starts.slice(0, 30));
  const added = await renew(starts);
  const same = await renew(starts);
  expect(added).toMatchObject({ lost: [], renewed: 41 });
  expect(same).toMatchObject({ lost: [], renewed: 41 });
  expect(added.bytes - same.bytes).toBeGreaterThan(11 * 30);
  expect(same.bytes).toBeLessThan(1_000);

  await redis.del(queueKeys.job('held:a'));
  expect(await renew(starts)).toMatchObject({ lost: [], renewed: 41 });
  const [first] = starts;
  await redis.set(jobKeys(first?.requestId ?? '').lock, 'b:1', 'PX', 100);
  expect(await renew(starts)).toMatchObject({ lost: [first?.requestId], renewed: 40 });
  expect(await redis.smembers(queueKeys.job('held:a'))).toHaveLength(41);
  await renew([]);
  expect(await redis.exists(queueKeys.job('held:a'))).toBe(0);
});

test('a lock that would last longer, and the wait for the next look, are bounded once the connection was made anew', async () => {
  await take('a:1');
  const locks = createJobLocks(redis, 'a');
  // As it is on a server whose clock is half a minute behind that of the one where it was made.
  await redis.pexpire(lockKey, 35_000);
  await redis.set(queueKeys.stalledCheck, '1', 'PX', 31_500);
  await locks.bound();
  expect(await redis.pttl(lockKey)).toBeGreaterThan(JOB_LOCK_MS);
  redis.emit('ready');
  await locks.bound();
  expect(await redis.pttl(lockKey)).toBeLessThanOrEqual(JOB_LOCK_MS);
  expect(await redis.pttl(queueKeys.stalledCheck)).toBeLessThanOrEqual(STALLED_CHECK_MS);
  // One that ends earlier does.
  await redis.pexpire(lockKey, 1_000);
  redis.emit('ready');
  await locks.bound();
  expect(await redis.pttl(lockKey)).toBeLessThanOrEqual(1_000);
});
