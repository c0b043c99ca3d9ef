import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { settingDigests } from '@lontar/shared/config/setting-digests.ts';
import { type GatewayMetrics, gatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { startProbeListener } from '@lontar/shared/http/probes.ts';
import { listen } from '@lontar/shared/http/server.ts';
import { type Instance, modelsInForce, startHeartbeat } from '@lontar/shared/instances.ts';
import type { Lifecycle } from '@lontar/shared/lifecycle.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { metricsUrl } from '@lontar/shared/metrics-url.ts';
import type { CatalogSource } from '@lontar/shared/models/catalog.ts';
import { collectAfter, collectEverything, MOST_GARBAGE_BYTES } from '@lontar/shared/patches/young-generation.ts';
import { askStillPrimary } from '@lontar/shared/primary/still-primary.ts';
import { type RedisClock, sayJump, startRedisClock } from '@lontar/shared/redis-clock.ts';
import { connectFailFast, connectReader, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { openRedis } from '@lontar/shared/redis-open.ts';
import { watchReplication } from '@lontar/shared/replication/replication.ts';
import { TAKES_STORED } from '@lontar/shared/settlement/stored-replies.ts';
import { throttledWarning } from '@lontar/shared/throttled-log.ts';
import { VERSION } from '@lontar/shared/version.ts';
import type { Express } from 'express';
import { isAdminHere, startAdminListener } from './admin-listener.ts';
import type { AdmissionRules } from './admission/admit.ts';
import type { LongJobBounds } from './admission/hold-long-job.ts';
import { concludingSettings, generationSettings, openModels, publicLimits } from './caller-limits.ts';
import { type GatewayConfig, gatewaySettings } from './config.ts';
import { type EventLogDeps, openEventLog } from './events/event-log.ts';
import { reservationMs } from './generation/generate.ts';
import { startSweeper, sweepReservations } from './generation/sweep.ts';
import { createTurnstile } from './generation/turnstile.ts';
import { LEAST_WITHDRAWING_MS, openWithdrawals } from './generation/withdrawals.ts';
import { type Inbox, openInbox } from './inbox/inbox.ts';
import { createAnswerFinder } from './live/find-answer.ts';
import { openDoor } from './open-door.ts';
import { createApp } from './server/app.ts';
import { bodyLimit } from './server/body.ts';
import { bodyBounds, createBodyBudget } from './server/body-budget.ts';
import { createEventStreams } from './server/event-streams.ts';
import { thinRefusedLines } from './server/refused-lines.ts';
import { createPublicServer } from './server/server.ts';
import { shareHealth } from './statistics/shared-health.ts';
import { shareLooks } from './statistics/shared-looks.ts';
import { createStatsProxy } from './statistics/stats-proxy.ts';
import { stopServing } from './stop-serving.ts';
import { uploadBudgets } from './uploads/byte-budget.ts';
import { openUploadStorage } from './uploads/storage/open-storage.ts';
import { startUploadSweeper } from './uploads/sweep-uploads.ts';

const EVENTS_STOP_MS = 3_000;
const DAY_MS = 86_400_000;

export interface RunningGateway {
  /** Port of the public listener. */
  readonly port: number;
  /** Where the admin API has a port of its own. */
  readonly adminPort?: number;
  readonly metricsPort: number;
}

/**
 * Starts a gateway: Redis, queue, inbox and event log first, then the public listener, so that nothing is accepted that
 * cannot be answered.
 *
 * @throws ConfigError when the file of models cannot be taken; RedisUnreachableError, or the system's error when a port
 *   is taken
 */
export async function startGateway(
  config: GatewayConfig,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<RunningGateway> {
  const gateway = `gateway-${randomBytes(6).toString('hex')}${TAKES_STORED}`;
  const { redis, reader } = await openConnections(config, gateway, logger, lifecycle);

  const registry = createRegistry('gateway', VERSION);
  const metrics = gatewayMetrics(registry);
  const models = await openModels(config, lifecycle, { metrics, logger });
  const clock = await startRedisClock(redis, sayJump(logger));
  lifecycle.started('clock', clock.stop);
  const { turnstile, onRedisFailure } = openTurnstile(logger);
  const replication = openReplication(config, redis, gateway, metrics);
  const queue = openGenerationQueue(redis);
  const freeFailuresPerHour = config.FREE_FAILURES_PER_HOUR;
  const withdrawals = openWithdrawals({ redis, queue, freeFailuresPerHour, onRedisFailure, replication });
  lifecycle.started('withdrawals', withdrawals.stop, LEAST_WITHDRAWING_MS);
  const events = openEventLog({ gateway, redis, logger, replication, ...measuredBy(metrics) });
  lifecycle.started('events', () => events.stop(EVENTS_STOP_MS));
  const inbox = await openInbox({ gateway, reader, redis, logger, onRead: lagOf(metrics, clock), replication });
  lifecycle.started('inbox', inbox.stop);
  const sweeper = startSweeper(
    () => sweepReservations(redis, clock.now(), freeFailuresPerHour),
    (count) => logger.warn({ count }, 'settled requests that no other process had'),
  );
  lifecycle.started('sweeper', sweeper.stop);
  const uploads = await startUploads(config, lifecycle, { redis, clock, metrics, logger });
  const statistics = reachStatistics(config, lifecycle, logger);
  const refusedLines = openRefusedLines(lifecycle, logger);
  const admission = { redis, rules: rulesOf(config), pepper: config.KEY_PEPPER, onRedisFailure };
  const draining = () => lifecycle.stopping;
  const judging = { ...admission, turnstile };
  const live = { finder: createAnswerFinder(redis, onRedisFailure), metrics };
  const app = createApp({
    door: { trustProxy: config.TRUST_PROXY, connectionsPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS, metrics, clock },
    admission,
    bodies: { ...judging, ...bodyDeps(config, metrics), clock },
    generation: {
      ...judging,
      ...generationSettings(config, models),
      gateway,
      queue,
      inbox,
      withdrawals,
      replication,
      clock,
      live,
      metrics,
    },
    streams: createEventStreams({ metrics, draining }),
    uploads: { ...admission, ...uploads },
    statistics: { ...statistics, looks: shareLooks(admission) },
    reference: { limits: publicLimits(config, models), publicUrl: config.PUBLIC_URL },
    conclude: { redis, clock, metrics, logger, events, refusedLines, draining, ...concludingSettings(config, redis) },
  });
  const doorOf = (served: Express) => openDoor(config, metrics, clock, served);
  const server = createPublicServer(app, doorOf(app));
  // Before the listener, so that probes and heartbeat go on while it drains.
  const parts = { gateway, redis, clock, inbox, registry, server, logger, models };
  const metricsPort = await startProbes(config, lifecycle, parts);
  // Before the public one, which readiness goes by: a gateway is ready once both listen.
  const adminPort = await startAdminListener(config, { ...statistics, lifecycle, logger, openDoor: doorOf });
  await listen(server, { port: config.PORT, host: config.HOST, setting: 'PORT' });
  const times = { noticeMs: config.DRAIN_NOTICE_MS, drainMs: config.DRAIN_TIMEOUT_MS };
  lifecycle.started('public listener', () => stopServing(server, { ...times, giveUpWaiting: inbox.giveUp }));
  lifecycle.started('live streams', statistics.statsProxy.endStreams);
  const { port } = server.address() as AddressInfo;
  logger.info({ port, host: config.HOST, instance: gateway, version: VERSION }, 'the gateway serves');
  return { port, metricsPort, ...(adminPort === undefined ? {} : { adminPort }) };
}

/** Measures how old entries of the inbox are; both times are Redis's own. */
function lagOf({ inboxLag }: Pick<GatewayMetrics, 'inboxLag'>, clock: RedisClock): (writtenAt: number) => void {
  return (writtenAt) => inboxLag.observe(Math.max(0, clock.now() - writtenAt) / 1_000);
}

/** Storage and sweeper of uploads, and what bounds them: what that room needs besides admission. */
async function startUploads(
  config: GatewayConfig,
  lifecycle: Lifecycle,
  parts: { redis: Redis; clock: RedisClock; metrics: GatewayMetrics; logger: Logger },
) {
  const { metrics, clock, ...deps } = parts;
  const storage = await openUploadStorage(config);
  const uploadTtlMs = config.UPLOAD_TTL_DAYS * DAY_MS;
  metrics.uploadStorageMost.set(config.MAX_STORAGE_BYTES);
  const onStored = (bytes: number) => metrics.uploadStorage.set(bytes);
  const sweeper = await startUploadSweeper({ ...deps, clock, storage, ttlMs: uploadTtlMs, onStored });
  lifecycle.started('upload sweeper', sweeper.stop);
  const onStorageFailure = throttledWarning(deps.logger, 'the upload storage failed a request');
  return {
    clock,
    metrics,
    storage,
    sweeper,
    onStorageFailure,
    uploadTtlMs,
    ...uploadBudgets(config),
    uploadsPerDay: config.UPLOADS_PER_DAY,
    maxFileBytes: config.MAX_FILE_BYTES,
    maxStorageBytes: config.MAX_STORAGE_BYTES,
    downloadsPerHour: config.DOWNLOADS_PER_HOUR,
    publicUrl: config.PUBLIC_URL,
  };
}

/** The ways to stats-service: the proxy for what callers ask of it, and health, which all who ask share. */
function reachStatistics(config: GatewayConfig, lifecycle: Lifecycle, logger: Logger) {
  const stats = { url: config.STATS_URL, secret: config.INNER_SECRET };
  const warn = throttledWarning(logger, 'stats-service cannot be reached');
  const statsProxy = createStatsProxy(stats, warn);
  lifecycle.started('stats proxy', statsProxy.stop);
  const askHealth = shareHealth(stats, config.UTILITY_ENDPOINTS !== 'open', warn);
  return { statsProxy, askHealth, utilityEndpoints: config.UTILITY_ENDPOINTS, hasAdminApi: isAdminHere(config) };
}

function bodyDeps(config: GatewayConfig, metrics: GatewayMetrics) {
  const mostBodyBytes = { envelope: bodyLimit(config.MAX_PROMPT_CHARS), openai: config.MAX_BODY_BYTES };
  const longest = Math.max(...Object.values(mostBodyBytes));
  const bounds = bodyBounds(config.MAX_CONNECTIONS_PER_ADDRESS, longest);
  const bodies = createBodyBudget(bounds, (bytes) => metrics.bodyBytes.set(bytes));
  return { bodies, bodyBounds: bounds, mostBodyBytes, metrics, onRefusedBytes: collectAfter(MOST_GARBAGE_BYTES) };
}

/** Events that cannot be sent whole, or not at all, are measured. */
function measuredBy({ eventsReduced, eventsDropped }: GatewayMetrics): Pick<EventLogDeps, 'onReduced' | 'onDropped'> {
  return {
    onReduced: (leftOut, count) => eventsReduced.inc({ left_out: leftOut }, count),
    onDropped: (count) => eventsDropped.inc(count),
  };
}

async function openConnections(config: GatewayConfig, gateway: string, logger: Logger, lifecycle: Lifecycle) {
  const redis = connectFailFast(config, gateway);
  const reader = connectReader(config, `${gateway}-inbox`);
  lifecycle.started('redis', () => redis.disconnect());
  await openRedis(config, [redis, reader], logger, lifecycle);
  return { redis, reader };
}

function openRefusedLines(lifecycle: Lifecycle, logger: Logger) {
  const lines = thinRefusedLines((line) => logger.info(line, 'answered'));
  lifecycle.started('refused lines', lines.stop);
  return lines;
}

/** What callers are told of waits for replicas, where the operator asks for it. */
function openReplication(config: GatewayConfig, redis: Redis, gateway: string, metrics: GatewayMetrics) {
  const onWaited = (isHeld: boolean) => metrics.replicaWaits.inc({ result: isHeld ? 'held' : 'missed' });
  const isPrimaryWith = askStillPrimary(config, redis);
  return watchReplication(redis, redisKeys.probe(gateway), {
    replicas: config.REDIS_REPLICAS_ACK,
    isPrimaryWith,
    onWaited,
  });
}

/** A failure of Redis is logged, and no request waits in line for another one. */
function openTurnstile(logger: Logger) {
  const turnstile = createTurnstile();
  const warn = throttledWarning(logger, 'Redis failed a request');
  const onRedisFailure = (error: unknown) => {
    warn(error);
    turnstile.sendAway();
  };
  return { turnstile, onRedisFailure };
}

function rulesOf(config: GatewayConfig): AdmissionRules & LongJobBounds {
  return {
    perHour: config.RATE_LIMIT_PER_HOUR,
    banAfterBadKeys: config.BAN_AFTER_BAD_KEYS,
    maxWaiting: config.QUEUE_MAX_WAITING,
    maxQueueBytes: config.QUEUE_MAX_BYTES,
    reservationMs: reservationMs(config.REQUEST_TIMEOUT_MS),
  };
}

async function startProbes(
  config: GatewayConfig,
  lifecycle: Lifecycle,
  parts: {
    gateway: string;
    redis: Redis;
    clock: RedisClock;
    inbox: Inbox;
    registry: ReturnType<typeof createRegistry>;
    server: Server;
    logger: Logger;
    models: CatalogSource;
  },
): Promise<number> {
  const { gateway, redis, clock, inbox, registry, server, logger, models } = parts;
  // Making the documents leaves 20 MB behind. From here on callers come.
  collectEverything();
  const probes = await startProbeListener({
    logger,
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
  const startedAt = clock.now();
  const settings = settingDigests(gatewaySettings, config);
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
      settings,
      models: modelsInForce(models),
      addressPerHour: config.RATE_LIMIT_PER_HOUR,
    }),
  );
  lifecycle.started('heartbeat', heartbeat.stop);
  return probes.port;
}
