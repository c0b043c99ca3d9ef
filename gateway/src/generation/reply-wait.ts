import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { within } from '@lontar/shared/within.ts';

/** A wait for a settlement. */
export interface ReplyWait {
  readonly reply: Promise<Settlement | 'given up'>;
  /** Aborts when the caller has left. */
  readonly gone?: AbortSignal;
  /** How long to wait at most, ms. */
  readonly waitMs: number;
}

/** Waits for the first of: the reply, the gateway's own end, the caller's leaving, the end of its patience. Never rejects. */
export async function firstOf({
  reply,
  gone,
  waitMs,
}: ReplyWait): Promise<Settlement | 'given up' | 'deadline' | 'gone'> {
  let onGone: (() => void) | undefined;
  const left = new Promise<'gone'>((resolve) => {
    onGone = () => resolve('gone');
    if (gone?.aborted) resolve('gone');
    gone?.addEventListener('abort', onGone, { once: true });
  });
  try {
    return await within(waitMs, Promise.race([reply, left]), () => 'deadline' as const);
  } finally {
    if (onGone) gone?.removeEventListener('abort', onGone);
  }
}
