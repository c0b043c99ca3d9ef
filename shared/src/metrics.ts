import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ENDPOINTS, PUBLIC_MODELS } from './endpoints.ts';
import { OUTCOMES } from './request-event.ts';
import { MASK_TYPES } from './settlement/settlement.ts';

/** Latency buckets, seconds; the edges hold the thresholds of the service-level objectives. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** Buckets of work that takes well under a millisecond, seconds. */
const FINE_BUCKETS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5];
/** Token buckets of the OpenTelemetry conventions for generative AI. */
const TOKEN_BUCKETS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576];

/** Route templates that metrics tell apart; everything else is `other`. */
export const ROUTE_LABELS = [
  ...ENDPOINTS,
  '/api/upload',
  '/api/code',
  '/api/check-limit',
  '/api/usage',
  '/api/health',
  '/api/stats',
  'other',
] as const;
export type RouteLabel = (typeof ROUTE_LABELS)[number];

/** Why a model attempt is made again. */
export const RETRY_REASONS = ['rate_limited', 'server_error', 'connection', 'stalled', 'worker_lost'] as const;
export type RetryReason = (typeof RETRY_REASONS)[number];

/** How a model call failed, as a metric's label. */
export const MODEL_ERROR_TYPES = [
  'none',
  'rate_limited',
  'server_error',
  'connection',
  'stalled',
  'refused',
  'unauthorized',
  'invalid_answer',
  'empty_answer',
  'content_blocked',
  'too_large',
  'cancelled',
] as const;
export type ModelErrorType = (typeof MODEL_ERROR_TYPES)[number];

/** What an upload is, as the statistics tell them apart: content that only its owner sees counts as private. */
export const UPLOAD_KINDS = ['file', 'code', 'private'] as const;
export type UploadKind = (typeof UPLOAD_KINDS)[number];

/** How an upload that was let in ended. */
export const UPLOAD_OUTCOMES = ['kept', 'limited', 'too_large', 'invalid', 'cut_off', 'failed'] as const;
export type UploadOutcome = (typeof UPLOAD_OUTCOMES)[number];

export const JOB_OUTCOMES = ['answered', 'failed', 'retried', 'expired', 'cancelled', 'repeated'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/** A registry with the process defaults and `app_build_info`, for one instance of a service. */
export function createRegistry(service: string, version: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  // Gauges that are named like counters, which `promtool check metrics` refuses; those by type stay and add up to them.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  new Gauge({
    name: 'app_build_info',
    help: 'Always 1; its labels tell which version runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return registry;
}

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;

/** What a gateway measures. */
export function gatewayMetrics(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Requests answered under /api/, by route and outcome.',
    labelNames: ['endpoint', 'outcome'] as const,
    registers,
  });
  for (const endpoint of ROUTE_LABELS) for (const outcome of OUTCOMES) requests.inc({ endpoint, outcome }, 0);
  return {
    ...uploadMetrics(registers),
    requests,
    requestDuration: new Histogram({
      name: 'gateway_request_duration_seconds',
      help: 'Time from receipt of a request to its answer, seconds.',
      labelNames: ['endpoint', 'outcome'] as const,
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    inFlight: new Gauge({
      name: 'gateway_requests_in_flight',
      help: 'Requests received and not yet answered.',
      registers,
    }),
    admissionDuration: new Histogram({
      name: 'gateway_admission_duration_seconds',
      help: 'Time of the admission round trip to Redis, seconds.',
      buckets: FINE_BUCKETS,
      registers,
    }),
    eventsDropped: new Counter({
      name: 'gateway_events_dropped_total',
      help: 'Answered requests that could not be told to the statistics because too many waited while Redis was away.',
      registers,
    }),
  };
}

function uploadMetrics(registers: Registry[]) {
  const uploads = new Counter({
    name: 'gateway_uploads_total',
    help: 'Uploads with a good key, by kind and outcome.',
    labelNames: ['kind', 'outcome'] as const,
    registers,
  });
  const uploadBytes = new Counter({
    name: 'gateway_upload_bytes_total',
    help: 'Bytes of content received in uploads, by kind and outcome.',
    labelNames: ['kind', 'outcome'] as const,
    registers,
  });
  for (const kind of UPLOAD_KINDS) {
    for (const outcome of UPLOAD_OUTCOMES) {
      uploads.inc({ kind, outcome }, 0);
      uploadBytes.inc({ kind, outcome }, 0);
    }
  }
  return { uploads, uploadBytes };
}

export type WorkerMetrics = ReturnType<typeof workerMetrics>;

/** What a worker measures. */
export function workerMetrics(registry: Registry) {
  return { ...jobMetrics(registry), ...modelMetrics(registry), ...maskingMetrics(registry) };
}

function jobMetrics(registry: Registry) {
  const registers = [registry];
  const jobsProcessed = new Counter({
    name: 'queue_jobs_processed_total',
    help: 'Generation jobs that a worker finished or handed back, by outcome.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const jobProcess = new Histogram({
    name: 'queue_job_process_duration_seconds',
    help: 'Time that one start of a job took in the worker, seconds.',
    labelNames: ['outcome'] as const,
    buckets: LATENCY_BUCKETS,
    registers,
  });
  for (const outcome of JOB_OUTCOMES) {
    jobsProcessed.inc({ outcome }, 0);
    jobProcess.zero({ outcome });
  }
  return {
    jobsProcessed,
    jobProcess,
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
    concurrencyLimit: new Gauge({ name: 'worker_concurrency_limit', help: 'Jobs in work at most.', registers }),
    lastProgress: new Gauge({
      name: 'worker_last_progress_timestamp_seconds',
      help: 'When a job was last started or finished, Unix seconds.',
      registers,
    }),
  };
}

function modelMetrics(registry: Registry) {
  const registers = [registry];
  const retries = new Counter({
    name: 'model_retries_total',
    help: 'Model attempts made again, by reason.',
    labelNames: ['reason'] as const,
    registers,
  });
  for (const reason of RETRY_REASONS) retries.inc({ reason }, 0);
  const calls = new Histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Duration of model calls, seconds; error_type is none for successes.',
    labelNames: ['provider', 'model', 'error_type'] as const,
    buckets: LATENCY_BUCKETS,
    registers,
  });
  return {
    retries,
    calls,
    firstChunk: new Histogram({
      name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
      help: 'Time from a model call to the first of its answer, seconds; an answer that comes whole is its own first chunk.',
      labelNames: ['provider', 'model'] as const,
      buckets: LATENCY_BUCKETS,
      registers,
    }),
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
    help: 'Answers masked: secured (something was masked), normal (nothing was), failed (the answer was refused).',
    labelNames: ['result'] as const,
    registers,
  });
  for (const result of ['secured', 'normal', 'failed']) operations.inc({ result }, 0);
  const secrets = new Counter({
    name: 'masking_secrets_masked_total',
    help: 'Values masked in answers, by type.',
    labelNames: ['type'] as const,
    registers,
  });
  for (const type of MASK_TYPES) secrets.inc({ type }, 0);
  return {
    maskingOperations: operations,
    secretsMasked: secrets,
    maskingDuration: new Histogram({
      name: 'masking_duration_seconds',
      help: 'Time to mask one answer, seconds.',
      buckets: FINE_BUCKETS,
      registers,
    }),
  };
}

/** Closed set of labels for public models. */
export const MODEL_LABELS = PUBLIC_MODELS;
