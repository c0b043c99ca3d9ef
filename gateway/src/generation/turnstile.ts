import PQueue from 'p-queue';

/** Requests that are on their way to the queue at once. Redis has answered so many long before a command times out. */
const MOST_INSIDE = 256;

/**
 * Lets a bounded number of requests go to Redis at once; the others wait in line, in the order of their arrival.
 *
 * Without it a burst of thousands would put thousands of commands into one connection. This process would still be
 * reading requests when the first of them time out, and refuse what Redis had long answered.
 */
export interface Turnstile {
  /** Waits for a place, works, and frees the place. @returns what came of the work, or `undefined` when refused */
  pass<Value>(work: () => Promise<Value>): Promise<Value | undefined>;
  /** Refuses all that wait, because Redis does not answer: no request is to wait longer than for one command. */
  sendAway(): void;
}

/** Places and line are p-queue's, which costs a request 1 µs more than counting by hand did, and 3 µs in a burst. */
export function createTurnstile(mostInside: number = MOST_INSIDE): Turnstile {
  const queue = new PQueue({ concurrency: mostInside });
  return {
    async pass(work) {
      let isInside = false;
      const enter = () => {
        isInside = true;
        return work();
      };
      try {
        return await queue.add(enter);
      } catch (error) {
        if (isInside) throw error;
        return undefined;
      }
    },
    sendAway: () => queue.clear(),
  };
}
