import type { GenerationFailure } from '@lontar/shared/errors.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { Replication } from '@lontar/shared/replication/replication.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import { STOP_REPEAT_MS, WITHDRAWAL_RETRY_MS } from '@lontar/shared/time-budget.ts';

const AT_ONCE = 100;
/** Requests kept in memory while Redis is away; the sweeper gives the reservations of others back when they end. */
const MOST_PENDING = 20_000;

/** Takes back requests whose callers have got another answer, or have left, while Redis could not take the note. */
export interface Withdrawals {
  /**
   * Settles a request as failed, as soon as Redis acknowledges it. Where a worker has settled it before, its charge is
   * given back: the caller got a failure. A caller who has left got nothing, and pays as others do who leave:
   * with `client_closed` a job that a worker has is left to it.
   */
  add(requestId: string, keyId: string, error: GenerationFailure): void;
  stop(): void;
}

interface Withdrawal {
  readonly keyId: string;
  readonly error: GenerationFailure;
  /** Not to be tried before, by this process's monotonic clock, ms. */
  readonly notBefore: number;
}

/**
 * A caller who was refused is gone, but its job may be in the queue all the same: only the reply of the write was lost.
 * So a withdrawal is repeated until Redis has it; workers let it go first (see `askToRun` in process-generation.ts).
 * Never throws: where Redis fails, `onRedisFailure` is called and the withdrawal repeated.
 */
export function openWithdrawals(deps: {
  readonly redis: Redis;
  readonly queue: GenerationQueue;
  /** `FREE_FAILURES_PER_HOUR`. */
  readonly freeFailuresPerHour: number;
  readonly onRedisFailure: (error: unknown) => void;
  readonly replication?: Replication | undefined;
}): Withdrawals {
  const { redis, queue } = deps;
  const pending = new Map<string, Withdrawal>();
  let working = false;

  async function withdraw(requestId: string): Promise<void> {
    const request = pending.get(requestId);
    if (!request) return;
    const { keyId, error } = request;
    const { freeFailuresPerHour } = deps;
    const settlement = { v: 1, outcome: 'failed', error } as const;
    const terms = error === 'client_closed' ? { leaveToWorker: true } : { takeBack: true };
    const { kind } = await settle(redis, { requestId, keyId, settlement, freeFailuresPerHour, cancel: true, ...terms });
    if (kind === 'in work') {
      pending.set(requestId, { ...request, notBefore: performance.now() + STOP_REPEAT_MS });
      return;
    }
    await deps.replication?.held();
    pending.delete(requestId);
    await queue.remove(requestId);
  }

  function dueNow(): string[] {
    const now = performance.now();
    const due = [...pending].filter(([, { notBefore }]) => notBefore <= now);
    return due.slice(0, AT_ONCE).map(([requestId]) => requestId);
  }

  async function withdrawAll(): Promise<void> {
    if (working || redis.status !== 'ready') return;
    working = true;
    try {
      for (let due = dueNow(); due.length > 0; due = dueNow()) await Promise.all(due.map(withdraw));
    } catch (error) {
      deps.onRedisFailure(error);
    } finally {
      working = false;
    }
  }

  // Only while there is something to withdraw: an idle gateway is not woken.
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  function retry(): void {
    if (pending.size > 0) return void withdrawAll();
    clearInterval(timer);
    timer = undefined;
  }
  const atOnce = () => void withdrawAll();
  redis.on('ready', atOnce);
  return {
    add(requestId, keyId, error) {
      if (pending.size >= MOST_PENDING) return;
      pending.set(requestId, { keyId, error, notBefore: 0 });
      if (!stopped) timer ??= setInterval(retry, WITHDRAWAL_RETRY_MS);
      void withdrawAll();
    },
    stop() {
      stopped = true;
      clearInterval(timer);
      redis.off('ready', atOnce);
    },
  };
}
