import type { Server } from 'node:http';
import { Server as ConnectionServer } from 'node:net';

/**
 * How long a kept-alive connection without a request is still served, ms. A balancer may have sent a request on it
 * that has not arrived yet: closed at once, that request would be lost, and a POST cannot be sent again.
 */
const IDLE_GRACE_MS = 1_000;
const CHECK_MS = 50;

/**
 * Stops accepting connections and waits until every request in flight is answered. Connections close with their next
 * answer, which says so; those on which no request comes any more are closed a moment later.
 */
export function stopServing(server: Server): Promise<void> {
  return new Promise((resolve) => {
    let idle: NodeJS.Timeout | undefined;
    const grace = setTimeout(() => {
      idle = setInterval(() => server.closeIdleConnections(), CHECK_MS);
      server.closeIdleConnections();
    }, IDLE_GRACE_MS);
    // Not the HTTP server's own `close`, which closes idle connections at once.
    ConnectionServer.prototype.close.call(server, () => {
      clearTimeout(grace);
      clearInterval(idle);
      server.close();
      resolve();
    });
  });
}
