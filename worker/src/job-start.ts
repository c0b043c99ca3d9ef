import { GENERATION_JOB, type GenerationJob, generationJobSchema } from '@lontar/shared/generation-job.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { GivenUpReason } from '@lontar/shared/metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { SettleResult } from '@lontar/shared/settlement/settle.ts';
import type { Ending } from '@lontar/shared/settlement/turn.ts';
import { readerOf } from '@lontar/shared/shape-check.ts';

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
  /**
   * Settles the request and finishes its job, in one step.
   *
   * @throws when Redis refuses it, or cannot be reached: whether it was settled is then unknown, and it may be sent again
   */
  settle(settlement: ToSettle): Promise<SettleResult>;
}

/** What a worker settles its request with. */
export type ToSettle = NonNullable<Ending['settle']>;

/**
 * What comes of a start: the job is done, it goes back to the queue for a while and has used up an attempt, or it goes
 * back to the front of the queue as if it had not been started, for another worker.
 */
export type JobEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly delayMs: number }
  | { readonly kind: 'handed back' };

/** Takes jobs from the queue, and hands each out. */
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
  /** Takes no more jobs and waits for those in work; what is not finished in time is handed back to the queue. */
  stop(timeoutMs: number): Promise<void>;
}

/** What works on jobs, and is called with those that cannot be worked on. */
export interface JobWork {
  readonly logger: Logger;
  process(start: JobStart): Promise<JobEnd>;
  /** A job was given up without being processed to its end. */
  onGivenUp(requestId: string, job: GenerationJob | undefined, reason: GivenUpReason): Promise<void>;
}

export interface JobRunnerOptions extends JobWork {
  /** What the locks of this worker's jobs begin with; no other worker has it. */
  readonly name: string;
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly concurrency: number;
  /** Resolves when Redis is known to serve, and to have served for long enough that workers could renew their locks. */
  untilSteady(): Promise<void>;
  /** A job was taken back from a worker that died. */
  onStalled(requestId: string): void;
}

/** A job as the queue hands it out: what is in it has not been looked at. */
export interface HandedJob extends Pick<JobStart, 'number' | 'attempt' | 'losses' | 'settle'> {
  readonly requestId: string;
  readonly data: unknown;
  readonly signal: AbortSignal | undefined;
}

/** A job whose start has failed, as the queue tells of it. */
export interface FailedJob {
  readonly id?: string | undefined;
  readonly data: unknown;
  readonly attemptsMade: number;
}

const readJob = readerOf(generationJobSchema);

/** What is done with one job that the queue hands out. */
export function createStarter(work: JobWork, takeCancelled: (requestId: string) => boolean) {
  let active = 0;
  return {
    /** Jobs in work now. */
    get active() {
      return active;
    },
    async run({ requestId, data, signal, ...start }: HandedJob): Promise<JobEnd> {
      const job = readJob(data);
      if (job === undefined) {
        work.logger.error({ requestId }, 'a job has an unknown form; is a newer gateway running?');
        await work.onGivenUp(requestId, undefined, 'unreadable');
        return { kind: 'done' };
      }
      // Processed all the same: the request has to be settled, and this worker has its job.
      const isCancelled = takeCancelled(requestId);
      const given = signal ?? new AbortController().signal;
      active++;
      try {
        return await work.process({
          ...start,
          job,
          signal: isCancelled ? AbortSignal.abort('cancelled' satisfies AbortReason) : given,
        });
      } finally {
        active--;
      }
    },
    /** A job has failed in the queue: given up, where it does not come again. */
    giveUp(job: FailedJob | undefined, error: Error): void {
      if (error instanceof Again && job !== undefined && job.attemptsMade < GENERATION_JOB.attempts) return;
      void work.onGivenUp(job?.id ?? '', readJob(job?.data), 'failed').catch(() => undefined);
    },
  };
}

/** Cancellations whose job has not started here; each worker gets all of them, so they are forgotten after a while. */
export function rememberCancellations() {
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

/** Carries "again, later" through BullMQ, which stores its message: nothing of the outside may be in it. */
export class Again extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super('again');
    // Without a wait BullMQ would go another way, on which other delayed jobs are started by this machine's clock.
    this.delayMs = Math.max(1, delayMs);
  }
}
