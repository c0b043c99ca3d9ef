import { setTimeout as delay } from 'node:timers/promises';
import type { GenerationFailure } from '@lontar/shared/errors.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { Replication } from '@lontar/shared/replication/replication.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import { STOP_REPEAT_MS, WITHDRAWAL_RETRY_MS } from '@lontar/shared/time-budget.ts';

const AT_ONCE = 100;
/** Requests kept in memory while Redis is away; the sweeper gives the reservations of others back when they end. */
const MOST_PENDING = 20_000;
/** How long a stopping gateway waits for a Redis that is away, ms. */
const STOP_WITHIN_MS = 5_000;
/** What a drain that was used up leaves it, ms: less than the five seconds for which `npm start` waits after the drain. */
export const LEAST_WITHDRAWING_MS = 3_000;

/** Takes back requests whose callers have got another answer, or have left, while Redis could not take the note. */
export interface Withdrawals {
  /**
   * Settles a request as failed, as soon as Redis acknowledges it. Where a worker has settled it before, its charge is
   * given back: the caller got a failure. A caller who has left got nothing, and pays as others do who leave:
   * with `client_closed` a job that a worker has is left to it.
   *
   * @param isRefused whether the caller got a failure; who has left meanwhile may have got the answer elsewhere
   * @returns resolves when Redis has settled it, so that no worker starts its job any more; that may be never. Never rejects
   */
  add(requestId: string, keyId: string, error: GenerationFailure, isRefused?: boolean): Promise<void>;
  /**
   * Waits until Redis has been told of all, for some seconds at most: nobody else knows what these callers were told. Never
   * rejects.
   */
  stop(): Promise<void>;
}

interface Withdrawal {
  readonly keyId: string;
  readonly error: GenerationFailure;
  readonly isRefused: boolean;
  readonly onSettled: () => void;
  /** Not to be tried before, by this process's monotonic clock, ms. */
  notBefore: number;
}

interface WithdrawDeps {
  readonly redis: Redis;
  readonly queue: GenerationQueue;
  /** `FREE_FAILURES_PER_HOUR`. */
  readonly freeFailuresPerHour: number;
  readonly onRedisFailure: (error: unknown) => void;
  readonly replication?: Replication | undefined;
}

/**
 * A caller who was refused is gone, but its job may be in the queue all the same: only the reply of the write was lost.
 * So a withdrawal is repeated until Redis has it; workers let it go first (see `askToRun` in process-generation.ts).
 * Never throws: where Redis fails, `onRedisFailure` is called and the withdrawal repeated.
 */
export function openWithdrawals(deps: WithdrawDeps): Withdrawals {
  const { redis } = deps;
  const pending = new Map<string, Withdrawal>();
  /** How many more Redis is being told of, or wait until its replicas have it; and the former alone. */
  let underWay = 0;
  let asking = 0;

  async function withdraw(requestId: string, request: Withdrawal): Promise<void> {
    const isSettled = await settleNow(deps, requestId, request).finally(() => asking--);
    withdrawDue();
    if (!isSettled) return again(requestId, request);
    // Until then it may be lost with the primary. The next ones do not wait for it: their jobs would be taken meanwhile.
    await deps.replication?.held();
  }

  function again(requestId: string, request: Withdrawal): void {
    if (!pending.has(requestId)) pending.set(requestId, request);
  }

  function withdrawDue(): void {
    if (redis.status !== 'ready') return;
    const now = performance.now();
    for (const [requestId, request] of pending) {
      if (asking >= AT_ONCE) return;
      if (request.notBefore > now) continue;
      pending.delete(requestId);
      asking++;
      underWay++;
      void withdraw(requestId, request)
        .catch((error: unknown) => {
          again(requestId, request);
          deps.onRedisFailure(error);
        })
        .finally(() => underWay--);
    }
  }

  // Only while there is something to withdraw: an idle gateway is not woken.
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  /** Whether Redis has heard of each at least once: of one that is asked about again later, it has. */
  const isTold = () => underWay === 0 && [...pending.values()].every(({ notBefore }) => notBefore > 0);
  function retry(): void {
    if (pending.size > 0) return withdrawDue();
    if (underWay > 0) return;
    clearInterval(timer);
    timer = undefined;
  }
  redis.on('ready', withdrawDue);
  return {
    async add(requestId, keyId, error, isRefused = true) {
      if (pending.size + underWay >= MOST_PENDING) return;
      const settled = new Promise<void>((resolve) => {
        pending.set(requestId, { keyId, error, isRefused, notBefore: 0, onSettled: resolve });
      });
      if (!stopped) timer ??= setInterval(retry, WITHDRAWAL_RETRY_MS);
      withdrawDue();
      await settled;
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      const until = performance.now() + STOP_WITHIN_MS;
      for (; !isTold() && performance.now() < until; await delay(WITHDRAWAL_RETRY_MS)) withdrawDue();
      redis.off('ready', withdrawDue);
    },
  };
}

/** @returns whether it is settled; else a worker has the job, and is asked again later */
async function settleNow(
  { redis, queue, freeFailuresPerHour }: WithdrawDeps,
  requestId: string,
  request: Withdrawal,
): Promise<boolean> {
  const { keyId, error, isRefused } = request;
  const settlement = { v: 1, outcome: 'failed', error } as const;
  const terms = error === 'client_closed' ? { leaveToWorker: true } : { takeBack: isRefused };
  const { kind } = await settle(redis, { requestId, keyId, settlement, freeFailuresPerHour, cancel: true, ...terms });
  if (kind === 'in work') {
    request.notBefore = performance.now() + STOP_REPEAT_MS;
    return false;
  }
  request.onSettled();
  await queue.remove(requestId);
  return true;
}
