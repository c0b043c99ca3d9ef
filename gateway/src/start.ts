import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { type Instance, startHeartbeat } from '@lontar/shared/instances.ts';
import type { Lifecycle } from '@lontar/shared/lifecycle.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { createRegistry, gatewayMetrics } from '@lontar/shared/metrics.ts';
import { metricsUrl } from '@lontar/shared/metrics-url.ts';
import { listen, startProbeListener } from '@lontar/shared/probe-listener.ts';
import { startRedisClock } from '@lontar/shared/redis-clock.ts';
import { connectFailFast, connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { openRedis } from '@lontar/shared/redis-open.ts';
import { createThrottle, throttledWarning } from '@lontar/shared/throttled-log.ts';
import { VERSION } from '@lontar/shared/version.ts';
import type { GatewayConfig } from './config.ts';
import { openEventLog } from './events/event-log.ts';
import { reservationMs } from './generation/generate.ts';
import { startSweeper, sweepReservations } from './generation/sweep.ts';
import { createTurnstile } from './generation/turnstile.ts';
import { openWithdrawals } from './generation/withdrawals.ts';
import { createApp } from './http/app.ts';
import { createPublicServer } from './http/server.ts';
import { createStatsProxy } from './http/stats-proxy.ts';
import { type Inbox, openInbox } from './inbox/inbox.ts';
import { stopServing } from './stop-serving.ts';
import { openUploadStorage } from './uploads/storage/open-storage.ts';
import { startUploadSweeper } from './uploads/sweep-uploads.ts';

const EVENTS_STOP_MS = 3_000;

export interface RunningGateway {
  /** Port of the public listener. */
  readonly port: number;
  readonly metricsPort: number;
}

/**
 * Starts a gateway: Redis, queue, inbox and event log first, then the public listener, so that nothing is accepted that
 * cannot be answered.
 *
 * @throws RedisUnreachableError, or the system's error when a port is taken
 */
export async function startGateway(
  config: GatewayConfig,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<RunningGateway> {
  const gateway = `gateway-${randomBytes(6).toString('hex')}`;
  const redis = connectFailFast(config.REDIS_URL, gateway);
  const reader = connectPatient(config.REDIS_URL, `${gateway}-inbox`);
  lifecycle.started('redis', () => redis.disconnect());
  await openRedis(config.REDIS_URL, [redis, reader], logger);

  const registry = createRegistry('gateway', VERSION);
  const metrics = gatewayMetrics(registry);
  const clock = await startRedisClock(redis);
  lifecycle.started('clock', clock.stop);
  const { turnstile, onRedisFailure } = openTurnstile(logger);
  const queue = openGenerationQueue(redis, onRedisFailure);
  lifecycle.started('queue', () => queue.close());
  const withdrawals = openWithdrawals({ redis, queue, onRedisFailure });
  lifecycle.started('withdrawals', withdrawals.stop);
  const events = openEventLog({ gateway, redis, logger, onDropped: (count) => metrics.eventsDropped.inc(count) });
  lifecycle.started('events', () => events.stop(EVENTS_STOP_MS));
  const inbox = await openInbox({ gateway, reader, redis, logger });
  lifecycle.started('inbox', inbox.stop);
  const sweeper = startSweeper(
    () => sweepReservations(redis, clock.now()),
    (count) => logger.warn({ count }, 'gave back reservations that nobody settled'),
  );
  lifecycle.started('sweeper', sweeper.stop);
  const storage = await openUploadStorage(config);
  const uploadSweeper = startUploadSweeper({ redis, clock, storage, logger });
  lifecycle.started('upload sweeper', uploadSweeper.stop);
  const statsProxy = createStatsProxy(config.STATS_URL, throttledWarning(logger, 'stats-service cannot be reached'));
  lifecycle.started('stats proxy', statsProxy.stop);

  const app = createApp({
    ...settingsOf(config),
    gateway,
    redis,
    queue,
    inbox,
    withdrawals,
    clock,
    metrics,
    logger,
    events,
    statsProxy,
    storage,
    onStorageFailure: throttledWarning(logger, 'the upload storage failed a request'),
    sweeper: uploadSweeper,
    turnstile,
    onRedisFailure,
    shedLines: createThrottle(),
    draining: () => lifecycle.stopping,
  });
  const server = createPublicServer(app);
  // Before the listener, so that probes and heartbeat go on while it drains.
  const metricsPort = await startProbes(config, lifecycle, { gateway, redis, inbox, registry, server });
  await listen(server, config.PORT, config.HOST);
  const times = { noticeMs: config.DRAIN_NOTICE_MS, drainMs: config.DRAIN_TIMEOUT_MS };
  lifecycle.started('public listener', () => stopServing(server, { ...times, giveUpWaiting: inbox.giveUp }));
  lifecycle.started('live streams', statsProxy.endStreams);
  const { port } = server.address() as AddressInfo;
  logger.info({ port, host: config.HOST, instance: gateway, version: VERSION }, 'the gateway serves');
  return { port, metricsPort };
}

/** A failure of Redis is told, and nobody waits in line for another one. */
function openTurnstile(logger: Logger) {
  const turnstile = createTurnstile();
  const warn = throttledWarning(logger, 'Redis failed a request');
  const onRedisFailure = (error: unknown) => {
    warn(error);
    turnstile.sendAway();
  };
  return { turnstile, onRedisFailure };
}

function settingsOf(config: GatewayConfig) {
  return {
    pepper: config.KEY_PEPPER,
    rules: {
      perHour: config.RATE_LIMIT_PER_HOUR,
      banAfterBadKeys: config.BAN_AFTER_BAD_KEYS,
      maxWaiting: config.QUEUE_MAX_WAITING,
      reservationMs: reservationMs(config.REQUEST_TIMEOUT_MS),
    },
    reading: { maxPromptChars: config.MAX_PROMPT_CHARS, maxOutputTokens: config.MAX_OUTPUT_TOKENS },
    uploadsPerDay: config.UPLOADS_PER_DAY,
    maxFileBytes: config.MAX_FILE_BYTES,
    publicUrl: config.PUBLIC_URL,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    trustProxy: config.TRUST_PROXY,
    logRequests: config.LOG_REQUESTS,
  };
}

async function startProbes(
  config: GatewayConfig,
  lifecycle: Lifecycle,
  parts: { gateway: string; redis: Redis; inbox: Inbox; registry: ReturnType<typeof createRegistry>; server: Server },
): Promise<number> {
  const { gateway, redis, inbox, registry, server } = parts;
  const probes = await startProbeListener({
    host: config.METRICS_HOST,
    port: config.METRICS_PORT,
    registry,
    readiness: async () => {
      if (lifecycle.stopping) return { ready: false, reason: 'draining' };
      if (!server.listening) return { ready: false, reason: 'starting' };
      await redis.set(redisKeys.probe(gateway), '1', 'EX', 60);
      return { ready: true };
    },
  });
  lifecycle.started('probes', probes.stop);
  const startedAt = Date.now();
  const heartbeat = await startHeartbeat(
    redis,
    (): Instance => ({
      id: gateway,
      service: 'gateway',
      version: VERSION,
      metricsUrl: metricsUrl(config, probes.port),
      startedAt,
      inFlight: inbox.waiting,
      draining: lifecycle.stopping,
    }),
  );
  lifecycle.started('heartbeat', heartbeat.stop);
  return probes.port;
}
