import type { Instance } from '@lontar/shared/instances.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { CatalogSource, ModelCatalog } from '@lontar/shared/models/catalog.ts';
import type { RedisClock, RedisTime } from '@lontar/shared/redis-clock.ts';
import type { ThrottledLogger } from '@lontar/shared/throttled-log.ts';
import type { Known } from './known-upstream.ts';
import { labelsOf } from './metric-labels.ts';
import type { UpstreamWatch } from './upstream-watch.ts';

const SHOWN_EVERY_MS = 1_000;

type ShownMetrics = Pick<
  WorkerMetrics,
  | 'upstreamBreaker'
  | 'upstreamUnauthorized'
  | 'upstreamPlaces'
  | 'upstreamLimit'
  | 'upstreamAloneUntil'
  | 'routesUp'
  | 'routesTotal'
>;

export interface ShowDeps {
  readonly watch: Pick<UpstreamWatch, 'all'>;
  readonly catalog: Pick<CatalogSource, 'current'>;
  readonly clock: Pick<RedisClock, 'now'>;
  readonly metrics: ShownMetrics;
  readonly logger: ThrottledLogger;
}

/** Whether calls are kept away from an upstream, or fail there whatever is asked. */
export function isDown({ state, isOutOfReach }: Known): boolean {
  return state.openUntil > 0 || isOutOfReach;
}

/** Models and upstreams that a heartbeat tells of: it is read by all gateways. */
const MOST_TOLD = 50;

/** What a heartbeat says of routes. */
export type RoutesTold = Pick<Instance, 'routes' | 'openUpstreams'>;

export interface ShownRoutes {
  describe(): RoutesTold;
  stop(): void;
}

/**
 * Shows once a second what is known of upstreams: in the metrics, and where a breaker opens or closes, in the log, by the
 * operator's name of the upstream. Never throws.
 */
export function showRoutes(deps: ShowDeps): ShownRoutes {
  const open = new Map<string, string>();
  let shown: ModelCatalog | undefined;
  const show = () => {
    const catalog = deps.catalog.current;
    if (catalog !== shown) {
      shown = catalog;
      for (const gauge of gaugesOf(deps.metrics)) gauge.reset();
    }
    const known = new Map(deps.watch.all());
    for (const name of catalog.upstreams.keys()) {
      const upstream = known.get(name);
      if (upstream !== undefined) noteBreaker(deps, open, name, upstream);
      showUpstream(deps, catalog, name, upstream);
    }
    for (const { name, routes } of catalog.models.values()) {
      const { model } = labelsOf(catalog, '', name);
      const up = routes.filter(({ upstream }) => !isDownNow(known.get(upstream))).length;
      deps.metrics.routesUp.set({ model }, up);
      deps.metrics.routesTotal.set({ model }, routes.length);
    }
  };
  show();
  const timer = setInterval(show, SHOWN_EVERY_MS);
  return { describe: () => describeRoutes(deps), stop: () => clearInterval(timer) };
}

function describeRoutes({ catalog: { current }, watch }: ShowDeps): RoutesTold {
  const known = new Map(watch.all());
  const routes: NonNullable<RoutesTold['routes']> = {};
  for (const { name, routes: all } of [...current.models.values()].slice(0, MOST_TOLD)) {
    routes[name] = [all.filter(({ upstream }) => !isDownNow(known.get(upstream))).length, all.length];
  }
  if (current.source === 'variables') return { routes };
  const open = [...current.upstreams.keys()].filter((name) => isDownNow(known.get(name))).slice(0, MOST_TOLD);
  const reasonOf = (name: string) => known.get(name)?.state.openedBy || 'connection';
  return { routes, openUpstreams: Object.fromEntries(open.map((name) => [name, reasonOf(name)])) };
}

function isDownNow(upstream: Known | undefined): boolean {
  return upstream !== undefined && isDown(upstream);
}

function gaugesOf(metrics: ShownMetrics) {
  const { upstreamBreaker, upstreamUnauthorized, upstreamPlaces, upstreamLimit, upstreamAloneUntil } = metrics;
  const ofUpstreams = [upstreamBreaker, upstreamUnauthorized, upstreamPlaces, upstreamLimit, upstreamAloneUntil];
  return [...ofUpstreams, metrics.routesUp, metrics.routesTotal];
}

function showUpstream({ metrics }: ShowDeps, catalog: ModelCatalog, name: string, known: Known | undefined): void {
  const { upstream } = labelsOf(catalog, name, '');
  const state = known?.state;
  const isOpen = known !== undefined && isDown(known);
  metrics.upstreamBreaker.set({ upstream }, isOpen ? 1 : 0);
  metrics.upstreamUnauthorized.set({ upstream }, isOpen && state?.openedBy === 'unauthorized' ? 1 : 0);
  metrics.upstreamPlaces.set({ upstream }, known?.own ?? 0);
  metrics.upstreamLimit.set({ upstream }, Math.floor((state?.limit ?? 0) / 1_000));
  metrics.upstreamAloneUntil.set({ upstream }, (state?.aloneUntil ?? 0) / 1_000);
}

/** Says of each breaker once that it has opened, and once that it has closed. */
function noteBreaker(
  { logger, clock }: Pick<ShowDeps, 'logger' | 'clock'>,
  open: Map<string, string>,
  upstream: string,
  { state }: Known,
): void {
  const reason = state.openUntil > 0 ? state.openedBy : undefined;
  const before = open.get(upstream);
  if (reason === before) return;
  if (reason === undefined) {
    open.delete(upstream);
    logger.info({ upstream }, 'an upstream is well again');
    return;
  }
  open.set(upstream, reason);
  const line = { upstream, reason, againInMs: msUntil(state.openUntil, clock.now()) };
  if (reason !== 'unauthorized') {
    logger.warn(line, 'an upstream gets no calls for now: its breaker has opened');
  } else {
    logger.error(line, 'an upstream gets no calls: it refuses its credentials, or their account');
  }
}

function msUntil(at: number, now: RedisTime): number {
  return Math.max(0, at - now);
}
