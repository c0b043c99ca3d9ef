import type { Trouble } from '@lontar/shared/dashboard-contract.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import { listInstances } from '@lontar/shared/instances.ts';
import { readRecentOutcomes } from '@lontar/shared/moments.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type FoundTrouble, judgeTroubles, type TroubleReading } from './judge-troubles.ts';

/** How often it is looked, whether or not an operator watches: since when something is wrong has to be known, ms. */
const LOOK_EVERY_MS = 5_000;
/** Moments of ten seconds that make five minutes. */
const RECENT_MOMENTS = 30;

export interface TroubleDeps {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly queue: GenerationQueue;
  readonly requestTimeoutMs: number;
  /** Where runbooks can be read; absent where the operator has not said so. */
  readonly runbooksUrl?: string | undefined;
}

export interface TroubleWatch {
  /** What is wrong now, the worst first. */
  readonly now: readonly Trouble[];
  stop(): void;
}

/**
 * Looks every few seconds for what is wrong, and notes since when. Never throws: where Redis fails, what was seen last stays.
 *
 * @param onChange called when a trouble came or went
 */
export function watchTroubles(deps: TroubleDeps, onChange: () => void): TroubleWatch {
  let seen: readonly Trouble[] = [];
  let looking = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      const found = rememberSince(judgeTroubles(await readTroubles(deps)), seen, deps.clock.now());
      const before = JSON.stringify(seen);
      seen = found.map((trouble) => withLink(trouble, deps.runbooksUrl));
      if (JSON.stringify(seen) !== before) onChange();
    } catch {
      // Each part of the page says by itself that Redis does not answer.
    } finally {
      looking = false;
    }
  };
  void look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return {
    get now() {
      return seen;
    },
    stop: () => clearInterval(timer),
  };
}

/** A trouble began when it says so, else when it was seen first. */
export function rememberSince(found: readonly FoundTrouble[], before: readonly Trouble[], now: number): Trouble[] {
  return found.map((trouble) => ({
    ...trouble,
    since: trouble.since ?? before.find(({ id }) => id === trouble.id)?.since ?? now,
  }));
}

/** With the address of its runbook, where there is one. */
export function withLink(trouble: Trouble, runbooksUrl: string | undefined): Trouble {
  if (runbooksUrl === undefined) return trouble;
  return { ...trouble, runbookUrl: `${runbooksUrl}${runbooksUrl.endsWith('/') ? '' : '/'}${trouble.runbook}.md` };
}

/** @throws when Redis fails */
async function readTroubles({ redis, clock, queue, requestTimeoutMs }: TroubleDeps): Promise<TroubleReading> {
  const now = clock.now();
  const [instances, backlog, recent] = await Promise.all([
    listInstances(redis),
    queue.state(),
    readRecentOutcomes(redis, now, RECENT_MOMENTS),
  ]);
  return { now, instances, backlog, recent, longestJobMs: requestTimeoutMs };
}
