import type { Logger } from './logger.ts';

/**
 * Lets something through at most once in an interval.
 *
 * @returns asked each time: how many were held back before this one, or `undefined` for one to hold back
 */
export function createThrottle(intervalMs = 1_000): () => number | undefined {
  let lastAt = Number.NEGATIVE_INFINITY;
  let heldBack = 0;
  return () => {
    const now = performance.now();
    if (now - lastAt < intervalMs) {
      heldBack++;
      return undefined;
    }
    const before = heldBack;
    [lastAt, heldBack] = [now, 0];
    return before;
  };
}

/**
 * Warns about something that may happen thousands of times a second (Redis is away) at most once a second; the next
 * line tells how many were held back.
 */
export function throttledWarning(logger: Logger, message: string, intervalMs?: number): (error: unknown) => void {
  const throttle = createThrottle(intervalMs);
  return (error) => {
    const heldBack = throttle();
    if (heldBack === undefined) return;
    logger.warn({ reason: error instanceof Error ? error.message : String(error), heldBack }, message);
  };
}
