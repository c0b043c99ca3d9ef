import { writeGathered } from '@lontar/shared/patches/gather-writes.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { bytesOf, type Ended, type Ending, type TurnResult } from '@lontar/shared/settlement/turn.ts';
import { watchTakes } from './recovery/unheard-takes.ts';
import { createTakenJobs, type LockedJob } from './taken-jobs.ts';
import { createTakesAhead } from './takes-ahead.ts';

/** Endings in one script at most, and about how many bytes of them. */
const MOST_ENDINGS = 64;
const MOST_BYTES = 262_144;
/** Jobs that one script takes at most, so that a burst is shared among workers. */
const MOST_TAKEN = 64;

/** What a worker tells Redis, gathered into one script for each turn of its event loop. */
export interface Turns {
  /**
   * Settles and finishes as the ending says. The same script takes the next job where this worker asks for some.
   *
   * @throws when Redis refuses it, or cannot be reached: what became of it is unknown, and it may be sent again
   */
  end(ending: Ending): Promise<Ended>;
  /**
   * Takes as many jobs as there are places for, and as wait.
   *
   * @throws as `end`; jobs that were taken all the same are given back
   */
  take(): Promise<void>;
  /** Sends a take behind the command that waits for jobs, which was sent in this turn of the event loop (takes-ahead.ts). */
  takeAhead(): void;
  /** Waits until that take has run, or is lost. @returns whether there are jobs that were taken. Never rejects. */
  takenAhead(): Promise<boolean>;
  /** The next of the jobs that were taken, the oldest first; `undefined` where there is none. */
  next(): LockedJob | undefined;
  /** Whether the latest turn that took jobs took the last one that waited. True once: from then on there may be more. */
  wasEmptied(): boolean;
  /** When the next delayed job is due, Unix ms, as the latest turn that took jobs saw it; 0 where none is. */
  nextAt(): number;
  /** From now on there may be jobs again, whatever turns say that have been sent by now. */
  expectMore(): void;
  /** Takes no more jobs, and gives back those that were taken and not asked for. Endings go on. Never rejects. */
  close(): Promise<void>;
  readonly isClosed: boolean;
}

export interface TurnsOptions {
  readonly redis: Redis;
  /** The connection by which it waits for jobs. */
  readonly waiting: Redis;
  /** What the locks of this worker's jobs begin with; no other worker has it. */
  readonly name: string;
  /** How many jobs this worker has room for, beside those that it has. */
  places(): number;
  /** Whether it waits for the next job to come, and will ask for it then. */
  isWaiting(): boolean;
}

interface SentEnding {
  readonly ending: Ending;
  resolve(ended: Ended): void;
  reject(error: unknown): void;
}

interface Taker {
  resolve(): void;
  reject(error: unknown): void;
}

/** Never throws itself; its methods say how they fail. */
export function createTurns({ redis, waiting, name, places, isWaiting }: TurnsOptions): Turns {
  const taken = createTakenJobs(redis);
  const takes = watchTakes(redis);
  const ahead = createTakesAhead(redis, waiting);
  let taking = 0;
  let turn = 0;
  const emptiness = createEmptiness();
  let closed = false;

  const freePlaces = () => places() - taken.count - taking - ahead.places;

  function countToTake(ending: number, asking: number): number {
    if (closed) return 0;
    const free = freePlaces() + ending;
    // A taker has a place, whatever was counted here. The queue wakes a worker that waits.
    if (asking > 0) return Math.max(1, Math.min(free, MOST_TAKEN));
    return isWaiting() ? 0 : Math.max(0, Math.min(free, ending));
  }

  async function send(sent: readonly SentEnding[], asking: readonly Taker[]): Promise<void> {
    const take = countToTake(sent.length, asking.length);
    const lock = `${name}:${turn++}`;
    const note = emptiness.asOfNow();
    taking += take;
    try {
      if (sent.length + take > 0) {
        const result = await takes.run({ endings: sent.map(({ ending }) => ending), take, lock });
        report(sent, result);
        if (take > 0) {
          const jobs = lockedBy(lock, result);
          taken.add(jobs);
          note(jobs.length < take, result.nextAt);
        }
      }
      for (const { resolve } of asking) resolve();
    } catch (error) {
      for (const { reject } of [...sent, ...asking]) reject(error);
    } finally {
      taking -= take;
    }
  }

  return {
    ...gatherTurns(send, () => writeGathered(redis)),
    takeAhead() {
      const lock = `${name}:${turn++}`;
      if (!closed) ahead.send(lock, freePlaces(), ({ result }) => taken.add(lockedBy(lock, result)));
    },
    async takenAhead() {
      const heard = await ahead.heard();
      // What it saw comes after the wait, whenever it was sent.
      if (heard) emptiness.asOfNow()(heard.isLast, heard.result.nextAt);
      return taken.count > 0;
    },
    next: taken.next,
    ...emptiness,
    get isClosed() {
      return closed;
    },
    async close() {
      closed = true;
      await Promise.all([taken.close(), takes.close(), ahead.close()]);
    },
  };
}

/** Gathers what one turn of the event loop asks for, and sends it together. */
function gatherTurns(
  send: (sent: readonly SentEnding[], asking: readonly Taker[]) => Promise<void>,
  write: () => void,
): Pick<Turns, 'end' | 'take'> {
  let endings: SentEnding[] = [];
  let takers: Taker[] = [];

  function schedule(): void {
    if (endings.length + takers.length > 1) return;
    setImmediate(() => {
      const batches = splitEndings(endings);
      const asking = takers;
      endings = [];
      takers = [];
      const last = batches.pop() ?? [];
      for (const batch of batches) void send(batch, []);
      void send(last, asking);
      write();
    });
  }

  return {
    end: (ending) =>
      new Promise((resolve, reject) => {
        endings.push({ ending, resolve, reject });
        schedule();
      }),
    take: () =>
      new Promise((resolve, reject) => {
        takers.push({ resolve, reject });
        schedule();
      }),
  };
}

/** @throws what kept the script from taking jobs */
function lockedBy(lock: string, { taken }: TurnResult): LockedJob[] {
  if (taken instanceof Error) throw taken;
  return taken.map(([requestId, hash]) => ({ requestId, hash, lock }));
}

/** What turns have said of the queue's being empty. */
function createEmptiness() {
  let isEmptied = false;
  let dueAt = 0;
  let expected = 0;
  return {
    /** For a turn that is sent now: notes what it has seen, which is no news of emptiness once more was expected. */
    asOfNow() {
      const then = expected;
      return (emptied: boolean, nextAt: number) => {
        isEmptied = emptied && then === expected;
        dueAt = nextAt;
      };
    },
    wasEmptied() {
      const wasEmptied = isEmptied;
      isEmptied = false;
      return wasEmptied;
    },
    nextAt: () => dueAt,
    expectMore() {
      expected++;
      isEmptied = false;
    },
  };
}

function report(sent: readonly SentEnding[], { ended }: TurnResult): void {
  for (const [index, { resolve, reject }] of sent.entries()) {
    const result = ended[index];
    if (result === undefined || result instanceof Error) reject(result ?? new Error('Redis said nothing of it'));
    else resolve(result);
  }
}

/** Endings in their order, in batches of one script each. */
function splitEndings(sent: readonly SentEnding[]): SentEnding[][] {
  const batches: SentEnding[][] = [];
  let batch: SentEnding[] = [];
  let bytes = 0;
  for (const one of sent) {
    if (batch.length >= MOST_ENDINGS || bytes >= MOST_BYTES) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(one);
    bytes += bytesOf(one.ending);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
