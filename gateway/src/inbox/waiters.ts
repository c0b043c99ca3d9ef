import type { Logger } from '@lontar/shared/logger.ts';
import { parseSettlement, type Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { ReadJson } from '@lontar/shared/settlement/text-literal.ts';

/** A wait for one request's settlement. */
export interface Waiting {
  /** Resolves when the settlement arrives, or all waits are given up; stays open where it is forgotten. */
  readonly reply: Promise<Settlement | 'given up'>;
  /** Ends the wait; a later reply is dropped. */
  forget(): void;
}

/**
 * Who waits for which request: its caller, and those who ask for its answer once more. A reply goes to all of them, or is
 * dropped.
 */
export interface Waiters {
  wait(requestId: string): Waiting;
  /** Ends all waits. */
  giveUp(): void;
  /** Hands over a settlement, as JSON; unknown ids are dropped. */
  deliver(requestId: string, json: ReadJson): void;
  /** Whether somebody waits for this request. */
  has(requestId: string): boolean;
  /** A frame of the request has come: it is not settled yet. */
  noteOpen(requestId: string): void;
  /** Request ids that have been waited for at least so long, and so long since their last frame, ms. */
  overdue(olderThanMs: number): string[];
  count(): number;
}

interface Waiter {
  since: number;
  /** Of no more use once it was called. A map's earlier tables hold their entries until a full collection: not its answer. */
  resolve: (settlement: Settlement | 'given up') => void;
  /** One who came earlier, and waits for the same request. */
  earlier: Waiter | undefined;
}

export function createWaiters(logger: Logger): Waiters {
  const waiters = new Map<string, Waiter>();
  return {
    wait(requestId) {
      const { promise: reply, resolve } = Promise.withResolvers<Settlement | 'given up'>();
      const waiter: Waiter = { since: performance.now(), resolve, earlier: waiters.get(requestId) };
      waiters.set(requestId, waiter);
      return { reply, forget: () => takeOut(waiters, requestId, waiter) };
    },
    giveUp() {
      for (const waiter of waiters.values()) resolveAll(waiter, 'given up');
      waiters.clear();
    },
    deliver(requestId, json) {
      const waiter = waiters.get(requestId);
      if (!waiter) return;
      // Bytes are handed on once.
      const settlement = parseSettlement(waiter.earlier ? json.toString() : json);
      if (settlement === undefined) {
        logger.error({ requestId }, 'a reply has an unknown form');
        return;
      }
      waiters.delete(requestId);
      resolveAll(waiter, settlement);
    },
    has: (requestId) => waiters.has(requestId),
    noteOpen(requestId) {
      const waiter = waiters.get(requestId);
      if (waiter) waiter.since = performance.now();
    },
    overdue(olderThanMs) {
      const latest = performance.now() - olderThanMs;
      return [...waiters].filter(([, { since }]) => since <= latest).map(([id]) => id);
    },
    count: () => waiters.size,
  };
}

function resolveAll(latest: Waiter, settlement: Settlement | 'given up'): void {
  let waiter: Waiter | undefined = latest;
  while (waiter) {
    const { resolve, earlier }: Waiter = waiter;
    resolve(settlement);
    letGo(waiter);
    waiter = earlier;
  }
}

function letGo(waiter: Waiter): void {
  waiter.resolve = nothing;
  waiter.earlier = undefined;
}

const nothing = () => undefined;

function takeOut(waiters: Map<string, Waiter>, requestId: string, gone: Waiter): void {
  const latest = waiters.get(requestId);
  if (latest !== gone) {
    let later = latest;
    while (later !== undefined && later.earlier !== gone) later = later.earlier;
    if (later) later.earlier = gone.earlier;
  } else if (gone.earlier) waiters.set(requestId, gone.earlier);
  else waiters.delete(requestId);
  letGo(gone);
}
