import type { Server } from 'node:http';

/**
 * Stops accepting connections and waits until every request in flight is answered. Idle keep-alive connections are
 * closed at once; busy ones close with their answer, which says so.
 */
export function stopServing(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}
