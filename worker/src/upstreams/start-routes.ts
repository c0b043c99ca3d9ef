import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { CatalogSource } from '@lontar/shared/models/catalog.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type ThrottledLogger, throttledWarning } from '@lontar/shared/throttled-log.ts';
import { createCallsLately } from './calls-lately.ts';
import { createFirstTokenTimes } from './first-token-times.ts';
import { createEndJudge } from './judge-end.ts';
import type { OpenUpstreams } from './open-upstreams.ts';
import { publishRoutes } from './publish-routes.ts';
import { createRouteChooser, type RouteChooser } from './route-chooser.ts';
import { type RoutesTold, showRoutes } from './show-routes.ts';
import { type UpstreamWatch, watchUpstreams } from './upstream-watch.ts';

export interface RouteDeps {
  /** Of this worker. */
  readonly worker: string;
  readonly redis: Redis;
  readonly subscriber: Redis;
  readonly clock: Pick<RedisClock, 'now'>;
  readonly catalog: Pick<CatalogSource, 'current'>;
  readonly upstreams: Pick<OpenUpstreams, 'languageModel'>;
  readonly metrics: WorkerMetrics;
  readonly logger: ThrottledLogger & Parameters<typeof throttledWarning>[0];
  /** Called with how many jobs in work wait for a route. */
  readonly onWaiting: (count: number) => void;
}

export interface StartedRoutes {
  readonly chooser: RouteChooser;
  readonly watch: UpstreamWatch;
  /** For the heartbeat. */
  describe(): RoutesTold;
  stop(): void;
}

/**
 * Starts choosing among routes with what the fleet knows of their upstreams, and shows in metrics and log what becomes of
 * them. Never rejects: where Redis fails, every upstream counts as well until it fails.
 */
export async function startRoutes(deps: RouteDeps): Promise<StartedRoutes> {
  const { worker, redis, subscriber, clock, catalog, upstreams, metrics, logger } = deps;
  const calls = createCallsLately();
  const onError = throttledWarning(
    logger,
    'Redis failed while upstreams were chosen; this worker goes by what it knows',
  );
  const watch = watchUpstreams({ redis, subscriber, clock, onError, onChange: () => chooser.wake() });
  const chooser = createRouteChooser({
    redis,
    clock,
    catalog: () => catalog.current,
    languageModel: upstreams.languageModel,
    watch,
    firstTokens: createFirstTokenTimes(),
    ends: createEndJudge(),
    calls,
    random: Math.random,
    onWaiting(count) {
      metrics.routesWaiting.set(count);
      deps.onWaiting(count);
    },
    onError,
  });
  for (const name of catalog.current.upstreams.keys()) watch.known(name, false);
  await watch.look();
  const shown = showRoutes({ watch, catalog, clock, metrics, logger });
  const published = publishRoutes({ worker, redis, clock, catalog, watch, calls, onError });
  return {
    chooser,
    watch,
    describe: shown.describe,
    stop() {
      published.stop();
      shown.stop();
      watch.stop();
    },
  };
}
