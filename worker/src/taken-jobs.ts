import { giveBackJobs } from '@lontar/shared/queue/give-back.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { TakenJob } from '@lontar/shared/settlement/turn.ts';

/** A job that was taken and not begun within this goes back to the queue, long before its lock ends, ms. */
const UNWANTED_MS = 250;

/** A job that was taken, with the lock that its turn has set. */
export interface LockedJob {
  readonly requestId: string;
  readonly hash: TakenJob[1];
  readonly lock: string;
}

/** Jobs that a worker has taken and not begun: for moments, because one script takes many. */
export interface TakenJobs {
  add(jobs: readonly LockedJob[]): void;
  /** The oldest of them; `undefined` where there is none. */
  next(): LockedJob | undefined;
  readonly count: number;
  /** Gives back what is there and what comes. Never rejects: where Redis is away, jobs come back when their locks end. */
  close(): Promise<void>;
}

/** Never throws, nor do its methods: jobs that Redis does not take back come back when their locks end. */
export function createTakenJobs(redis: Redis): TakenJobs {
  let taken: (LockedJob & { readonly takenAt: number })[] = [];
  let closed = false;
  let givingBack: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** @param olderThanMs those that were taken longer ago */
  function giveBack(olderThanMs: number): void {
    const latest = performance.now() - olderThanMs;
    const jobs = taken.filter(({ takenAt }) => takenAt <= latest);
    taken = taken.filter(({ takenAt }) => takenAt > latest);
    if (jobs.length > 0) givingBack = Promise.allSettled([givingBack, giveBackJobs(redis, jobs)]);
  }

  function giveUnwantedBack(): void {
    giveBack(UNWANTED_MS);
    timer = taken.length > 0 ? setTimeout(giveUnwantedBack, UNWANTED_MS).unref() : undefined;
  }

  return {
    add(jobs) {
      const takenAt = performance.now();
      for (const job of jobs) taken.push({ ...job, takenAt });
      if (closed) giveBack(0);
      else if (jobs.length > 0) timer ??= setTimeout(giveUnwantedBack, UNWANTED_MS).unref();
    },
    next: () => taken.shift(),
    get count() {
      return taken.length;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      giveBack(0);
      await givingBack;
    },
  };
}
