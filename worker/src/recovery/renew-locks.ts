import { LOCK_RENEWAL_MS } from '@lontar/shared/time-budget.ts';

export interface LockRenewal {
  /** Renews the lock of a job from now on. */
  hold(jobId: string, token: string): void;
  release(jobId: string): void;
  stop(): void;
}

export interface LockRenewalOptions {
  /** Renews locks; gives the jobs whose lock is no longer held by their token. */
  readonly extend: (jobIds: string[], tokens: string[]) => Promise<string[]>;
  /** The job belongs to another worker by now, or to none. */
  readonly onLost: (jobId: string) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Renews the locks of the jobs in work, all but those that have just begun, in one command.
 *
 * BullMQ's own renewal counts by `Date.now()`: on a machine whose clock is set back it would renew none until the clock
 * is where it was, and the jobs would be taken from a worker that is well. This one counts by the monotonic clock.
 */
export function renewLocks({ extend, onLost, onError }: LockRenewalOptions): LockRenewal {
  const held = new Map<string, { readonly token: string; readonly since: number; isKnown: boolean }>();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const renew = async () => {
    const now = performance.now();
    // Those that were renewed before are in each turn: timers may be early, and Redis, which is told what has changed, would
    // be told of all jobs that they have gone, and in the next turn that they are there again.
    const due = [...held].filter(([, { since, isKnown }]) => isKnown || now - since >= LOCK_RENEWAL_MS);
    if (due.length === 0) return;
    for (const [, lock] of due) lock.isKnown = true;
    const lost = await extend(
      due.map(([jobId]) => jobId),
      due.map(([, { token }]) => token),
    );
    for (const jobId of lost) if (held.has(jobId)) onLost(jobId);
  };
  // Each turn waits for the one before: while Redis is away, one command waits for it and no more. The next one then follows
  // at once: locks that were too young for that command have aged meanwhile.
  const turn = (afterMs: number) => {
    if (stopped) return;
    timer = setTimeout(() => {
      const startedAt = performance.now();
      const next = () => turn(Math.max(0, LOCK_RENEWAL_MS - (performance.now() - startedAt)));
      void renew().catch(onError).finally(next);
    }, afterMs);
  };
  turn(LOCK_RENEWAL_MS);
  return {
    hold: (jobId, token) => void held.set(jobId, { token, since: performance.now(), isKnown: false }),
    release: (jobId) => void held.delete(jobId),
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
