import type { Logger } from './logger.ts';
import { within } from './within.ts';

/** How long a part has to stop at least, even where those before it used up the time of all, ms. */
const LEAST_STOP_MS = 100;

/** A part of a service that was started and can be stopped. */
export interface StartedPart {
  readonly name: string;
  stop(): Promise<void> | void;
  /** How long it may take at least, ms. */
  readonly leastMs: number;
}

/** Ends a start, because the service has been told to stop meanwhile. */
export class StoppedWhileStarting extends Error {
  constructor() {
    super('The service was told to stop while it was starting.');
    this.name = 'StoppedWhileStarting';
  }
}

export interface Lifecycle {
  /**
   * Registers a part that has just started; parts stop in the reverse of this order.
   *
   * @param leastMs how long it may take to stop where those before it used up the time of all
   * @throws StoppedWhileStarting where stopping has begun; the part is stopped with the others then
   */
  started(name: string, stop: StartedPart['stop'], leastMs?: number): void;
  /**
   * Waits for something that a start needs, as long as the service is to start at all.
   *
   * @throws StoppedWhileStarting as soon as stopping begins, or what the work throws
   */
  unlessStopped<Value>(work: Promise<Value>): Promise<Value>;
  /**
   * Stops all parts, last started first, and those that start meanwhile. Repeated calls wait for the same stop.
   *
   * @param start the service's start, whose end is waited for where it is not over yet
   * @returns whether everything stopped within the deadline
   */
  stop(timeoutMs: number, start?: Promise<unknown>): Promise<boolean>;
  /** Whether stopping has begun; readiness is then false. */
  readonly stopping: boolean;
}

/** Starts in order, stops in exact reverse, with a deadline for the whole. */
export function createLifecycle(logger: Logger): Lifecycle {
  const parts: StartedPart[] = [];
  const stopAsked = Promise.withResolvers<never>();
  // Of interest only while something waits for it.
  stopAsked.promise.catch(() => undefined);
  let stop: Promise<boolean> | undefined;

  async function stopParts(deadline: number): Promise<boolean> {
    let clean = true;
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      const { name } = part;
      const stopped = Promise.resolve(part).then((last) => last.stop());
      const leftMs = Math.max(deadline - performance.now(), part.leastMs);
      const outcome = await within(leftMs, stopped.then(isClean), isLate).catch((error: unknown) => ({ error }));
      if (outcome === 'late') logger.error({ part: name }, 'a part did not stop in time');
      else if (outcome !== 'clean') logger.error({ err: outcome.error, part: name }, 'a part failed to stop');
      clean &&= outcome === 'clean';
    }
    return clean;
  }

  async function stopAll(timeoutMs: number, start: Promise<unknown>): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    stopAsked.reject(new StoppedWhileStarting());
    const clean = await stopParts(deadline);
    const unwound = start.then(isClean, isClean);
    const outcome = await within(Math.max(deadline - performance.now(), LEAST_STOP_MS), unwound, isLate);
    return (await stopParts(deadline)) && clean && outcome === 'clean';
  }

  return {
    started(name, stopPart, leastMs = LEAST_STOP_MS) {
      parts.push({ name, stop: stopPart, leastMs });
      if (stop !== undefined) throw new StoppedWhileStarting();
    },
    unlessStopped: (work) => Promise.race([work, stopAsked.promise]),
    stop: (timeoutMs, start = Promise.resolve()) => (stop ??= stopAll(timeoutMs, start)),
    get stopping() {
      return stop !== undefined;
    },
  };
}

const isClean = () => 'clean' as const;
const isLate = () => 'late' as const;
