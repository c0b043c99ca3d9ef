import { GENERATION_ENDPOINTS } from '@lontar/shared/endpoints.ts';
import type { QueueState } from '@lontar/shared/generation-queue.ts';
import type { Instance } from '@lontar/shared/instances.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Health, HealthState } from '@lontar/shared/utility-answers.ts';
import { workerFailure } from '@lontar/shared/worker-failure.ts';

/** Events older than this are late, ms. */
const LATE_EVENTS_MS = 30_000;

/** What health is judged by; parts that could not be read are absent. */
export interface HealthReading {
  readonly now: RedisTime;
  readonly version: string;
  readonly startedAt: RedisTime;
  /** How long the bounded write to Redis took; absent when it failed. */
  readonly redisWriteMs?: number;
  readonly queue?: QueueState;
  readonly instances?: readonly Instance[];
  readonly lagMs?: number;
  /** The deadline of a job. */
  readonly requestTimeoutMs: number;
}

/** Judges the whole service and its parts. It never asks the model: a probe would cost money. */
export function judgeHealth(reading: HealthReading): Health {
  const redis = judgeRedis(reading);
  const queue = judgeQueue(reading);
  const gateways = judgeGateways(reading);
  const workers = judgeWorkers(reading);
  const model = judgeModel(reading);
  const models = judgeModels(reading);
  const stats = judgeStats(reading);
  // A model without a route is an outage of its callers, not of the service.
  const isModelDown = Object.values(models).some(({ status }) => status === 'down');
  const routes = isModelDown ? 'degraded' : 'ok';
  const generation = worst([redis.status, queue.status, workers.status, model.status, routes]);
  const utilities = redis.status;
  return {
    status: worst([generation, gateways.status, stats.status]),
    version: reading.version,
    uptime_seconds: Math.max(0, Math.floor((reading.now - reading.startedAt) / 1000)),
    timestamp: new Date(reading.now).toISOString(),
    redis,
    queue,
    gateways,
    workers,
    model,
    models,
    stats,
    endpoints: {
      ...Object.fromEntries(GENERATION_ENDPOINTS.map((endpoint) => [endpoint, generation])),
      '/v1/models': utilities,
      '/api/check-limit': utilities,
      '/api/usage': worst([utilities, stats.status]),
      '/api/health': 'ok',
      '/api/stats': worst([utilities, stats.status]),
    },
  };
}

function judgeRedis({ redisWriteMs }: HealthReading): Health['redis'] {
  if (redisWriteMs === undefined) return { status: 'down', reason: 'a write did not succeed in time' };
  return { status: 'ok', write_ms: Math.round(redisWriteMs * 10) / 10 };
}

function judgeQueue({ queue }: HealthReading): Health['queue'] {
  if (queue === undefined) return { status: 'down', reason: 'the queue could not be read' };
  const { waiting, active, delayed, paused } = queue;
  const figures = { waiting, active, delayed, paused, oldest_waiting_age_ms: Math.round(queue.oldestWaitingAgeMs) };
  if (paused) return { status: 'degraded', reason: 'the queue is paused', ...figures };
  return { status: 'ok', ...figures };
}

function judgeGateways({ instances }: HealthReading): Health['gateways'] {
  const up = instances?.filter(({ service }) => service === 'gateway').length ?? 0;
  // A client that reads this came through a gateway, so a missing registration is not an outage.
  return up > 0 ? { status: 'ok', instances: up } : { status: 'degraded', reason: 'none is registered', instances: 0 };
}

function judgeWorkers(reading: HealthReading): Health['workers'] {
  const workers = reading.instances?.filter(({ service }) => service === 'worker') ?? [];
  const failing = countFailing(workers, reading);
  const serving = workers.filter(({ draining }) => !draining);
  const slots = serving.reduce((sum, worker) => sum + (worker.slots ?? 0), 0);
  const busy = serving.reduce((sum, worker) => sum + worker.inFlight, 0);
  const progress = Math.max(0, ...workers.map(({ lastProgressAt }) => lastProgressAt ?? 0));
  const figures = {
    instances: workers.length,
    failing,
    slots,
    free_slots: Math.max(0, slots - busy),
    ...(progress === 0 ? {} : { last_progress: new Date(progress).toISOString() }),
  };
  if (reading.instances === undefined) return { status: 'down', reason: 'they could not be read', ...figures };
  if (serving.length === 0) return { status: 'down', reason: 'no worker is up', ...figures };
  if (failing >= serving.length) return { status: 'down', reason: 'no worker makes progress', ...figures };
  if (failing > 0)
    return { status: 'degraded', reason: `${failing} of ${workers.length} make no progress`, ...figures };
  return { status: 'ok', ...figures };
}

function countFailing(workers: readonly Instance[], { now, queue, requestTimeoutMs }: HealthReading): number {
  if (queue === undefined) return 0;
  const circumstances = { now, backlog: queue, longestJobMs: requestTimeoutMs };
  return workers.filter((worker) => workerFailure(worker, circumstances) !== undefined).length;
}

function judgeModel({ instances }: HealthReading): Health['model'] {
  const calls = (instances ?? []).flatMap(({ model }) => (model ? [model] : [])).sort((a, b) => b.at - a.at);
  const last = calls.find(({ lastOutcome }) => lastOutcome !== 'none') ?? calls[0];
  if (last === undefined) return { status: 'ok', last_outcome: 'none' };
  const figures = { provider: last.provider, last_outcome: last.lastOutcome };
  const at = last.lastOutcome === 'none' ? {} : { at: new Date(last.at).toISOString() };
  if (last.lastOutcome !== 'failed') return { status: 'ok', ...figures, ...at };
  return { status: 'degraded', reason: 'the last call failed', ...figures, ...at };
}

/** A route is up where one worker at least does not know it to be down: another one may have lost its own network. */
function judgeModels({ instances = [] }: HealthReading): Health['models'] {
  const known = new Map<string, readonly [up: number, all: number]>();
  for (const { routes = {}, draining } of instances) {
    if (draining) continue;
    for (const [model, [up, all]] of Object.entries(routes)) {
      const before = known.get(model) ?? [0, 0];
      known.set(model, [Math.max(before[0], up), Math.max(before[1], all)]);
    }
  }
  return Object.fromEntries(
    [...known].map(([model, [up, all]]) => [model, { status: stateOfRoutes(up, all), routes: all, up }]),
  );
}

function stateOfRoutes(up: number, all: number): HealthState {
  if (up === 0) return 'down';
  return up < all ? 'degraded' : 'ok';
}

function judgeStats({ lagMs }: HealthReading): Health['stats'] {
  if (lagMs === undefined) return { status: 'degraded', reason: 'the events could not be read' };
  if (lagMs <= LATE_EVENTS_MS) return { status: 'ok', lag_ms: Math.round(lagMs) };
  return { status: 'degraded', reason: 'events are counted late', lag_ms: Math.round(lagMs) };
}

function worst(states: readonly HealthState[]): HealthState {
  if (states.includes('down')) return 'down';
  return states.includes('degraded') ? 'degraded' : 'ok';
}
