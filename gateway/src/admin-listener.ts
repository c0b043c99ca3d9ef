import type { AddressInfo } from 'node:net';
import { listen } from '@lontar/shared/http/server.ts';
import type { Lifecycle } from '@lontar/shared/lifecycle.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { throttledWarning } from '@lontar/shared/throttled-log.ts';
import type { Express } from 'express';
import type { GatewayConfig } from './config.ts';
import type { ConnectionDoor } from './server/connection-bounds.ts';
import { createAdminApp } from './server/serve-admin.ts';
import { createPublicServer } from './server/server.ts';
import type { StatsProxy } from './statistics/stats-proxy.ts';
import { stopServing } from './stop-serving.ts';

/** Requests to the admin API wait for stats-service alone, which has answered by then. */
const DRAIN_MS = 5_000;

/** Whether the admin API is at the public listener. */
export function isAdminHere({ ADMIN_API, ADMIN_PORT }: Pick<GatewayConfig, 'ADMIN_API' | 'ADMIN_PORT'>): boolean {
  return ADMIN_API === 'on' && ADMIN_PORT === undefined;
}

/**
 * The admin API on a listener of its own, where `ADMIN_PORT` says so.
 *
 * @returns its port; `undefined` where there is none
 * @throws the system's error when the port is taken
 */
export async function startAdminListener(
  config: Pick<GatewayConfig, 'ADMIN_API' | 'ADMIN_PORT' | 'ADMIN_HOST' | 'TRUST_PROXY'>,
  deps: {
    readonly lifecycle: Lifecycle;
    readonly logger: Logger;
    readonly statsProxy: StatsProxy;
    /** Bounds its connections. */
    readonly openDoor: (app: Express) => ConnectionDoor;
  },
): Promise<number | undefined> {
  if (config.ADMIN_API === 'off' || config.ADMIN_PORT === undefined) return undefined;
  const onError = throttledWarning(deps.logger, 'a request to the admin API failed');
  const app = createAdminApp({ statsProxy: deps.statsProxy, trustProxy: config.TRUST_PROXY, onError });
  const server = createPublicServer(app, deps.openDoor(app));
  await listen(server, { port: config.ADMIN_PORT, host: config.ADMIN_HOST, setting: 'ADMIN_PORT' });
  const times = { noticeMs: 0, drainMs: DRAIN_MS };
  deps.lifecycle.started('admin listener', () =>
    stopServing(server, { ...times, giveUpWaiting: () => server.closeAllConnections() }),
  );
  const { port } = server.address() as AddressInfo;
  deps.logger.info({ port, host: config.ADMIN_HOST }, 'the admin API has a port of its own');
  return port;
}
