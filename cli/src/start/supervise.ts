import { setTimeout as delay } from 'node:timers/promises';
import { StartFailure } from '../failure/start-failure.ts';
import { lastLines, lastWords, logSize } from '../processes/log-file.ts';
import { type ProcessSpec, type RunningChild, startChild } from '../processes/running-child.ts';
import { restartDelayMs } from './backoff.ts';

/** A process that is kept running until it is stopped. */
export interface SupervisedProcess {
  readonly name: string;
  /**
   * Resolves when the process is ready for the first time; from then on it is started again whenever it ends.
   *
   * @throws StartFailure with the last lines of its log when it ends before, or is not ready in time
   */
  readonly ready: Promise<void>;
  /** Asks it to stop, and kills it when it has not done so in time. */
  stop(graceMs: number): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

export interface SuperviseOptions {
  /** Resolves when this process can work; asked anew after each start. Rejects when the signal fires. */
  readonly untilReady: (signal: AbortSignal, child: RunningChild) => Promise<void>;
  readonly readyTimeoutMs: number;
  /** Prints a line for the operator. */
  readonly say: (text: string) => void;
  /** Called with each new process of this name. */
  readonly onStarted?: (child: RunningChild) => void;
  /** Called once when it is stopped for good. */
  readonly onStopped?: () => void;
}

export function supervise(spec: ProcessSpec, options: SuperviseOptions): SupervisedProcess {
  const stopping = new AbortController();
  const logStart = logSize(spec.log);
  const start = () => {
    const child = startChild(spec);
    options.onStarted?.(child);
    return child;
  };
  let child = start();

  async function waitUntilReady(): Promise<void> {
    const over = new AbortController();
    const timeout = setTimeout(() => over.abort(), options.readyTimeoutMs);
    const ended = child.ended.then((how) => Promise.reject(new Error(`It ended with ${how}.`)));
    try {
      await Promise.race([options.untilReady(over.signal, child), ended]);
    } catch (error) {
      if (over.signal.aborted)
        throw new Error(`It was not ready after ${options.readyTimeoutMs / 1000} s.`, { cause: error });
      throw error;
    } finally {
      clearTimeout(timeout);
      over.abort();
    }
  }

  async function keepRunning(): Promise<void> {
    let delayMs = 0;
    for (;;) {
      const how = await child.ended;
      if (stopping.signal.aborted) return;
      delayMs = restartDelayMs(delayMs, Date.now() - child.startedAt);
      const words = lastWords(spec.log, child.startedAt);
      const why = words === undefined ? how : `${how}: ${words}`;
      options.say(`${spec.name} ended (${why}). It is started again in ${delayMs} ms; its log: ${spec.log}`);
      await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      child = start();
      void waitUntilReady().then(
        () => options.say(`${spec.name} runs again.`),
        () => undefined,
      );
    }
  }

  const ready = waitUntilReady().then(
    () => void keepRunning(),
    (error: Error) => {
      throw new StartFailure(startProblem(spec, error.message, lastLines(spec.log, logStart)));
    },
  );
  // A function that starts several at once gets the first that fails; the others must not count as unhandled.
  ready.catch(() => undefined);
  return {
    name: spec.name,
    ready,
    async stop(graceMs) {
      stopping.abort();
      child.signal('SIGTERM');
      const late = setTimeout(() => child.signal('SIGKILL'), graceMs);
      await child.ended;
      clearTimeout(late);
      options.onStopped?.();
    },
    kill() {
      stopping.abort();
      child.signal('SIGKILL');
    },
  };
}

function startProblem(spec: ProcessSpec, reason: string, log: string): string {
  const shown = log === '' ? 'It wrote no log.' : `The end of its log (${spec.log}):\n${log}`;
  return `${spec.name} did not start. ${reason}\n${shown}`;
}
