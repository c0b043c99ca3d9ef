import { ENDPOINTS } from '@lontar/shared/endpoints.ts';
import type { Instance } from '@lontar/shared/instances.ts';
import type { Health, HealthState } from '@lontar/shared/utility-answers.ts';

/** A worker with a free slot that has not touched a job for this long while jobs wait is stuck, ms. */
const IDLE_PROGRESS_MS = 15_000;
/** Events older than this are late, ms. */
const LATE_EVENTS_MS = 30_000;

export interface QueueReading {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly paused: boolean;
  readonly oldestWaitingAgeMs: number;
}

/** What health is judged by; parts that could not be read are absent. */
export interface HealthReading {
  readonly now: number;
  readonly version: string;
  readonly startedAt: number;
  /** How long the bounded write to Redis took; absent when it failed. */
  readonly redisWriteMs?: number;
  readonly queue?: QueueReading;
  readonly instances?: readonly Instance[];
  readonly lagMs?: number;
  /** The deadline of a job: a worker whose slots are all busy shows no progress for that long, rightly. */
  readonly requestTimeoutMs: number;
}

/** Judges the whole service and its parts. It never asks the model: a probe would cost money. */
export function judgeHealth(reading: HealthReading): Health {
  const redis = judgeRedis(reading);
  const queue = judgeQueue(reading);
  const gateways = judgeGateways(reading);
  const workers = judgeWorkers(reading);
  const model = judgeModel(reading);
  const stats = judgeStats(reading);
  const generation = worst([redis.status, queue.status, workers.status, model.status]);
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
    stats,
    endpoints: {
      ...Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint, generation])),
      '/api/check-limit': utilities,
      '/api/usage': worst([utilities, stats.status]),
      '/api/health': 'ok',
      '/api/stats': worst([utilities, stats.status]),
    },
  };
}

/**
 * Why a worker counts as failing: alive, but without progress while jobs wait.
 *
 * @returns the reason in words; `undefined` when it does not
 */
export function workerFailure(
  worker: Instance,
  { now, waiting, requestTimeoutMs }: { now: number; waiting: number; requestTimeoutMs: number },
): string | undefined {
  if (waiting === 0 || worker.draining) return undefined;
  const since = now - Math.max(worker.lastProgressAt ?? 0, worker.startedAt);
  const free = (worker.slots ?? 0) - worker.inFlight > 0;
  const limit = free ? IDLE_PROGRESS_MS : requestTimeoutMs + IDLE_PROGRESS_MS;
  return since > limit ? `no progress for ${Math.round(since / 1000)} s while ${waiting} jobs wait` : undefined;
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
  // Whoever reads this came through a gateway, so a missing registration is not an outage.
  return up > 0 ? { status: 'ok', instances: up } : { status: 'degraded', reason: 'none is registered', instances: 0 };
}

function judgeWorkers(reading: HealthReading): Health['workers'] {
  const workers = reading.instances?.filter(({ service }) => service === 'worker') ?? [];
  const context = { ...reading, waiting: reading.queue?.waiting ?? 0 };
  const failing = workers.filter((worker) => workerFailure(worker, context) !== undefined).length;
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

function judgeModel({ instances }: HealthReading): Health['model'] {
  const calls = (instances ?? []).flatMap(({ model }) => (model ? [model] : [])).sort((a, b) => b.at - a.at);
  const last = calls.find(({ lastOutcome }) => lastOutcome !== 'none') ?? calls[0];
  if (last === undefined) return { status: 'ok', last_outcome: 'none' };
  const figures = { provider: last.provider, last_outcome: last.lastOutcome };
  const at = last.lastOutcome === 'none' ? {} : { at: new Date(last.at).toISOString() };
  if (last.lastOutcome !== 'failed') return { status: 'ok', ...figures, ...at };
  return { status: 'degraded', reason: 'the last call failed', ...figures, ...at };
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
