import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface ProbeListener {
  readonly port: number;
  stop(): Promise<void>;
}

export interface Readiness {
  readonly ready: boolean;
  /** Why not, in words for the operator. */
  readonly reason?: string;
}

/**
 * Serves `/metrics`, `/livez` (the event loop turns) and `/readyz` on a listener of its own, never on the public port.
 *
 * @param readiness asked at each probe; must answer within a second
 * @throws when the port is taken
 */
export async function startProbeListener(options: {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  readonly readiness: () => Promise<Readiness>;
}): Promise<ProbeListener> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '/', options).then(({ status, type, body }) => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    });
  });
  server.headersTimeout = 5_000;
  server.requestTimeout = 5_000;
  await listen(server, options.port, options.host);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  path: string,
  { registry, readiness }: { registry: Registry; readiness: () => Promise<Readiness> },
): Promise<{ status: number; type: string; body: string }> {
  if (path === '/metrics') return { status: 200, type: registry.contentType, body: await registry.metrics() };
  if (path === '/livez') return { status: 200, type: 'text/plain', body: 'ok\n' };
  if (path !== '/readyz') return { status: 404, type: 'text/plain', body: 'not found\n' };
  const { ready, reason } = await readiness().catch(() => ({ ready: false, reason: 'the probe failed' }));
  return { status: ready ? 200 : 503, type: 'text/plain', body: ready ? 'ok\n' : `not ready: ${reason}\n` };
}

/** Resolves when the server listens; rejects with the system's error when it cannot. */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
