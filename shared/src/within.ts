import pTimeout from 'p-timeout';

/**
 * Runs something when a time is over, and a turn of the event loop later: after a stall of this process what was waited for may
 * be there, waiting to be read, while timers come first.
 *
 * @param ms how long, ms; less than one counts as one
 */
export function afterReading(ms: number, run: () => void): NodeJS.Timeout {
  return setTimeout(setImmediate, Math.max(1, ms), run);
}

const AFTER_READING = {
  setTimeout: ((run: () => void, ms: number) => afterReading(ms, run)) as typeof setTimeout,
  clearTimeout,
};

/**
 * Waits for work, but not for ever. The work itself goes on; its failure is of no interest once the time is over. Not
 * `AbortSignal.timeout`, which costs ten times as much and lets the process end during a wait.
 *
 * @param ms how long, ms; less than one counts as one
 * @param otherwise what it gives when the time is over, or throws; `undefined` where absent
 * @throws what the work throws in time, or `otherwise`
 */
export function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined>;
export function within<Value, Other>(ms: number, work: Promise<Value>, otherwise: () => Other): Promise<Value | Other>;
export function within<Value>(
  ms: number,
  work: Promise<Value>,
  otherwise: () => unknown = () => undefined,
): Promise<unknown> {
  return pTimeout(work, { milliseconds: Math.max(1, ms), fallback: otherwise, customTimers: AFTER_READING });
}
