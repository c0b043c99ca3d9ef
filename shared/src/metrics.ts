import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { GENERATION_ENDPOINTS } from './endpoints.ts';
import { collectProcessMetrics } from './patches/event-loop-lag.ts';
import { MASK_TYPES } from './settlement/settlement.ts';
import { upstreamMetrics } from './upstream-metrics.ts';

/** Latency buckets, seconds; the edges hold the thresholds of the service-level objectives. */
export const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** Buckets of work that takes well under a millisecond, seconds. */
export const FINE_BUCKETS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5];
/** Token buckets of the OpenTelemetry conventions for generative AI. */
const TOKEN_BUCKETS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576];

const TOKEN_RATE_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000];

/** Every route under /api/: what metrics and the log tell apart. Everything else is `other`. */
export const ROUTE_LABELS = [
  ...GENERATION_ENDPOINTS,
  '/v1/models',
  '/api/requests',
  '/api/upload',
  '/api/code',
  '/api/key',
  '/api/check-limit',
  '/api/usage',
  '/api/health',
  '/api/stats',
  'other',
] as const;
export type RouteLabel = (typeof ROUTE_LABELS)[number];

/** Why a model attempt is made again. */
const RETRY_REASONS = [
  'rate_limited',
  'server_error',
  'connection',
  'cut_off',
  'timed_out',
  'other_route',
  'worker_lost',
] as const;
export type RetryReason = (typeof RETRY_REASONS)[number];

/**
 * Why a call is made again at once, in the same attempt: its connection had gone stale, the server refused the form of
 * the request, or ended a stream before its first byte.
 */
export const REPEAT_REASONS = [
  'stale_connection',
  'no_limit',
  'older_name',
  'newer_name',
  'no_token_counts',
  'no_thoughts',
  'empty_stream',
  'lower_limit',
  'no_sampling',
  'no_thinking',
] as const;
export type RepeatReason = (typeof REPEAT_REASONS)[number];

/**
 * Whether a model call was paid for: charged to the key, given back, or open, because the request goes on or another
 * process settles it.
 */
export const CALL_CHARGES = ['charged', 'given_back', 'open'] as const;
export type CallCharge = (typeof CALL_CHARGES)[number];

/** `lock_lost`: the queue took the job away from the worker, and another one has it; `repeated`: it was settled before. */
const JOB_OUTCOMES = ['answered', 'failed', 'retried', 'expired', 'cancelled', 'lock_lost', 'repeated'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/** Why frames were not sent: Redis is away, answers too slowly, or refused them; or their gateway is gone or far behind. */
const DROP_REASONS = ['redis_away', 'behind', 'refused', 'gateway'] as const;

/** Why a job was given up: workers died of it, its data cannot be read, or it failed in an unforeseen way. */
export const GIVEN_UP_REASONS = ['poison_pill', 'unreadable', 'failed'] as const;
export type GivenUpReason = (typeof GIVEN_UP_REASONS)[number];

/** A registry with the process defaults and `app_build_info`, for one instance of a service. */
export function createRegistry(service: string, version: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectProcessMetrics(registry);
  // Gauges that are named like counters, which `promtool check metrics` refuses; those by type stay and add up to them.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  new Gauge({
    name: 'app_build_info',
    help: 'Always 1; its labels say which version runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return registry;
}

/** Of every service that reads the file of models; once in a registry, whatever else is measured there. */
export function modelsFileMetrics(registry: Registry) {
  const name = 'lontar_models_file_broken';
  const registered = registry.getSingleMetric(name) as Gauge | undefined;
  if (registered !== undefined) return { modelsFileBroken: registered };
  const modelsFileBroken = new Gauge({
    name,
    help: '1 while the changed file of models is broken and the earlier one is still used, else 0.',
    registers: [registry],
  });
  modelsFileBroken.set(0);
  return { modelsFileBroken };
}

export type WorkerMetrics = ReturnType<typeof workerMetrics>;

/**
 * What a worker measures.
 *
 * @param modelOutcomes every way a model call can end, so that each has its series from the start
 */
export function workerMetrics(registry: Registry, modelOutcomes: readonly string[] = []) {
  return {
    ...modelsFileMetrics(registry),
    ...jobMetrics(registry),
    ...modelMetrics(registry, modelOutcomes),
    ...maskingMetrics(registry),
    ...streamMetrics(registry),
    ...upstreamMetrics(registry),
  };
}

function jobMetrics(registry: Registry) {
  const registers = [registry];
  const jobsProcessed = new Counter({
    name: 'queue_jobs_processed_total',
    help: 'Generation jobs that a worker finished or returned to the queue, by outcome.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const jobProcess = new Histogram({
    name: 'queue_job_process_duration_seconds',
    help: 'Time that a worker spent on one start of a job, seconds.',
    labelNames: ['outcome'] as const,
    buckets: LATENCY_BUCKETS,
    registers,
  });
  for (const outcome of JOB_OUTCOMES) {
    jobsProcessed.inc({ outcome }, 0);
    jobProcess.zero({ outcome });
  }
  const jobsGivenUp = new Counter({
    name: 'queue_jobs_given_up_total',
    help: 'Jobs given up, by reason: poison_pill (three workers died or hung while they worked on the job), unreadable (this version cannot read its data), failed (unexpected error).',
    labelNames: ['reason'] as const,
    registers,
  });
  for (const reason of GIVEN_UP_REASONS) jobsGivenUp.inc({ reason }, 0);
  return {
    jobsProcessed,
    jobProcess,
    jobsGivenUp,
    jobsStalled: new Counter({
      name: 'queue_jobs_stalled_total',
      help: 'Jobs taken back from a worker that died or hung.',
      registers,
    }),
    jobWait: new Histogram({
      name: 'queue_job_wait_duration_seconds',
      help: 'Time from receipt by the gateway to the first start by a worker, seconds.',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    activeJobs: new Gauge({ name: 'worker_active_jobs', help: 'Jobs in work now.', registers }),
    concurrencyLimit: new Gauge({ name: 'worker_concurrency_limit', help: 'Most jobs taken at once.', registers }),
    lastProgress: new Gauge({
      name: 'worker_last_progress_timestamp_seconds',
      help: 'When a job was last started or finished, Unix seconds.',
      registers,
    }),
  };
}

function modelMetrics(registry: Registry, outcomes: readonly string[]) {
  const registers = [registry];
  const retries = new Counter({
    name: 'model_retries_total',
    help: 'Model attempts that were repeated, by reason.',
    labelNames: ['reason'] as const,
    registers,
  });
  for (const reason of RETRY_REASONS) retries.inc({ reason }, 0);
  const repeats = new Counter({
    name: 'model_calls_repeated_total',
    help: 'Model calls repeated at once in the same attempt, by reason: stale_connection (the server closed it while it was idle), no_limit (our own token limit was refused), older_name and newer_name (the name of the token limit was refused), no_token_counts (a stream with token counts was refused), no_thoughts (the thoughts of earlier answers were refused), empty_stream (the answer is then requested without a stream), lower_limit (the model said how many tokens it can give), no_sampling and no_thinking (a model of Anthropic refused temperature or thinking).',
    labelNames: ['reason'] as const,
    registers,
  });
  for (const reason of REPEAT_REASONS) repeats.inc({ reason }, 0);
  const callCharges = new Counter({
    name: 'model_calls_total',
    help: 'Model calls by outcome (none: the call had a result) and by charge: charged to the key, given back, or open (the call is repeated, or another process decides).',
    labelNames: ['outcome', 'charge'] as const,
    registers,
  });
  for (const outcome of outcomes) for (const charge of CALL_CHARGES) callCharges.inc({ outcome, charge }, 0);
  const calls = new Histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Duration of model calls, seconds; error_type is none for successes.',
    labelNames: ['provider', 'model', 'error_type'] as const,
    buckets: LATENCY_BUCKETS,
    registers,
  });
  return {
    retries,
    repeats,
    callCharges,
    calls,
    tokens: new Histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of model calls as the upstream counted them.',
      labelNames: ['provider', 'model', 'token_type'] as const,
      buckets: TOKEN_BUCKETS,
      registers,
    }),
  };
}

function maskingMetrics(registry: Registry) {
  const registers = [registry];
  const operations = new Counter({
    name: 'masking_operations_total',
    help: 'Results that were masked, by result: secured (something was masked), normal (nothing was masked), failed (masking failed, and the result was discarded), refused (masking would have taken too much work, and the result was discarded).',
    labelNames: ['result'] as const,
    registers,
  });
  for (const result of ['secured', 'normal', 'failed', 'refused']) operations.inc({ result }, 0);
  const secrets = new Counter({
    name: 'masking_secrets_masked_total',
    help: 'Values masked in results, by type.',
    labelNames: ['type'] as const,
    registers,
  });
  for (const type of MASK_TYPES) secrets.inc({ type }, 0);
  return {
    maskingOperations: operations,
    secretsMasked: secrets,
    maskingDuration: new Histogram({
      name: 'masking_duration_seconds',
      help: 'Time to mask one result, seconds.',
      buckets: FINE_BUCKETS,
      registers,
    }),
  };
}

function streamMetrics(registry: Registry) {
  const registers = [registry];
  const framesDropped = new Counter({
    name: 'stream_frames_dropped_total',
    help: 'Frames that were not sent, by reason: redis_away, behind (Redis answers too slowly), refused (by Redis), gateway (it is gone or far behind). Clients get their text later, from the partial text or the result.',
    labelNames: ['reason'] as const,
    registers,
  });
  for (const reason of DROP_REASONS) framesDropped.inc({ reason }, 0);
  return {
    framesDropped,
    openStreams: new Gauge({ name: 'worker_open_streams', help: 'Streamed answers in work now.', registers }),
    framesSent: new Counter({
      name: 'stream_frames_sent_total',
      help: 'Masked pieces of answers (frames) sent to gateways.',
      registers,
    }),
    frameBytes: new Counter({
      name: 'stream_frame_bytes_total',
      help: 'Bytes of frames sent to gateways.',
      registers,
    }),
    partialsSaved: new Counter({
      name: 'stream_partial_saves_total',
      help: 'Times that the worker saved the masked text of its streams in Redis; each save covers all streams that have new text.',
      registers,
    }),
    streamsBroken: new Counter({
      name: 'stream_broken_total',
      help: 'Streams that ended after a part of the answer was sent, because their worker was lost or had to stop.',
      registers,
    }),
    timeToFirstToken: new Histogram({
      name: 'gen_ai_client_time_to_first_token_seconds',
      help: 'Time from a streamed model call to the first part of its answer, seconds.',
      labelNames: ['provider', 'upstream', 'model'] as const,
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    tokenRate: new Histogram({
      name: 'gen_ai_client_output_tokens_per_second',
      help: 'Output tokens a second of streamed model calls, from the first part to the last.',
      labelNames: ['provider', 'model'] as const,
      buckets: TOKEN_RATE_BUCKETS,
      registers,
    }),
  };
}
