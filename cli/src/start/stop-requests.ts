import type { EventEmitter } from 'node:events';

/** One Ctrl-C may arrive more than once: from the terminal, from npm, from the bootstrap. */
const SAME_REQUEST_MS = 1_000;

export interface StopRequests {
  /** Fires at the first request: stop in order. */
  readonly stop: AbortSignal;
  /** Fires at the second: end at once. */
  readonly kill: AbortSignal;
}

/** Turns signals into requests to stop; so does the death of the process that started us (`disconnect`). */
export function listenForStop(source: EventEmitter, now: () => number = Date.now): StopRequests {
  const stop = new AbortController();
  const kill = new AbortController();
  let firstAt: number | undefined;
  const onRequest = () => {
    firstAt ??= now();
    stop.abort();
    if (now() - firstAt > SAME_REQUEST_MS) kill.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) source.on(name, onRequest);
  return { stop: stop.signal, kill: kill.signal };
}

/** Resolves when the signal fires. */
export function whenFired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
