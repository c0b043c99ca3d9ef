import { Queue } from 'bullmq';
import { GENERATION_JOB, type GenerationJob } from './generation-job.ts';
import { JOB_OPTIONS, QUEUE_KEYS, queueKeys } from './queue/queue-keys.ts';
import { type RedisTime, readRedisTime } from './redis-clock.ts';
import type { Redis } from './redis-connection.ts';
import { QUEUE_PREFIX } from './redis-keys.ts';
import { loadScript } from './redis-script.ts';
import type { Backlog } from './worker-failure.ts';

const enqueueScript = loadScript(new URL('./queue/enqueue.lua', import.meta.url));

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

/** The producer's side of the generation queue. This file and the worker's `job-runner.ts` alone know BullMQ. */
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
   * Takes a job that no worker has started out of the queue.
   *
   * @returns whether it was taken out; false when it is in work or gone
   */
  remove(requestId: string): Promise<boolean>;
  /** Jobs that no worker is at: waiting, or between two attempts. The oldest come first. */
  unstarted(atMost: number): Promise<GenerationJob[]>;
  counts(): Promise<QueueCounts>;
  /** How long the oldest waiting job has waited by Redis's clock, ms; 0 when none waits. */
  oldestWaitingAgeMs(): Promise<number>;
  isPaused(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * @param redis a connection of the caller's own; it stays open when the queue is closed
 * @throws nothing itself; what reads or writes the queue rejects when Redis fails
 */
export function openGenerationQueue(redis: Redis, onError: (error: Error) => void): GenerationQueue {
  const queue = new Queue<GenerationJob, undefined>(GENERATION_JOB.queue, {
    connection: redis,
    prefix: QUEUE_PREFIX,
    skipVersionCheck: true,
    skipMetasUpdate: true,
  });
  queue.on('error', onError);
  return {
    async add(job, now) {
      const keys = [queueKeys.job(job.id), queueKeys.waiting, queueKeys.marker, queueKeys.meta];
      await enqueueScript(redis, keys, [job.id, GENERATION_JOB.name, JSON.stringify(job), JOB_OPTIONS, now]);
    },
    async remove(requestId) {
      // BullMQ refuses to remove a job that a worker holds the lock of.
      return (await queue.remove(requestId).catch(() => 0)) === 1;
    },
    async unstarted(atMost) {
      const jobs = await queue.getJobs(['wait', 'delayed'], 0, atMost - 1, true);
      return jobs.map(({ data }) => data);
    },
    async counts() {
      const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'failed');
      const count = (state: string) => counts[state] ?? 0;
      return {
        waiting: count('wait'),
        active: count('active'),
        delayed: count('delayed'),
        failed: count('failed'),
      };
    },
    async oldestWaitingAgeMs() {
      const [[oldest], now] = await Promise.all([queue.getJobs(['wait'], 0, 0, true), readRedisTime(redis)]);
      return oldest ? Math.max(0, now - oldest.timestamp) : 0;
    },
    isPaused: () => queue.isPaused(),
    close: () => queue.close(),
  };
}

/** Reads the whole state of the queue, in four commands sent together. */
export async function readQueueState(queue: GenerationQueue): Promise<QueueState> {
  const [counts, oldestWaitingAgeMs, paused] = await Promise.all([
    queue.counts(),
    queue.oldestWaitingAgeMs(),
    queue.isPaused(),
  ]);
  return { ...counts, oldestWaitingAgeMs, paused };
}
