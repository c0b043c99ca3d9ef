import { randomBytes } from 'node:crypto';
import { type GenerationQueue, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { Route } from '@lontar/shared/http/app.ts';
import { startProbeListener } from '@lontar/shared/http/probes.ts';
import type { RunningServer } from '@lontar/shared/http/server.ts';
import { type Instance, startHeartbeat } from '@lontar/shared/instances.ts';
import type { Lifecycle } from '@lontar/shared/lifecycle.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { metricsUrl } from '@lontar/shared/metrics-url.ts';
import { followPrimary } from '@lontar/shared/primary/follow-primary.ts';
import { followRedisClock, type RedisClock, type RedisTime } from '@lontar/shared/redis-clock.ts';
import { connectFailFast, connectPatient, type Redis, type RedisTarget } from '@lontar/shared/redis-connection.ts';
import { type StatsMetrics, statsMetrics } from '@lontar/shared/stats-metrics.ts';
import { CHANGE_TIMEOUT_MS } from '@lontar/shared/time-budget.ts';
import type { Registry } from 'prom-client';
import manifest from '../package.json' with { type: 'json' };
import { refuseOthers } from './access/dashboard.ts';
import { forgetOtherTokens } from './access/token-change.ts';
import { shareConnections } from './admin/change-connections.ts';
import { startAuditLines } from './admin/log-audit.ts';
import { openAdmin } from './admin/open-admin.ts';
import type { Asked } from './asked.ts';
import type { StatsConfig } from './config.ts';
import { probeRedis } from './endpoints/read-health.ts';
import { consumeEvents } from './events/consume-events.ts';
import { exportGauges, refreshedAtScrape } from './export-metrics.ts';
import { exportTopology } from './export-topology.ts';
import { type FleetWatch, watchFleet } from './fleet/watch-fleet.ts';
import { watchTroubles } from './fleet/watch-troubles.ts';
import { startHttpServer } from './http-server.ts';
import { indexOldKeys } from './index-old-keys.ts';
import { startLiveService } from './live/live-service.ts';
import { followLog } from './log/follow-log.ts';
import { openPage } from './page/serve-page.ts';
import { createRoutes } from './routes.ts';
import { startSampler } from './sampler.ts';

/** Changes by the admin API that wait side by side until they stand in the append-only file. */
const CHANGE_CONNECTIONS = 4;
/** Where `npm run build -w dashboard` puts the page. */
const DIST = new URL('../../dashboard/dist/', import.meta.url);

export interface StatsService {
  readonly port: number;
  readonly metricsPort: number;
}

/** What the parts of this service have in common. */
interface Base {
  readonly config: StatsConfig;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly instanceId: string;
  readonly version: string;
  readonly clock: RedisClock;
  readonly startedAt: RedisTime;
  readonly registry: Registry;
  readonly metrics: StatsMetrics;
  readonly redis: Redis;
  readonly queue: GenerationQueue;
}

/**
 * Starts everything in order; what has started is registered to stop in reverse.
 *
 * @throws the system's error when a port is taken; StoppedWhileStarting when the service is to stop. Not for Redis: where
 *   that is away the service starts all the same
 */
export async function startStatsService(
  config: StatsConfig,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<StatsService> {
  const { version } = manifest;
  const registry = createRegistry('stats-service', version);
  const redis = await connect(connectFailFast, 'commands', { config, logger, lifecycle });
  const clock = followRedisClock(redis);
  lifecycle.started('clock', clock.stop);
  const base: Base = {
    config,
    logger,
    lifecycle,
    instanceId: `stats-${randomBytes(6).toString('hex')}`,
    version,
    clock,
    startedAt: clock.now(),
    registry,
    metrics: statsMetrics(registry),
    redis,
    queue: openGenerationQueue(redis),
  };
  let isServing = false;
  const probes = await startProbes(base, () => isServing);
  await startCounting(base);
  const { port } = await startServing(base);
  isServing = true;
  await startRegistration(base, probes.port);
  logger.info({ port, metricsPort: probes.port }, 'stats-service serves');
  return { port, metricsPort: probes.port };
}

/** Opens a connection; where Redis is away it keeps trying, and the service starts all the same. */
async function connect(
  open: typeof connectPatient,
  name: string,
  { config, logger, lifecycle }: Pick<Base, 'config' | 'logger' | 'lifecycle'>,
): Promise<Redis> {
  const redis = open(config, `stats-service ${name}`);
  redis.on('error', (error) => logger.debug({ err: error, reason: name }, 'Redis connection'));
  lifecycle.started(`redis ${name}`, () => redis.disconnect());
  const following = followPrimary(config, [redis]);
  lifecycle.started(`the primary for ${name}`, following.stop);
  const away = (error: unknown) => logger.warn({ err: error }, 'Redis is not reachable yet');
  await lifecycle.unlessStopped(redis.connect().catch(away));
  return redis;
}

async function startProbes({ config, lifecycle, ...base }: Base, isServing: () => boolean): Promise<RunningServer> {
  const topology = exportTopology(config, base.metrics);
  const gauges = { ...base, requestTimeoutMs: config.REQUEST_TIMEOUT_MS, topology };
  const probes = await startProbeListener({
    logger: base.logger,
    host: config.METRICS_HOST,
    port: config.METRICS_PORT,
    registry: refreshedAtScrape(base.registry, () => exportGauges(gauges)),
    readiness: async () => {
      if (lifecycle.stopping) return { ready: false, reason: 'stopping' };
      if (!isServing()) return { ready: false, reason: 'starting' };
      await probeRedis(base.redis, base.instanceId);
      return { ready: true };
    },
  });
  lifecycle.started('probe listener', () => probes.stop());
  return probes;
}

async function startCounting(base: Base): Promise<void> {
  const { lifecycle, config, metrics, logger, instanceId } = base;
  const consumer = consumeEvents({
    redis: await connect(connectPatient, 'events', base),
    consumer: instanceId,
    keepTexts: config.LOG_CONTENT === 'masked',
    metrics,
    logger,
  });
  lifecycle.started('event consumer', () => consumer.stop());
  const indexing = indexOldKeys(base.redis, logger);
  lifecycle.started('indexing of keys', () => indexing.stop());
  const sampler = startSampler(base);
  lifecycle.started('sampler', () => sampler.stop());
}

async function startServing(base: Base): Promise<RunningServer> {
  const { config, logger, lifecycle, redis } = base;
  const fleet = watchFleet({ ...base, requestTimeoutMs: config.REQUEST_TIMEOUT_MS });
  const log = followLog(await connect(connectPatient, 'log', base), base.clock, () => live.changed(), logger);
  lifecycle.started('log', () => log.stop());
  const watched = { ...base, requestTimeoutMs: config.REQUEST_TIMEOUT_MS, runbooksUrl: config.RUNBOOKS_URL };
  const troubles = watchTroubles(watched, () => live.changed());
  lifecycle.started('troubles', () => troubles.stop());
  const live = startLiveService({
    ...base,
    log,
    troubles: () => troubles.now,
    fleet: () => fleet.fleet(),
    token: config.DASHBOARD_TOKEN,
    open: config.DASHBOARD_PUBLIC,
    keepTexts: config.LOG_CONTENT === 'masked',
  });
  const dashboard = {
    redis,
    clock: base.clock,
    token: config.DASHBOARD_TOKEN,
    open: config.DASHBOARD_PUBLIC,
    signedOut: (digest: string) => live.signedOut(digest),
    changed: () => live.changed(),
  };
  // With Redis away nothing is lost: no cookie of another token is good.
  await forgetOtherTokens(dashboard).catch((error: unknown) => logger.warn({ err: error }, 'old sessions stay listed'));
  const limits = { requestTimeoutMs: config.REQUEST_TIMEOUT_MS, uploadsPerDay: config.UPLOADS_PER_DAY };
  const admin = await startAdmin(base, fleet);
  const http = await startHttpServer({
    host: config.STATS_HOST,
    port: config.STATS_PORT,
    innerSecret: config.INNER_SECRET,
    logger,
    routes: createRoutes({ ...base, ...limits, ...dashboard, page: openPage(DIST, dashboard), live, fleet, admin }),
    refuseOthers: (asked) => refuseOthers(dashboard, asked),
  });
  lifecycle.started('http server', () => http.stop());
  // Registered after the server, so that pages get `bye` before their connections close.
  lifecycle.started('live streams', () => live.stop());
  return http;
}

/** The admin API, with connections of its own for changes, and the lines of the audit log. */
async function startAdmin(base: Base, fleet: FleetWatch): Promise<readonly Route<Asked>[]> {
  const { config, lifecycle, logger, metrics, redis } = base;
  const lines = startAuditLines(redis, logger);
  lifecycle.started('audit lines', () => lines.stop());
  const slowly = (target: RedisTarget, name: string) => connectFailFast(target, name, CHANGE_TIMEOUT_MS);
  const names = Array.from({ length: CHANGE_CONNECTIONS }, (_, index) => `changes ${index + 1}`);
  const isOn = config.ADMIN_API === 'on' && config.KEY_PEPPER !== undefined;
  const connections = await Promise.all((isOn ? names : []).map((name) => connect(slowly, name, base)));
  const deps = { ...base, fleet, token: config.DASHBOARD_TOKEN, changes: shareConnections(connections) };
  return openAdmin(config, { ...deps, redis }, logger, (outcome) => metrics.adminRequests.inc({ outcome }));
}

async function startRegistration(base: Base, metricsPort: number): Promise<void> {
  const { config, lifecycle, redis, instanceId, version, startedAt } = base;
  const describe = (): Instance => ({
    id: instanceId,
    service: 'stats-service',
    version,
    metricsUrl: metricsUrl(config, metricsPort),
    startedAt,
    inFlight: 0,
    draining: lifecycle.stopping,
  });
  const heartbeat = await startHeartbeat(redis, describe);
  lifecycle.started('heartbeat', () => heartbeat.stop());
}
