import { randomBytes } from 'node:crypto';
import { openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { type Instance, startHeartbeat } from '@lontar/shared/instances.ts';
import { createLifecycle, type Lifecycle } from '@lontar/shared/lifecycle.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { startProbeListener } from '@lontar/shared/probe-listener.ts';
import { connectFailFast, connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { statsMetrics } from '@lontar/shared/stats-metrics.ts';
import manifest from '../package.json' with { type: 'json' };
import type { StatsConfig } from './config.ts';
import { probeRedis } from './endpoints/read-health.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { consumeEvents } from './events/consume-events.ts';
import { exportGauges, refreshedAtScrape } from './export-metrics.ts';
import { startHttpServer } from './http-server.ts';
import { failure } from './routes.ts';
import { startSampler } from './sampler.ts';

export interface StatsService {
  readonly lifecycle: Lifecycle;
  readonly port: number;
  readonly metricsPort: number;
}

/** Starts everything in order; what has started is registered to stop in reverse. */
export async function startStatsService(config: StatsConfig, logger: Logger): Promise<StatsService> {
  const lifecycle = createLifecycle(logger);
  const startedAt = Date.now();
  const { version } = manifest;
  const instanceId = `stats-${randomBytes(6).toString('hex')}`;
  const registry = createRegistry('stats-service', version);
  const metrics = statsMetrics(registry);

  const connect = async (open: typeof connectPatient, name: string): Promise<Redis> => {
    const redis = open(config.REDIS_URL, `stats-service ${name}`);
    redis.on('error', (error) => logger.debug({ err: error, reason: name }, 'Redis connection'));
    lifecycle.started(`redis ${name}`, () => redis.disconnect());
    await redis.connect().catch((error: unknown) => logger.warn({ err: error }, 'Redis is not reachable yet'));
    return redis;
  };
  const redis = await connect(connectFailFast, 'commands');
  const queue = openGenerationQueue(redis, (error) => logger.debug({ err: error }, 'queue'));

  const gauges = { redis, queue, metrics, droppedBefore: { count: undefined } };
  const probes = await startProbeListener({
    host: config.METRICS_HOST,
    port: config.METRICS_PORT,
    registry: refreshedAtScrape(registry, () => exportGauges(gauges)),
    readiness: async () => {
      if (lifecycle.stopping) return { ready: false, reason: 'stopping' };
      await probeRedis(redis, instanceId);
      return { ready: true };
    },
  });
  lifecycle.started('probe listener', () => probes.stop());

  const consumer = consumeEvents({
    redis: await connect(connectPatient, 'events'),
    consumer: instanceId,
    keepTexts: config.LOG_CONTENT === 'masked',
    metrics,
    logger,
  });
  lifecycle.started('event consumer', () => consumer.stop());

  const sampler = startSampler({ redis, queue });
  lifecycle.started('sampler', () => sampler.stop());

  const http = await startHttpServer({
    host: config.STATS_HOST,
    port: config.STATS_PORT,
    logger,
    routes: endpointRoutes({
      redis,
      queue,
      instanceId,
      version,
      startedAt,
      requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
      uploadsPerDay: config.UPLOADS_PER_DAY,
    }),
    stream: { path: '/dashboard/events', open: async () => failure('service_unavailable') },
  });
  lifecycle.started('http server', () => http.stop());

  const metricsUrl = `http://${config.METRICS_ADVERTISE ?? config.METRICS_HOST}:${probes.port}/metrics`;
  const describe = (): Instance => ({
    id: instanceId,
    service: 'stats-service',
    version,
    metricsUrl,
    startedAt,
    inFlight: 0,
    draining: lifecycle.stopping,
  });
  const heartbeat = await startHeartbeat(redis, describe);
  lifecycle.started('heartbeat', () => heartbeat.stop());
  return { lifecycle, port: http.port, metricsPort: probes.port };
}
