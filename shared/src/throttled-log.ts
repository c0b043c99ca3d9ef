import type { Logger } from './logger.ts';

/**
 * Warns about something that may happen thousands of times a second (Redis is away) at most once a second; the next
 * line tells how many were held back.
 */
export function throttledWarning(logger: Logger, message: string, intervalMs = 1_000): (error: unknown) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let heldBack = 0;
  return (error) => {
    const now = performance.now();
    if (now - lastAt < intervalMs) {
      heldBack++;
      return;
    }
    lastAt = now;
    logger.warn({ reason: error instanceof Error ? error.message : String(error), heldBack }, message);
    heldBack = 0;
  };
}
