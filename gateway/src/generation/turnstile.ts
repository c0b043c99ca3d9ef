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

export function createTurnstile(mostInside: number = MOST_INSIDE): Turnstile {
  let inside = 0;
  let line: ((isLetIn: boolean) => void)[] = [];
  let next = 0;

  function leave(): void {
    const letIn = line[next];
    if (letIn === undefined) {
      inside--;
      return;
    }
    next++;
    // Those who are through are dropped now and then; dropping each would move the whole line.
    if (next > mostInside) {
      line = line.slice(next);
      next = 0;
    }
    letIn(true);
  }

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
      const waiting = line.slice(next);
      line = [];
      next = 0;
      for (const letIn of waiting) letIn(false);
    },
  };
}
