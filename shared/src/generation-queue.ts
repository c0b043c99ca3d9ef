import { GENERATION_JOB, type GenerationJob } from './generation-job.ts';
import { JOB_OPTIONS, QUEUE_KEYS, queueKeys } from './queue/queue-keys.ts';
import { type RedisTime, readRedisTime } from './redis-clock.ts';
import type { Redis } from './redis-connection.ts';
import { loadScript } from './redis-script.ts';
import type { Backlog } from './worker-failure.ts';

const enqueueScript = loadScript(new URL('./queue/enqueue.lua', import.meta.url));
const removeScript = loadScript(new URL('./queue/remove.lua', import.meta.url));
const readStateScript = loadScript(new URL('./queue/read-state.lua', import.meta.url));
const readUnstartedScript = loadScript(new URL('./queue/read-unstarted.lua', import.meta.url));

/**
 * What BullMQ keeps of one job, for the settling script: the job's hash, with its starts (`ats`) and how many of them have
 * ended as far as the queue knows (`atm`), and its lock, which exists while a worker has it.
 */
export function jobKeys(requestId: string): { readonly job: string; readonly lock: string } {
  const job = queueKeys.job(requestId);
  return { job, lock: `${job}:lock` };
}

export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}

/** Whether a key belongs to the queue's jobs; not the one that says whether the queue is paused. */
export function isJobKey(name: string): boolean {
  return name.startsWith(QUEUE_KEYS) && name !== `${QUEUE_KEYS}meta`;
}

/** What is in the queue, and what waits there for a worker. */
export type QueueState = QueueCounts & Backlog;

/**
 * The queue of generation jobs as all see it who are no workers. It reads and writes BullMQ's keys by scripts of ours: BullMQ
 * itself would take 9 MB of memory in every process, for what are seven commands. The worker's `job-runner.ts` alone knows it.
 */
export interface GenerationQueue {
  /**
   * Enqueues a job under its request id, without an admission; a second time changes nothing. Requests are enqueued by the
   * script that admits them.
   *
   * @param now from which its age is counted
   * @throws when Redis cannot be reached or refuses the write; the job may be in the queue all the same
   */
  add(job: GenerationJob, now: RedisTime): Promise<void>;
  /**
   * Takes a job that no worker has out of the queue.
   *
   * @returns whether it was taken out; false when it is in work or gone, and where Redis fails. Never rejects
   */
  remove(requestId: string): Promise<boolean>;
  /**
   * Jobs that no worker is at: waiting, or between two attempts. The oldest come first.
   *
   * @param atMost of each of the two
   * @throws when Redis fails
   */
  unstarted(atMost: number): Promise<GenerationJob[]>;
  /** @throws when Redis fails */
  counts(): Promise<QueueCounts>;
  /**
   * The whole state of the queue, at one moment.
   *
   * @throws when Redis fails
   */
  state(): Promise<QueueState>;
}

/**
 * @param redis a connection of the caller's own
 * @throws nothing itself
 */
export function openGenerationQueue(redis: Redis): GenerationQueue {
  return {
    async add(job, now) {
      const keys = [queueKeys.job(job.id), queueKeys.waiting, queueKeys.marker, queueKeys.meta];
      await enqueueScript(redis, keys, [job.id, GENERATION_JOB.name, JSON.stringify(job), JOB_OPTIONS, now]);
    },
    async remove(requestId) {
      const { job, lock } = jobKeys(requestId);
      const keys = [job, lock, queueKeys.waiting, queueKeys.delayed, queueKeys.active, queueKeys.prioritized];
      return (await removeScript(redis, keys, [requestId]).catch(() => 0)) === 1;
    },
    async unstarted(atMost) {
      const jobs = await readUnstartedScript(redis, [queueKeys.waiting, queueKeys.delayed], [QUEUE_KEYS, atMost]);
      return (jobs as string[]).map((data) => JSON.parse(data) as GenerationJob);
    },
    async counts() {
      const { waiting, active, delayed, failed } = await readState(redis);
      return { waiting, active, delayed, failed };
    },
    async state() {
      const [{ oldestAt, ...state }, now] = await Promise.all([readState(redis), readRedisTime(redis)]);
      return { ...state, oldestWaitingAgeMs: oldestAt === undefined ? 0 : Math.max(0, now - oldestAt) };
    },
  };
}

async function readState(redis: Redis) {
  const keys = [queueKeys.waiting, queueKeys.active, queueKeys.delayed, queueKeys.failed, queueKeys.meta];
  const reply = (await readStateScript(redis, keys, [QUEUE_KEYS])) as [number, number, number, number, number, string?];
  const [waiting, active, delayed, failed, held, came] = reply;
  // A job that is taken away meanwhile leaves none that waits.
  return { waiting, active, delayed, failed, paused: held === 1, oldestAt: came ? Number(came) : undefined };
}
