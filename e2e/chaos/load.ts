import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerEntry } from './ledger.ts';

export interface Load {
  /** All requests sent so far. */
  readonly entries: readonly LedgerEntry[];
  /** Sends no more, and waits for the answers. */
  stop(): Promise<readonly LedgerEntry[]>;
}

/**
 * Sends requests at a steady rate, whatever becomes of them, as callers on the outside do.
 *
 * @param send one request; it enters itself into the ledger
 */
export function startLoad(perSecond: number, send: () => Promise<LedgerEntry>): Load {
  const entries: LedgerEntry[] = [];
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    // As many as are due by now: a tester that was late catches up.
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
    for (; sent < due; sent++) {
      const request = send().then((entry) => {
        entries.push(entry);
        open.delete(request);
      });
      open.add(request);
    }
  }, 5);
  return {
    entries,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return entries;
    },
  };
}

/** Sends for a while. */
export async function loadFor(
  seconds: number,
  perSecond: number,
  send: () => Promise<LedgerEntry>,
): Promise<readonly LedgerEntry[]> {
  const load = startLoad(perSecond, send);
  await delay(seconds * 1000);
  return load.stop();
}
