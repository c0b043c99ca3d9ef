import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What is left of the drain for requests that are turned away at its end, ms. */
const LAST_ANSWERS_MS = 1_500;

export interface StopServingOptions {
  /** How long requests are still taken, while readiness says that the gateway is leaving, ms. */
  readonly noticeMs: number;
  /** How long the whole stop may take, ms. */
  readonly drainMs: number;
  /** Ends the waits of requests that are still in work: they get 503 instead of a broken connection. */
  readonly giveUpWaiting: () => void;
}

/**
 * Goes on for a moment, so that balancers see the red readiness first; then stops accepting connections and waits until
 * every request in flight is answered. Idle keep-alive connections are closed then; busy ones close with their answer,
 * which says so.
 */
export async function stopServing(server: Server, options: StopServingOptions): Promise<void> {
  const { noticeMs, drainMs, giveUpWaiting } = options;
  const giveUp = setTimeout(giveUpWaiting, Math.max(0, drainMs - LAST_ANSWERS_MS));
  if (noticeMs > 0) await delay(Math.min(noticeMs, drainMs / 2));
  await new Promise<void>((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
  clearTimeout(giveUp);
}
