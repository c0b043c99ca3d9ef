const FIRST_MS = 250;
const MOST_MS = 5_000;
const HEALTHY_MS = 10_000;

/**
 * How long to wait before a process that died is started again: 250 ms, doubling to 5 s, from the beginning again once
 * it ran for 10 s.
 *
 * @param lastDelayMs the wait before its last start; 0 for the first
 * @param ranMs how long it ran this time
 */
export function restartDelayMs(lastDelayMs: number, ranMs: number): number {
  if (lastDelayMs === 0 || ranMs >= HEALTHY_MS) return FIRST_MS;
  return Math.min(lastDelayMs * 2, MOST_MS);
}
