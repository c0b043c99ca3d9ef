import { QUEUE_KEYS, queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { runTurn, type Turn, type TurnResult } from '@lontar/shared/settlement/turn.ts';

const giveBackScript = loadScript(new URL('./give-back-unheard.lua', import.meta.url));

/** A take that was on its way when the connection broke may reach Redis after its successor: looked for once more then, ms. */
const LATE_MS = 1_000;

/** Takes that were given up take nothing for so long: longer than one may be on its way, ms. */
const VOID_MS = 60_000;

export interface WatchedTakes {
  /** The connection that takes go by, where it is not the one by which they are looked for. */
  readonly by?: Redis;
  /**
   * Whether takes may wait in Redis before they run: one that is in doubt takes nothing any more where it has not run, and so
   * is one that is under way when `close` is called.
   */
  readonly mayWait?: boolean;
}

/** A take whose connection broke, or that failed. */
export interface DoubtfulTake {
  /** The lock of its jobs; no other take has it. */
  readonly lock: string;
  /** The jobs that its reply brought, where one came: of the last time that it was sent. */
  readonly heard: readonly string[];
}

/**
 * Gives back jobs that takes have taken without their reply being heard. See give-back-unheard.lua for the contract. Safe to
 * repeat.
 *
 * @param voidMs for how long takes under these locks take nothing that run from now on, ms
 * @throws when Redis fails; the jobs then come back when their locks end
 */
export async function giveBackUnheard(redis: Redis, takes: readonly DoubtfulTake[], voidMs = 0): Promise<string[]> {
  const { waiting, active, stalled, marker, meta } = queueKeys;
  const args = [
    QUEUE_KEYS,
    takes.length,
    voidMs,
    ...takes.map(({ lock }) => lock),
    ...takes.flatMap(({ heard }) => heard),
  ];
  return (await giveBackScript(redis, [waiting, active, stalled, marker, meta], args)) as string[];
}

export interface UnheardTakes {
  /**
   * Runs a turn.
   *
   * @throws as `runTurn`; what it has taken all the same is given back
   */
  run(turn: Turn): Promise<TurnResult>;
  /** Looks for what is still in doubt, and for nothing more. Never rejects: what Redis does not give back comes when its lock ends. */
  close(): Promise<void>;
}

/**
 * Finds the jobs of takes whose reply was lost: a connection that breaks sends them again once it is made anew, and the second
 * time they take other jobs. Nothing is asked of Redis as long as no connection breaks.
 * Never throws itself.
 *
 * @param redis the connection by which they are looked for, and by which takes go
 */
export function watchTakes(redis: Redis, { by = redis, mayWait = false }: WatchedTakes = {}): UnheardTakes {
  let breaks = 0;
  let doubtful: DoubtfulTake[] = [];
  let lookedFor: DoubtfulTake[] = [];
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<unknown> = Promise.resolve();
  const underWay = new Set<string>();
  let closed = false;
  const noteBreak = () => breaks++;
  by.on('close', noteBreak);

  const look = () => {
    timer = undefined;
    const takes = [...doubtful, ...lookedFor];
    // What is void by then need not be looked for again.
    lookedFor = mayWait ? [] : doubtful;
    doubtful = [];
    if (takes.length > 0) looking = giveBackUnheard(redis, takes, mayWait ? VOID_MS : 0).catch(() => undefined);
    if (lookedFor.length > 0) timer = setTimeout(look, LATE_MS).unref();
  };

  const doubt = (take: DoubtfulTake) => {
    // One that may wait was in doubt when it was closed.
    if (closed && mayWait) return;
    doubtful.push(take);
    // All that end in this turn are looked for at once; what is looked for again may come a little earlier.
    clearTimeout(timer);
    timer = setTimeout(look, 0);
  };

  return {
    async run(turn) {
      const { lock, take } = turn;
      const before = breaks;
      let heard: string[] = [];
      let isCertain = take === 0;
      underWay.add(lock);
      try {
        const result = await runTurn(by, turn);
        if (!(result.taken instanceof Error)) {
          heard = result.taken.map(([requestId]) => requestId);
          isCertain ||= breaks === before;
        }
        return result;
      } finally {
        underWay.delete(lock);
        if (!isCertain) doubt({ lock, heard });
      }
    },
    async close() {
      if (mayWait && !closed) for (const lock of underWay) doubtful.push({ lock, heard: [] });
      closed = true;
      by.off('close', noteBreak);
      clearTimeout(timer);
      look();
      clearTimeout(timer);
      await looking;
    },
  };
}
