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
 * line says how many were held back.
 */
export function throttledWarning(logger: Logger, message: string, intervalMs?: number): (error: unknown) => void {
  const throttle = createThrottle(intervalMs);
  return (error) => {
    const heldBack = throttle();
    if (heldBack === undefined) return;
    logger.warn({ reason: error instanceof Error ? error.message : String(error), heldBack }, message);
  };
}

type Level = 'info' | 'warn' | 'error';

/** A logger's lines, written at most once a second for each message and reason; those of `debug` all. */
export type ThrottledLogger = Readonly<Record<Level | 'debug', (fields: LineFields, message: string) => void>>;

interface LineFields {
  readonly reason?: string;
  readonly [name: string]: unknown;
}

/** Messages and reasons that are counted apart; there are a few messages. */
const MOST_THROTTLES = 100;

/**
 * A logger for lines that callers can cause at will. Of each message and reason it writes one line a
 * second; the next one says how many were held back.
 */
export function throttleLines(logger: Logger, intervalMs?: number): ThrottledLogger {
  const throttles = new Map<string, () => number | undefined>();
  const write = (level: Level) => (fields: LineFields, message: string) => {
    const own = `${message} ${fields.reason ?? ''}`;
    // Reasons may come from outside: beyond the bound those of a message share its line.
    const key = throttles.size < MOST_THROTTLES || throttles.has(own) ? own : message;
    const throttle = throttles.get(key) ?? createThrottle(intervalMs);
    throttles.set(key, throttle);
    const heldBack = throttle();
    if (heldBack !== undefined) logger[level]({ ...fields, ...(heldBack > 0 && { heldBack }) }, message);
  };
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}
