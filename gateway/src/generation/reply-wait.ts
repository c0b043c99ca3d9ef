import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { afterReading } from '@lontar/shared/within.ts';
import type { Leaving } from '../envelope/leaving.ts';

/** A wait for a settlement. */
export interface ReplyWait {
  /** Never rejects. */
  readonly reply: Promise<Settlement | 'given up'>;
  readonly gone?: Leaving;
  /** How long to wait at most, ms. */
  readonly waitMs: number;
}

/** What came first. */
export type FirstEnd = Settlement | 'given up' | 'deadline' | 'gone';

/**
 * Waits for the first of: the reply, the gateway's own end, the caller's leaving, the end of its patience. Never rejects.
 * One promise for all four: nearly every request waits here, and what it waits with is its memory in flight.
 */
export function firstOf({ reply, gone, waitMs }: ReplyWait): Promise<FirstEnd> {
  return new Promise((resolve) => {
    const end = (first: FirstEnd) => {
      clearTimeout(timer);
      gone?.untell(onGone);
      resolve(first);
    };
    const onGone = () => end('gone');
    const timer = afterReading(waitMs, () => end('deadline'));
    void reply.then(end);
    // A reply that is here goes first.
    if (gone?.isGone) queueMicrotask(onGone);
    else gone?.tell(onGone);
  });
}
