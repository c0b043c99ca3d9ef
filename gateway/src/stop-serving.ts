import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { LAST_ANSWERS_MS } from '@lontar/shared/time-budget.ts';
import { stopListening } from './patches/sockets.ts';

/**
 * How long a kept-alive connection without a request is still served, ms. A balancer may have sent a request on it
 * that has not arrived yet: closed at once, that request would be lost, and a POST cannot be sent again.
 */
const IDLE_GRACE_MS = 1_000;
const CHECK_MS = 50;

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
 * every request in flight is answered. Connections close with their next answer, which says so; those on which no
 * request comes any more are closed a moment later.
 */
export async function stopServing(server: Server, options: StopServingOptions): Promise<void> {
  const { noticeMs, drainMs, giveUpWaiting } = options;
  const giveUp = setTimeout(giveUpWaiting, Math.max(0, drainMs - LAST_ANSWERS_MS));
  if (noticeMs > 0) await delay(Math.min(noticeMs, drainMs / 2));
  await new Promise<void>((resolve) => {
    let idle: NodeJS.Timeout | undefined;
    const grace = setTimeout(() => {
      idle = setInterval(() => server.closeIdleConnections(), CHECK_MS);
      server.closeIdleConnections();
    }, IDLE_GRACE_MS);
    stopListening(server, () => {
      clearTimeout(grace);
      clearInterval(idle);
      server.close();
      resolve();
    });
  });
  clearTimeout(giveUp);
}
