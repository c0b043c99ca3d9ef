import { listInstances } from '@lontar/shared/instances.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { Route } from '../routes.ts';
import { type FleetWatch, scrapeTargets } from './watch-fleet.ts';

/**
 * For Prometheus alone, which proves itself by `INNER_SECRET`: whom to scrape, and everyone's metrics added up.
 *
 * @throws nothing itself; the handlers reject when Redis fails
 */
export function prometheusRoutes(redis: Redis, fleet: FleetWatch): Route[] {
  return [
    {
      method: 'GET',
      path: '/prometheus/targets',
      inner: true,
      handle: async () => ({ status: 200, body: scrapeTargets(await listInstances(redis)) }),
    },
    {
      method: 'GET',
      path: '/prometheus/aggregate',
      inner: true,
      handle: async () => ({
        status: 200,
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        body: await fleet.aggregated(),
      }),
    },
  ];
}
