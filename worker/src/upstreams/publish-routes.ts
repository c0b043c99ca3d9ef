import type { CallReport } from '@lontar/shared/models/call-report.ts';
import type { CatalogSource } from '@lontar/shared/models/catalog.ts';
import { viewOfCatalog } from '@lontar/shared/models/catalog-view.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { CallsLately } from './calls-lately.ts';
import type { UpstreamWatch } from './upstream-watch.ts';

/** What a restart of Redis has lost is back after this, ms. */
const EVERY_MS = 5_000;
/** A report outlives two that fail. */
const REPORT_MS = 3 * EVERY_MS;
const CATALOG_MS = 12 * EVERY_MS;

export interface PublishDeps {
  readonly worker: string;
  readonly redis: Redis;
  readonly clock: Pick<RedisClock, 'now'>;
  readonly catalog: Pick<CatalogSource, 'current'>;
  readonly watch: Pick<UpstreamWatch, 'all'>;
  readonly calls: Pick<CallsLately, 'tell'>;
  /** Called for each failure of Redis; must not flood the log. */
  readonly onError: (error: unknown) => void;
}

/**
 * Writes every few seconds which models and routes there are, and what came of this worker's calls, for operators to look
 * at. A failure of Redis is told to `onError`, and the next writing follows. Never throws.
 */
export function publishRoutes(deps: PublishDeps): { stop(): void } {
  const publish = () => void publishOnce(deps).catch(deps.onError);
  publish();
  const timer = setInterval(publish, EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

/** @throws when Redis fails */
async function publishOnce({ worker, redis, clock, catalog, watch, calls }: PublishDeps): Promise<void> {
  const inFlight: CallReport['inFlight'] = {};
  for (const [name, { own }] of watch.all()) if (own > 0) inFlight[name] = own;
  const report: CallReport = { inFlight, routes: calls.tell(clock.now()) };
  const catalogKey = redisKeys.upstreamCatalog(catalog.current.digest);
  const [isThere] = await Promise.all([
    redis.pexpire(catalogKey, CATALOG_MS),
    redis.set(redisKeys.upstreamCalls(worker), JSON.stringify(report), 'PX', REPORT_MS),
  ]);
  if (isThere === 0) await redis.set(catalogKey, JSON.stringify(viewOfCatalog(catalog.current)), 'PX', CATALOG_MS);
}
