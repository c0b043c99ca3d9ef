import type { Logger } from './logger.ts';

/** A part of a service that was started and can be stopped. */
export interface StartedPart {
  readonly name: string;
  stop(): Promise<void> | void;
}

export interface Lifecycle {
  /** Registers a part that has just started; parts stop in the reverse of this order. */
  started(name: string, stop: StartedPart['stop']): void;
  /**
   * Stops all parts, last started first. Repeated calls wait for the same stop.
   *
   * @returns whether everything stopped within the deadline
   */
  stop(timeoutMs: number): Promise<boolean>;
  /** Whether stopping has begun; readiness is then false. */
  readonly stopping: boolean;
}

/** Starts in order, stops in exact reverse, with a deadline for the whole. */
export function createLifecycle(logger: Logger): Lifecycle {
  const parts: StartedPart[] = [];
  let stop: Promise<boolean> | undefined;

  async function stopAll(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    let clean = true;
    for (const part of parts.toReversed()) {
      const finished = await within(
        Math.max(deadline - performance.now(), 100),
        Promise.resolve().then(() => part.stop()),
      ).catch((error: unknown) => {
        logger.error({ err: error, part: part.name }, 'a part failed to stop');
        return false;
      });
      if (!finished) {
        logger.error({ part: part.name, timeoutMs }, 'a part did not stop in time');
        clean = false;
      }
    }
    return clean;
  }

  return {
    started: (name, stopPart) => void parts.push({ name, stop: stopPart }),
    stop: (timeoutMs) => (stop ??= stopAll(timeoutMs)),
    get stopping() {
      return stop !== undefined;
    },
  };
}

/**
 * Stops a service on SIGTERM or SIGINT and ends its process: exit code 0, or 1 when the deadline was exceeded. Called
 * from `main.ts` alone.
 */
export function stopOnSignal(lifecycle: Lifecycle, logger: Logger, timeoutMs: number): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (lifecycle.stopping) return;
      logger.info({ signal }, 'stopping');
      void lifecycle.stop(timeoutMs).then((clean) => {
        logger.info({ clean }, 'stopped');
        process.exit(clean ? 0 : 1);
      });
    });
  }
}

async function within(timeoutMs: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
