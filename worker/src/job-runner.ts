import { GENERATION_JOB, type GenerationJob, generationJobSchema } from '@lontar/shared/generation-job.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { GivenUpReason } from '@lontar/shared/metrics.ts';
import { tellQueueRedisTime } from '@lontar/shared/patches/queue-time.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { QUEUE_PREFIX } from '@lontar/shared/redis-keys.ts';
import { throttledWarning } from '@lontar/shared/throttled-log.ts';
import { JOB_LOCK_MS, LONGEST_BLOCK_MS, STALLED_CHECK_MS } from '@lontar/shared/time-budget.ts';
import { createRedisBackend, type Job, WaitingError, Worker } from 'bullmq';
import { type LockRenewal, renewLocks } from './renew-locks.ts';

/** After an error of the queue, ms; BullMQ's own default of 15 s would leave callers waiting. */
const ERROR_RETRY_MS = 200;
/** Cancellations that arrive before their job are remembered for this long, ms. */
const CANCEL_MEMORY_MS = 10_000;

/** Why a job's signal aborts. */
export type AbortReason = 'cancelled' | 'lock lost' | 'stopping';

/** One start of a job. */
export interface JobStart {
  readonly job: GenerationJob;
  /** How often the job was started, this time included: the fence of its settlement. */
  readonly number: number;
  /** Which model attempt this is, from 1. */
  readonly attempt: number;
  /** How often the queue has taken the job back from a worker that was lost. */
  readonly losses: number;
  /** Aborts with an `AbortReason`. */
  readonly signal: AbortSignal;
}

/**
 * What comes of a start: the job is done, it goes back to the queue for a while and has used up an attempt, or it goes
 * back to the front of the queue as if it had not been started, for another worker.
 */
export type JobEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly delayMs: number }
  | { readonly kind: 'handed back' };

export interface JobRunner {
  /**
   * Stops the work on a request whose caller has left, or that another has settled; remembered for a job that is about to
   * start.
   */
  cancel(requestId: string): void;
  /** Jobs in work now. */
  readonly active: number;
  /** Takes so many more jobs than `concurrency`, because as many of those in work only wait. */
  allowMore(count: number): void;
  /**
   * Takes no more jobs and waits for those in work; what is not finished in time is handed back to the queue.
   */
  stop(timeoutMs: number): Promise<void>;
}

export interface JobRunnerOptions {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly concurrency: number;
  readonly logger: Logger;
  process(start: JobStart): Promise<JobEnd>;
  /** A job was given up without being processed to its end. */
  onGivenUp(requestId: string, job: GenerationJob | undefined, reason: GivenUpReason): Promise<void>;
  /** A job was taken back from a worker that died. */
  onStalled(requestId: string): void;
}

/** Carries "again, later" through BullMQ, which stores its message: nothing of the outside may be in it. */
class Again extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super('again');
    // Without a wait BullMQ would go another way, on which other delayed jobs are started by this machine's clock.
    this.delayMs = Math.max(1, delayMs);
  }
}

/**
 * Runs generation jobs from the queue. This file and shared's `generation-queue.ts` alone know BullMQ.
 */
export function startJobRunner(options: JobRunnerOptions): JobRunner {
  const { logger } = options;
  const cancelled = rememberCancellations();
  const work = { active: 0 };
  const warn = throttledWarning(logger, 'the queue failed');
  const locks = renewLocks({
    extend: (requestIds, tokens) => worker.extendJobLocks(requestIds, tokens, JOB_LOCK_MS),
    onLost(requestId) {
      warn(new Error('the lock of a job was lost'));
      worker.cancelJob(requestId, 'lock lost' satisfies AbortReason);
    },
    onError: warn,
  });
  const run = createProcessor(options, { takeCancelled: cancelled.take, work, locks });

  const worker = new Worker<GenerationJob, void>(
    GENERATION_JOB.queue,
    // BullMQ hands the abort signal to processors that declare three parameters, and to no others.
    (job, token, signal) => run(job, token, signal),
    {
      connection: options.redis,
      prefix: QUEUE_PREFIX,
      concurrency: options.concurrency,
      lockDuration: JOB_LOCK_MS,
      // See `renewLocks`.
      skipLockRenewal: true,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: GENERATION_JOB.maxStalledCount,
      runRetryDelay: ERROR_RETRY_MS,
      drainDelay: LONGEST_BLOCK_MS / 1_000,
      skipVersionCheck: true,
      settings: { backoffStrategy: (_made, _type, error) => (error instanceof Again ? error.delayMs : -1) },
    },
    (...details) => tellQueueRedisTime(createRedisBackend(...details), options.clock),
  );
  worker.on('error', warn);
  worker.on('stalled', (requestId) => options.onStalled(requestId));
  worker.on('failed', (job, error) => {
    if (error instanceof Again && job !== undefined && job.attemptsMade < GENERATION_JOB.attempts) return;
    const parsed = generationJobSchema.safeParse(job?.data);
    void options.onGivenUp(job?.id ?? '', parsed.success ? parsed.data : undefined, 'failed').catch(() => undefined);
  });

  return {
    cancel(requestId) {
      if (!worker.cancelJob(requestId, 'cancelled' satisfies AbortReason)) cancelled.add(requestId);
    },
    get active() {
      return work.active;
    },
    allowMore(count) {
      worker.concurrency = options.concurrency + count;
    },
    async stop(timeoutMs) {
      const handBack = setTimeout(() => worker.cancelAllJobs('stopping' satisfies AbortReason), timeoutMs);
      await worker.close();
      locks.stop();
      clearTimeout(handBack);
    },
  };
}

/** What is done with one job that the queue hands out. */
function createProcessor(
  options: JobRunnerOptions,
  {
    takeCancelled,
    work,
    locks,
  }: {
    readonly takeCancelled: (requestId: string) => boolean;
    readonly work: { active: number };
    readonly locks: LockRenewal;
  },
) {
  return async (job: Job<GenerationJob>, token: string | undefined, signal: AbortSignal | undefined) => {
    const parsed = generationJobSchema.safeParse(job.data);
    const requestId = job.id ?? '';
    if (!parsed.success) {
      options.logger.error({ requestId }, 'a job has an unknown form; is a newer gateway running?');
      await options.onGivenUp(requestId, undefined, 'unreadable');
      return;
    }
    const given = signal ?? new AbortController().signal;
    work.active++;
    locks.hold(requestId, token ?? '');
    try {
      const end = await options.process({
        job: parsed.data,
        number: job.attemptsStarted,
        attempt: job.attemptsMade + 1,
        losses: job.stalledCounter,
        // Processed all the same: somebody has to settle the request, and this worker has its job.
        signal: takeCancelled(requestId) ? AbortSignal.abort('cancelled' satisfies AbortReason) : given,
      });
      if (end.kind === 'again') throw new Again(end.delayMs);
      if (end.kind === 'handed back') {
        await job.moveToWait(token);
        // BullMQ asks for this error: it must not finish a job that is in the queue again.
        throw new WaitingError();
      }
    } finally {
      locks.release(requestId);
      work.active--;
    }
  };
}

/** Cancellations whose job has not started here; each worker hears of all, so they are forgotten after a while. */
function rememberCancellations() {
  const seenAt = new Map<string, number>();
  return {
    add(requestId: string): void {
      const now = performance.now();
      seenAt.set(requestId, now);
      for (const [id, at] of seenAt) {
        if (now - at < CANCEL_MEMORY_MS) break;
        seenAt.delete(id);
      }
    },
    /** Whether the request was cancelled; asked once. */
    take: (requestId: string): boolean => seenAt.delete(requestId),
  };
}
