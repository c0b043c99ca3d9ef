import type { GenerationFailure } from '@lontar/shared/errors.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { Withdrawals } from './withdrawals.ts';

export interface AwaitInput {
  readonly requestId: string;
  readonly keyId: string;
  readonly reply: Promise<Settlement | 'given up'>;
  /** Aborts when the caller has left. */
  readonly gone: AbortSignal;
  /** How long to wait at most, ms. */
  readonly waitMs: number;
}

export interface AwaitDeps {
  readonly redis: Redis;
  readonly queue: GenerationQueue;
  readonly withdrawals: Withdrawals;
  readonly onRedisFailure: (error: unknown) => void;
}

/**
 * Waits for the first of: the reply, the deadline, the caller's leaving, the gateway's own end. All but the first settle
 * the request here, which stops the work on it; where a worker was faster, its settlement counts.
 *
 * @returns the one settlement of the request; never rejects
 */
export async function awaitSettlement(deps: AwaitDeps, input: AwaitInput): Promise<Settlement> {
  const end = await firstOf(input);
  if (typeof end === 'object') return end;
  const error = ENDINGS[end];
  const settlement: Settlement = { v: 1, outcome: 'failed', error };
  try {
    const { requestId, keyId } = input;
    // Both at once: the queue's job must go fast, and neither needs the other's answer.
    const [result] = await Promise.all([
      settle(deps.redis, { requestId, keyId, settlement, cancel: true }),
      deps.queue.remove(requestId),
    ]);
    return result.kind === 'already' ? result.settlement : settlement;
  } catch (failure) {
    deps.onRedisFailure(failure);
    deps.withdrawals.add(input.requestId, input.keyId, error);
    return settlement;
  }
}

const ENDINGS = {
  deadline: 'timed_out',
  gone: 'client_closed',
  'given up': 'service_unavailable',
} as const satisfies Record<string, GenerationFailure>;

async function firstOf({ reply, gone, waitMs }: AwaitInput): Promise<Settlement | keyof typeof ENDINGS> {
  let timer: NodeJS.Timeout | undefined;
  let onGone: (() => void) | undefined;
  const deadline = new Promise<'deadline'>((resolve) => {
    timer = setTimeout(() => resolve('deadline'), Math.max(0, waitMs));
  });
  const left = new Promise<'gone'>((resolve) => {
    onGone = () => resolve('gone');
    if (gone.aborted) resolve('gone');
    gone.addEventListener('abort', onGone, { once: true });
  });
  try {
    return await Promise.race([reply, deadline, left]);
  } finally {
    clearTimeout(timer);
    if (onGone) gone.removeEventListener('abort', onGone);
  }
}
