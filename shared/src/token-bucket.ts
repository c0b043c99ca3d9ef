/** Lets a bounded number through. */
export interface TokenBucket {
  /** Whether one more may pass. */
  take(): boolean;
}

export interface TokenBucketSize {
  readonly atOnce: number;
  readonly perSecond: number;
}

/**
 * Lets so many through at once, and so many a second in the long run.
 *
 * @param now for tests: the time in ms, by a monotonic clock
 */
export function createTokenBucket(
  { atOnce, perSecond }: TokenBucketSize,
  now: () => number = () => performance.now(),
): TokenBucket {
  let left = atOnce;
  let countedAt = now();
  return {
    take() {
      const at = now();
      left = Math.min(atOnce, left + ((at - countedAt) * perSecond) / 1_000);
      countedAt = at;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
