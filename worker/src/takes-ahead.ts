import { isMet } from '@lontar/shared/clock-correction.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { TurnResult } from '@lontar/shared/settlement/turn.ts';
import { watchTakes } from './recovery/unheard-takes.ts';

/**
 * Jobs that a take ahead takes at most: those that come one by one. It is sent before they are there, and what a worker takes
 * that hangs by then waits until its locks end. Where more have come, the next take brings them.
 */
const MOST_TAKEN_AHEAD = 8;

/** What a take ahead has brought. */
export interface TakenAhead {
  readonly lock: string;
  readonly result: TurnResult;
  /** Whether it took the last job that waited. */
  readonly isLast: boolean;
}

/** Takes that are sent together with the command that waits for jobs, and run when it is over: one of them at most. */
export interface TakesAhead {
  /**
   * Sends one behind a command that waits and was sent in this turn of the event loop; none where the connection is not
   * ready, or one is under way.
   *
   * @param free places that no job has
   * @param onTaken called when it has run, in any case before `heard` says so
   */
  send(lock: string, free: number, onTaken: (taken: TakenAhead) => void): void;
  /** Places that are kept for one that is under way. */
  readonly places: number;
  /** When the latest one has run, or is lost; undefined where none was sent since it was asked the last time. Never rejects. */
  heard(): Promise<TakenAhead | undefined> | undefined;
  /** Gives up one that is under way, so that it takes nothing, and gives back what it has taken. Never rejects. */
  close(): Promise<void>;
}

/**
 * Sends takes ahead. A job that comes while a worker waits then wakes that worker once, and Redis once less, instead of telling
 * it to ask for the job. Never throws.
 *
 * @param redis where what is in doubt is looked for
 * @param waiting the connection by which jobs are waited for
 */
export function createTakesAhead(redis: Redis, waiting: Redis): TakesAhead {
  const watch = watchTakes(redis, { by: waiting, mayWait: true });
  let places = 0;
  let latest: Promise<TakenAhead | undefined> | undefined;

  const run = async (lock: string, take: number, onTaken: (taken: TakenAhead) => void) => {
    places = take;
    try {
      const result = await watch.run({ endings: [], take, lock });
      // A take that failed is made again in the usual way, which says why it fails.
      if (result.taken instanceof Error) return undefined;
      const ahead = { lock, result, isLast: result.taken.length < take };
      onTaken(ahead);
      return ahead;
    } catch {
      return undefined;
    } finally {
      places = 0;
    }
  };

  return {
    send(lock, free, onTaken) {
      const take = Math.min(free, MOST_TAKEN_AHEAD);
      if (take > 0 && isMet(waiting) && places === 0) latest = run(lock, take, onTaken);
    },
    get places() {
      return places;
    },
    heard() {
      const heard = latest;
      latest = undefined;
      return heard;
    },
    close: watch.close,
  };
}
