import { randomBytes } from 'node:crypto';
import type { Environment } from '@lontar/shared/config/read-config.ts';
import { settingDigests } from '@lontar/shared/config/setting-digests.ts';
import type { Endpoint } from '@lontar/shared/endpoints.ts';
import { openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { startProbeListener } from '@lontar/shared/http/probes.ts';
import { type Instance, modelsInForce, startHeartbeat } from '@lontar/shared/instances.ts';
import type { Lifecycle } from '@lontar/shared/lifecycle.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { createRegistry, type WorkerMetrics, workerMetrics } from '@lontar/shared/metrics.ts';
import { metricsUrl } from '@lontar/shared/metrics-url.ts';
import type { CatalogSource } from '@lontar/shared/models/catalog.ts';
import { keepCompiledCode } from '@lontar/shared/patches/compiled-code.ts';
import { type RedisClock, sayJump, startRedisClock } from '@lontar/shared/redis-clock.ts';
import { connectFailFast, connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { openRedis } from '@lontar/shared/redis-open.ts';
import { createThrottle, throttledWarning, throttleLines } from '@lontar/shared/throttled-log.ts';
import { STOP_RESERVE_MS } from '@lontar/shared/time-budget.ts';
import { VERSION } from '@lontar/shared/version.ts';
import { listenForCancellations } from './cancellations.ts';
import { type WorkerConfig, workerSettings } from './config.ts';
import { createIdlePlaces } from './idle-places.ts';
import { startJobRunner } from './job-runner.ts';
import type { JobRunner } from './job-start.ts';
import { createLivePlane } from './live/live-plane.ts';
import { MODEL_ERROR_KINDS } from './model/language-model.ts';
import { type ProcessDeps, processGeneration } from './process-generation.ts';
import { createProgress, type Progress } from './progress.ts';
import { createQuarantine } from './quarantine.ts';
import { judgeReadiness, longestStartMs } from './readiness.ts';
import { type WorkerWatch, watchWorkers } from './recovery/lost-workers.ts';
import { watchPresence } from './redis-presence.ts';
import { settleGivenUp } from './settle-job.ts';
import { firstProviderOf, noticeOf } from './upstreams/operator-words.ts';
import { type StartedRoutes, startRoutes } from './upstreams/start-routes.ts';
import { startUpstreams } from './upstreams/start-upstreams.ts';

function connectionsOf(config: WorkerConfig, id: string) {
  return {
    // Settlements go the same way as jobs: what both send at once is one system call.
    jobs: connectPatient(config, id),
    subscriber: connectPatient(config, `${id}-cancellations`),
    probes: connectFailFast(config, `${id}-probes`),
  };
}

/**
 * Starts a worker: model, masking and Redis first, then the runner that takes jobs.
 *
 * @throws ConfigError when the model lacks its settings; RedisUnreachableError
 */
export async function startWorker(
  config: WorkerConfig,
  logger: Logger,
  lifecycle: Lifecycle,
  environment: Environment,
): Promise<void> {
  const id = `worker-${randomBytes(6).toString('hex')}`;
  const registry = createRegistry('worker', VERSION);
  const metrics = workerMetrics(registry, MODEL_ERROR_KINDS);
  const { catalog, upstreams, masker } = await startUpstreams(config, environment, { logger, metrics, lifecycle });
  const connections = connectionsOf(config, id);
  lifecycle.started('redis', () => {
    for (const connection of Object.values(connections)) connection.disconnect();
  });
  await openRedis(config, Object.values(connections), logger, lifecycle);

  metrics.concurrencyLimit.set(config.WORKER_CONCURRENCY);
  const clock = await startRedisClock(connections.probes, sayJump(logger));
  lifecycle.started('clock', clock.stop);
  const presence = watchPresence(connections.jobs, clock);
  lifecycle.started('presence', presence.stop);
  const progress = createProgress(metrics, firstProviderOf(catalog.current), clock);
  // Called once jobs run; by then the runner is there.
  const idle = createIdlePlaces(config.WORKER_CONCURRENCY, (count) => runner.allowMore(count));
  const { jobs: redis, subscriber } = connections;
  const listening = { redis, subscriber, clock, onWaiting: idle.noteWaitingForRoutes };
  const routes = await startRoutes({ worker: id, ...listening, catalog, upstreams, metrics, logger });
  lifecycle.started('routes', routes.stop);
  const deps: ProcessDeps & { readonly logger: Logger } = {
    redis,
    redisReturnedAt: presence.returnedAt,
    redisOutageEndedAt: presence.outageEndedAt,
    redisPromotedAt: presence.promotedAt,
    quarantine: createQuarantine(idle.noteInQuarantine),
    clock,
    logger,
    metrics,
    catalog,
    chooser: routes.chooser,
    personas: personasOf(config),
    masker,
    live: openLivePlane(redis, id, metrics, logger),
    freeFailuresPerHour: config.FREE_FAILURES_PER_HOUR,
    keepPreviews: config.LOG_CONTENT === 'masked',
    random: Math.random,
    noteModelOutcome: progress.noteModelOutcome,
    onRedisFailure: throttledWarning(logger, 'Redis refused a settlement'),
  };
  const onStalled = noteStalled(deps);
  const workers = await watchOthers(id, { redis, subscriber, logger, onStalled });
  lifecycle.started('workers', workers.stop);
  const runner: JobRunner = runJobs({ config, id, deps, redis, progress, workers, onStalled });
  const cancellations = await listenForCancellations(subscriber, runner.cancel);
  lifecycle.started('cancellations', cancellations.stop);
  const probed = { id, logger, clock, registry, runner, progress, catalog, routes };
  await startProbes(config, lifecycle, { ...probed, redis: connections.probes });
  // Last, so that it stops first: cancellations, probes and heartbeat go on while jobs are finished.
  lifecycle.started('jobs', async () => {
    deps.quarantine.close();
    deps.chooser.close();
    await runner.stop(Math.max(0, config.DRAIN_TIMEOUT_MS - STOP_RESERVE_MS));
    // Only then: what it may not have handed back in time is found by others.
    await workers.leave();
  });
  logger.info({ instance: id, version: VERSION, concurrency: config.WORKER_CONCURRENCY }, 'the worker takes jobs');
  logger.info(noticeOf(catalog.current));
}

/** Sees that jobs of workers that are gone are taken back. */
function watchOthers(
  name: string,
  parts: {
    readonly redis: Redis;
    readonly subscriber: Redis;
    readonly logger: Logger;
    readonly onStalled: (requestId: string) => void;
  },
): Promise<WorkerWatch> {
  const { redis, subscriber, logger, onStalled } = parts;
  return watchWorkers({
    redis,
    subscriber,
    name,
    onTakenBack(worker, requestIds) {
      logger.warn({ worker, jobs: requestIds.length }, 'jobs were taken back from a worker that is gone');
      for (const requestId of requestIds) onStalled(requestId);
    },
    onError: throttledWarning(logger, 'workers that are gone cannot be looked for'),
  });
}

function runJobs(parts: {
  readonly config: WorkerConfig;
  readonly id: string;
  readonly deps: ProcessDeps & { readonly logger: Logger };
  readonly redis: ReturnType<typeof connectPatient>;
  readonly progress: Progress;
  readonly workers: WorkerWatch;
  readonly onStalled: (requestId: string) => void;
}): JobRunner {
  const { config, id, deps, redis, progress, workers, onStalled } = parts;
  const thinned: ProcessDeps = { ...deps, logger: throttleLines(deps.logger) };
  return startJobRunner({
    name: id,
    redis,
    clock: deps.clock,
    concurrency: config.WORKER_CONCURRENCY,
    untilSteady: workers.untilSteady,
    logger: deps.logger,
    async process(start) {
      keepCompiledCode();
      progress.jobStarted();
      try {
        return await processGeneration(thinned, start);
      } finally {
        progress.jobFinished();
      }
    },
    async onGivenUp(requestId, job, reason) {
      deps.logger.error({ requestId, reason }, 'a job was given up');
      deps.metrics.jobsGivenUp.inc({ reason });
      await settleGivenUp(deps, requestId, job);
    },
    onStalled,
  });
}

/** Notes each job that is taken back from a worker that died, is blocked or is gone. */
function noteStalled({ logger, metrics }: Pick<ProcessDeps, 'metrics'> & { readonly logger: Logger }) {
  const stalledLines = createThrottle();
  return (requestId: string) => {
    // A worker that dies may leave hundreds: of those, a line a second.
    const heldBack = stalledLines();
    if (heldBack !== undefined) {
      logger.warn({ requestId, heldBack }, 'a job was taken back from a worker that stopped working');
    }
    metrics.jobsStalled.inc();
    metrics.retries.inc({ reason: 'worker_lost' });
  };
}

async function startProbes(
  config: WorkerConfig,
  lifecycle: Lifecycle,
  parts: {
    readonly id: string;
    readonly logger: Logger;
    readonly clock: RedisClock;
    readonly redis: ReturnType<typeof connectFailFast>;
    readonly registry: ReturnType<typeof createRegistry>;
    readonly runner: JobRunner;
    readonly progress: Progress;
    readonly catalog: CatalogSource;
    readonly routes: Pick<StartedRoutes, 'describe'>;
  },
): Promise<void> {
  const { id, logger, clock, redis, registry, runner, progress, catalog, routes } = parts;
  const queue = openGenerationQueue(redis);
  const startedAt = clock.now();
  const settings = settingDigests(workerSettings, config);
  const condition = () => ({
    id,
    startedAt,
    inFlight: runner.active,
    slots: config.WORKER_CONCURRENCY,
    draining: lifecycle.stopping,
    models: modelsInForce(catalog),
    ...progress.describe(),
  });
  const probes = await startProbeListener({
    logger,
    host: config.METRICS_HOST,
    port: config.METRICS_PORT,
    registry,
    // One start of a job ends with its model attempt.
    readiness: () =>
      judgeReadiness({ redis, clock, queue, worker: condition(), longestStartMs: longestStartMs(catalog.current) }),
  });
  lifecycle.started('probes', probes.stop);
  const heartbeat = await startHeartbeat(
    redis,
    (): Instance => ({
      ...condition(),
      ...routes.describe(),
      settings,
      service: 'worker',
      version: VERSION,
      metricsUrl: metricsUrl(config, probes.port),
    }),
  );
  lifecycle.started('heartbeat', heartbeat.stop);
}

function openLivePlane(redis: Redis, worker: string, metrics: WorkerMetrics, logger: Logger) {
  const onRedisFailure = throttledWarning(logger, 'Redis refused pieces of streamed answers; readers get them later');
  return createLivePlane({ redis, worker, metrics, onRedisFailure });
}

function personasOf(config: WorkerConfig): Record<Endpoint, string> {
  return { '/api/ai': config.PERSONA_AI, '/api/ai2': config.PERSONA_AI2, '/api/ai3': config.PERSONA_AI3 };
}
