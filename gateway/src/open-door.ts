import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Express } from 'express';
import type { GatewayConfig } from './config.ts';
import { isProxy } from './patches/trusted-proxies.ts';
import {
  type ConnectionDoor,
  createConnectionDoor,
  type DoorWatch,
  mostConnections,
} from './server/connection-bounds.ts';

/** Connections, with proxies and callers distinguished as Express does: one truth for both. */
export function openDoor(
  config: GatewayConfig,
  metrics: GatewayMetrics,
  clock: RedisClock,
  app: Express,
): ConnectionDoor {
  const bounds = { perAddress: config.MAX_CONNECTIONS_PER_ADDRESS, inAll: config.MAX_CONNECTIONS ?? mostConnections() };
  const watch: DoorWatch = {
    opened: () => metrics.connections.inc(),
    closed: () => metrics.connections.dec(),
    refused: (whose) => metrics.tooMuch.inc({ what: 'connections', whose }),
  };
  return createConnectionDoor(bounds, isProxy(app), watch, clock);
}
