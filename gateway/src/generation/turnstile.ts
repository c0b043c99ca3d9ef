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

/** Somebody in line: called with whether there is a place. */
type InLine = (isLetIn: boolean) => void;

/**
 * Places are counted by hand. A queue of a library (p-queue) makes three promises, an event and an asynchronous context of each
 * request, a tenth of what one allocates here, and most requests meet no line.
 */
export function createTurnstile(mostInside: number = MOST_INSIDE): Turnstile {
  let inside = 0;
  let line: InLine[] = [];
  /** Where the line begins: taking from the front of a long list would move all of it each time. */
  let first = 0;

  const leave = () => {
    const next = line[first];
    if (next === undefined) {
      inside--;
      return;
    }
    // The place passes from one to the next.
    line[first++] = nobody;
    if (first * 2 > line.length) [line, first] = [line.slice(first), 0];
    next(true);
  };

  return {
    async pass(work) {
      if (inside < mostInside) inside++;
      else if (!(await new Promise<boolean>((resolve) => line.push(resolve)))) return undefined;
      try {
        return await work();
      } finally {
        leave();
      }
    },
    sendAway() {
      const waiting = line.slice(first);
      [line, first] = [[], 0];
      for (const refuse of waiting) refuse(false);
    },
  };
}

const nobody: InLine = () => undefined;
