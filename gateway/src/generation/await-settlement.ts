import type { GenerationFailure } from '@lontar/shared/errors.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { Replication } from '@lontar/shared/replication/replication.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { STOP_REPEAT_MS } from '@lontar/shared/time-budget.ts';
import type { Leaving } from '../envelope/leaving.ts';
import { type FirstEnd, firstOf } from './reply-wait.ts';
import type { Withdrawals } from './withdrawals.ts';

export interface AwaitInput {
  readonly requestId: string;
  readonly keyId: string;
  readonly reply: Promise<Settlement | 'given up'>;
  readonly gone: Leaving;
  /** Their key lets the request go on: their leaving ends nothing. */
  readonly onDisconnect?: 'finish' | undefined;
  /** How long to wait at most, ms. */
  readonly waitMs: number;
  /** Whether some of the answer was sent: the rest is for another gateway then, should this one end before the answer. */
  readonly isBegun?: () => boolean;
  /** Whether others read the answer as well: the work then goes on without this caller. */
  readonly hasOtherReaders?: () => Promise<boolean>;
}

export interface AwaitDeps {
  readonly redis: Redis;
  readonly queue: GenerationQueue;
  readonly withdrawals: Withdrawals;
  /** `FREE_FAILURES_PER_HOUR`. */
  readonly freeFailuresPerHour: number;
  readonly onRedisFailure: (error: unknown) => void;
  readonly replication?: Replication | undefined;
}

/**
 * Waits for the first of: the reply, the deadline, the caller's leaving, the gateway's own end. All but the first settle
 * the request here, which stops the work on it; where a worker was faster, its settlement counts. What a caller who has left
 * pays only the worker knows that has the job: it is asked to stop, and its settlement waited for. Where the caller's key
 * lets the request go on, it is waited for as if the caller were there, so that its answer is charged, reported and kept;
 * only a gateway that stops leaves it to the worker.
 *
 * A stream that has begun is not settled where the gateway ends, nor where others read the same answer, nor where its reader
 * was cut for being slow: it goes on, and can be asked for once more.
 *
 * @returns the one settlement of the request, without `charged` where the request goes on, or Redis could not take the end;
 *   never rejects
 */
export function awaitSettlement(deps: AwaitDeps, input: AwaitInput): Promise<Settlement> {
  const endsAt = performance.now() + input.waitMs;
  // No async function: nearly every request waits here, and a suspended one is 400 bytes of its memory.
  return firstOf(input).then((end) => (typeof end === 'object' ? end : endWithoutReply(deps, input, { end, endsAt })));
}

async function endWithoutReply(
  deps: AwaitDeps,
  input: AwaitInput,
  { end: first, endsAt }: { readonly end: Exclude<FirstEnd, Settlement>; readonly endsAt: number },
): Promise<Settlement> {
  let end: FirstEnd = first;
  const goesOn = end === 'gone' && (await maySettleAlone(input));
  if (goesOn) end = await firstOf({ reply: input.reply, waitMs: endsAt - performance.now() });
  if (typeof end === 'object') return end;
  // Left unsettled: a worker goes on with it.
  if (end === 'given up' && goesOn) return failed('client_closed');
  if (end === 'given up' && input.isBegun?.()) return failed('service_unavailable');
  if (end !== 'gone') {
    return (await settleHere(deps, input, ENDINGS[end], { isRefused: !goesOn })) ?? failed(ENDINGS[end]);
  }
  for (;;) {
    const isOver = performance.now() >= endsAt;
    const settled = await settleHere(deps, input, 'client_closed', { leaveToWorker: !isOver });
    if (settled) return settled;
    const reply = await firstOf({ reply: input.reply, waitMs: STOP_REPEAT_MS });
    if (typeof reply === 'object') return reply;
    // The gateway has no more time: the request is marked, so that the worker settles it, or the worker that takes its
    // job over.
    if (reply === 'given up') return failed('client_closed');
  }
}

/** Whether the work goes on though the caller is gone. */
async function maySettleAlone({ gone, onDisconnect, isBegun, hasOtherReaders }: AwaitInput): Promise<boolean> {
  if (onDisconnect === 'finish' || (gone.reason === 'cut for pace' && isBegun?.() === true)) return true;
  return (await hasOtherReaders?.()) === true;
}

/** @returns `undefined` where a worker has the job and the settlement is left to it */
async function settleHere(
  deps: AwaitDeps,
  { requestId, keyId }: AwaitInput,
  error: GenerationFailure,
  { isRefused, ...terms }: { readonly leaveToWorker?: boolean; readonly isRefused?: boolean } = {},
): Promise<Settlement | undefined> {
  const { redis, queue, freeFailuresPerHour } = deps;
  const settlement = failed(error);
  try {
    // Both at once: the queue's job must go fast, and neither needs the other's answer. One that a worker has stays.
    const [result] = await Promise.all([
      settle(redis, { requestId, keyId, settlement, freeFailuresPerHour, cancel: true, ...terms }),
      queue.remove(requestId),
    ]);
    if (result.kind === 'in work') return undefined;
    await deps.replication?.held();
    return result.kind === 'settled' || result.kind === 'already' ? result.settlement : settlement;
  } catch (failure) {
    deps.onRedisFailure(failure);
    void deps.withdrawals.add(requestId, keyId, error, isRefused);
    return settlement;
  }
}

function failed(error: GenerationFailure): Settlement {
  return { v: 1, outcome: 'failed', error };
}

const ENDINGS = {
  deadline: 'timed_out',
  'given up': 'service_unavailable',
} as const satisfies Record<string, GenerationFailure>;
