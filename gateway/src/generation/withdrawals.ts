import type { GenerationFailure } from '@lontar/shared/errors.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';

const RETRY_MS = 100;
const AT_ONCE = 100;
/** Requests kept in memory while Redis is away; the sweeper gives the reservations of others back when they end. */
const MOST_PENDING = 20_000;

/** Takes back requests whose callers have got another answer, or none, while Redis could not be told so. */
export interface Withdrawals {
  /**
   * Settles a request as failed, as soon as Redis acknowledges it. Where a worker has settled it before, its charge is
   * given back.
   */
  add(requestId: string, keyId: string, error: GenerationFailure): void;
  stop(): void;
}

/**
 * A caller who was refused is gone, but its job may be in the queue all the same: only the reply of the write was lost.
 * So a withdrawal is repeated until Redis has it; workers let it go first (see `askToRun` in process-generation.ts).
 */
export function openWithdrawals(deps: {
  readonly redis: Redis;
  readonly queue: GenerationQueue;
  readonly onRedisFailure: (error: unknown) => void;
}): Withdrawals {
  const { redis, queue } = deps;
  const pending = new Map<string, { readonly keyId: string; readonly error: GenerationFailure }>();
  let working = false;

  async function withdraw(requestId: string): Promise<void> {
    const request = pending.get(requestId);
    if (!request) return;
    const settlement = { v: 1, outcome: 'failed', error: request.error } as const;
    await settle(redis, { requestId, keyId: request.keyId, settlement, cancel: true, takeBack: true });
    pending.delete(requestId);
    await queue.remove(requestId);
  }

  async function withdrawAll(): Promise<void> {
    if (working || redis.status !== 'ready') return;
    working = true;
    try {
      while (pending.size > 0) await Promise.all([...pending.keys()].slice(0, AT_ONCE).map(withdraw));
    } catch (error) {
      deps.onRedisFailure(error);
    } finally {
      working = false;
    }
  }

  const timer = setInterval(() => void withdrawAll(), RETRY_MS);
  const atOnce = () => void withdrawAll();
  redis.on('ready', atOnce);
  return {
    add(requestId, keyId, error) {
      if (pending.size >= MOST_PENDING) return;
      pending.set(requestId, { keyId, error });
      void withdrawAll();
    },
    stop() {
      clearInterval(timer);
      redis.off('ready', atOnce);
    },
  };
}
