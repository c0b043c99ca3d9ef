import { GENERATION_JOB } from '../generation-job.ts';
import { QUEUE_PREFIX } from '../redis-keys.ts';

/** What every key of the queue begins with; the key of a job is this and its id. */
export const QUEUE_KEYS = `${QUEUE_PREFIX}:${GENERATION_JOB.queue}:`;

/**
 * BullMQ's own keys of the queue, as far as our scripts read and write them. Names and forms are BullMQ's: its own scripts
 * work on the same keys, and queue-layout.int.test.ts holds that both understand each other.
 */
export const queueKeys = {
  /** List: ids of waiting jobs, the next one last. */
  waiting: `${QUEUE_KEYS}wait`,
  /** List: ids of jobs in work. */
  active: `${QUEUE_KEYS}active`,
  /** Set: ids of jobs in work that will count as lost unless their lock is there at the next look. */
  stalled: `${QUEUE_KEYS}stalled`,
  /** String: while it is there, no worker looks for lost jobs: one has just done so. */
  stalledCheck: `${QUEUE_KEYS}stalled-check`,
  /** Sorted set: ids of jobs that wait for their next attempt, by when that is, Unix ms × 4,096. */
  delayed: `${QUEUE_KEYS}delayed`,
  /** Sorted set: ids of jobs that BullMQ has given up and kept; ours are not kept. */
  failed: `${QUEUE_KEYS}failed`,
  /** Sorted set: ids of jobs with a priority; ours have none. */
  prioritized: `${QUEUE_KEYS}prioritized`,
  /** Sorted set: `0` where jobs wait, and `1` by when the next delayed one is due. Idle workers block on it. */
  marker: `${QUEUE_KEYS}marker`,
  /** Hash: `paused`, and the most jobs in work at once, `concurrency`. */
  meta: `${QUEUE_KEYS}meta`,
  /** Hash: a job, with its data, its starts (`ats`) and how many of them have ended (`atm`). */
  job: (requestId: string) => `${QUEUE_KEYS}${requestId}`,
} as const;

/** How BullMQ treats each of our jobs, in the form in which it keeps that with the job. */
export const JOB_OPTIONS = JSON.stringify({
  attempts: GENERATION_JOB.attempts,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
});
