/** As many as the log keeps, so that a burst loses none. */
const AT_ONCE = 1_000;
/** Between bursts each then stays in the log for 20 seconds, with one gateway. */
const PER_SECOND = 50;

/** How many texts a gateway sends for the log. */
export interface TextPace {
  /** Whether the texts of one more request are to be sent. */
  take(): boolean;
}

/**
 * Lets the texts of a thousand requests through at once, and of fifty a second in the long run. The log keeps those of the newest
 * thousand rows: at a higher pace each pushes out another one before somebody has opened its row, and still has to be written to
 * Redis twice.
 *
 * @param now for tests: the time in ms
 */
export function createTextPace(now: () => number = () => performance.now()): TextPace {
  let left = AT_ONCE;
  let countedAt = now();
  return {
    take() {
      const at = now();
      left = Math.min(AT_ONCE, left + ((at - countedAt) * PER_SECOND) / 1_000);
      countedAt = at;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
