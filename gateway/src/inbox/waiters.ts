import type { Logger } from '@lontar/shared/logger.ts';
import { parseSettlement, type Settlement } from '@lontar/shared/settlement/settlement.ts';

interface Waiter {
  readonly since: number;
  resolve(settlement: Settlement | 'given up'): void;
}

/** Who waits for which request. A reply goes to the waiter of its request id, or is dropped. */
export interface Waiters {
  wait(requestId: string): Promise<Settlement | 'given up'>;
  /** Ends all waits. */
  giveUp(): void;
  forget(requestId: string): void;
  /** Hands over a settlement, as JSON; unknown ids are dropped. */
  deliver(requestId: string, json: string): void;
  /** Request ids that have waited for at least so long, ms. */
  overdue(olderThanMs: number): string[];
  count(): number;
}

export function createWaiters(logger: Logger): Waiters {
  const waiters = new Map<string, Waiter>();
  return {
    wait: (requestId) =>
      new Promise((resolve) => {
        waiters.set(requestId, { since: performance.now(), resolve });
      }),
    giveUp() {
      for (const { resolve } of waiters.values()) resolve('given up');
      waiters.clear();
    },
    forget: (requestId) => void waiters.delete(requestId),
    deliver(requestId, json) {
      const waiter = waiters.get(requestId);
      if (!waiter) return;
      const settlement = parseSettlement(json);
      if (settlement === undefined) {
        logger.error({ requestId }, 'a reply has an unknown form');
        return;
      }
      waiters.delete(requestId);
      waiter.resolve(settlement);
    },
    overdue(olderThanMs) {
      const latest = performance.now() - olderThanMs;
      return [...waiters].filter(([, { since }]) => since <= latest).map(([id]) => id);
    },
    count: () => waiters.size,
  };
}
