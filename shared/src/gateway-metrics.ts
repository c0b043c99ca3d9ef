import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { CALL_CHARGES, FINE_BUCKETS, LATENCY_BUCKETS, modelsFileMetrics, ROUTE_LABELS } from './metrics.ts';
import { OUTCOMES } from './request-event.ts';

/** The kinds of uploads that the statistics distinguish: content that only its owner sees counts as private. */
export const UPLOAD_KINDS = ['file', 'code', 'private'] as const;
export type UploadKind = (typeof UPLOAD_KINDS)[number];

/**
 * How an upload with a good key ended. Refused before a byte of it was kept: `limited` by the address's day, `no_credits`,
 * `busy` with others on their way; `key_full` by what its key may keep, `storage_full` by what all may, or by the disk.
 */
const UPLOAD_OUTCOMES = [
  'kept',
  'limited',
  'no_credits',
  'busy',
  'key_full',
  'storage_full',
  'too_large',
  'invalid',
  'cut_off',
  'failed',
] as const;
export type UploadOutcome = (typeof UPLOAD_OUTCOMES)[number];

/** What the gateway bounds before its first command to Redis: of one address, and of all. */
const DOOR_BOUNDS = ['connections', 'requests', 'bodies', 'bytes'] as const;
export type DoorBound = (typeof DOOR_BOUNDS)[number];
/** How a request for a file ended; `missing` also for those that may not have it. */
const DOWNLOAD_OUTCOMES = ['served', 'missing', 'refused', 'limited', 'failed'] as const;
export type DownloadOutcome = (typeof DOWNLOAD_OUTCOMES)[number];

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;

/** What a gateway measures. */
export function gatewayMetrics(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Requests answered under /api/ and /v1/, by route and outcome.',
    labelNames: ['endpoint', 'outcome'] as const,
    registers,
  });
  for (const endpoint of ROUTE_LABELS) for (const outcome of OUTCOMES) requests.inc({ endpoint, outcome }, 0);
  const callersLeft = new Counter({
    name: 'gateway_callers_left_total',
    help: 'Admitted requests whose caller disconnected before the answer, by whether the key was charged. It is charged if the model was called.',
    labelNames: ['charge'] as const,
    registers,
  });
  for (const charge of CALL_CHARGES) callersLeft.inc({ charge }, 0);
  return {
    callersLeft,
    ...modelsFileMetrics(registry),
    ...uploadMetrics(registers),
    ...doorMetrics(registers),
    ...eventMetrics(registers),
    ...streamMetrics(registers),
    replicaWaits: replicaWaits(registers),
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
  };
}

/** Whether enough replicas had what they were waited for to have. */
const REPLICA_WAITS = ['held', 'missed'] as const;

function replicaWaits(registers: Registry[]) {
  const waits = new Counter({
    name: 'gateway_replica_waits_total',
    help: 'Waits until enough replicas of Redis have the requests and answers that callers are told about, by whether they had them in time. One wait can cover several requests. There are no waits with REDIS_REPLICAS_ACK=0.',
    labelNames: ['result'] as const,
    registers,
  });
  for (const result of REPLICA_WAITS) waits.inc({ result }, 0);
  return waits;
}

/**
 * What became of the job of a caller who left in mid-stream: it was taken out of the queue, or a worker stopped it; it went
 * on to its answer, or failed; or this gateway does not know.
 */
const LEFT_JOBS = ['taken_out', 'stopped', 'finished', 'failed', 'open'] as const;
export type LeftJob = (typeof LEFT_JOBS)[number];

/** Whether an answer that was asked for once more was settled by then, or still growing. */
const RESUME_STATES = ['open', 'settled'] as const;

function streamMetrics(registers: Registry[]) {
  const streamResumes = new Counter({
    name: 'gateway_resumes_total',
    help: 'Answers that were fetched again by their request id, by state at that time: settled (complete) or open (not complete yet).',
    labelNames: ['state'] as const,
    registers,
  });
  for (const state of RESUME_STATES) streamResumes.inc({ state }, 0);
  const streamDisconnects = new Counter({
    name: 'gateway_stream_disconnects_total',
    help: 'Streamed answers whose caller disconnected after the first byte, by what happened to the job.',
    labelNames: ['job'] as const,
    registers,
  });
  for (const job of LEFT_JOBS) streamDisconnects.inc({ job }, 0);
  return {
    streamDisconnects,
    streamResumes,
    streamsOpen: new Gauge({
      name: 'gateway_streams_open',
      help: 'Requests whose answer is being streamed, including those that wait for their first byte.',
      registers,
    }),
    streamFirstByte: new Histogram({
      name: 'gateway_stream_first_byte_seconds',
      help: 'Time from receipt of a streamed request to the first byte of its answer, seconds.',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    inboxLag: new Histogram({
      name: 'gateway_inbox_lag_seconds',
      help: 'Time from when Redis received an entry of the inbox (reply or frame) until the gateway read it, seconds. Of entries that are read together, only the oldest counts.',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    streamGapsFilled: new Counter({
      name: 'gateway_stream_gaps_filled_total',
      help: 'Gaps in streamed answers that were filled from the partial text or the stored result.',
      registers,
    }),
    streamReadersCut: new Counter({
      name: 'gateway_stream_readers_cut_total',
      help: 'Streams that were closed because their client read too slowly.',
      registers,
    }),
  };
}

/** What is left of an event that cannot be sent whole: everything but its texts, or only what it counts. */
export const EVENT_REDUCTIONS = ['texts', 'row'] as const;

function eventMetrics(registers: Registry[]) {
  const eventsReduced = new Counter({
    name: 'gateway_events_reduced_total',
    help: 'Answered requests that are counted, but whose texts or whole row are missing in the log, because too many events waited for stats-service or Redis.',
    labelNames: ['left_out'] as const,
    registers,
  });
  for (const left_out of EVENT_REDUCTIONS) eventsReduced.inc({ left_out }, 0);
  return {
    eventsReduced,
    eventsDropped: new Counter({
      name: 'gateway_events_dropped_total',
      help: 'Answered requests that are not counted, because the gateway stopped while it could not reach Redis.',
      registers,
    }),
  };
}

function doorMetrics(registers: Registry[]) {
  const tooMuch = new Counter({
    name: 'gateway_too_much_total',
    help: 'Connections, requests and bodies that were refused because one address, or all addresses together, had too many or too large ones.',
    labelNames: ['what', 'whose'] as const,
    registers,
  });
  for (const what of DOOR_BOUNDS) for (const whose of ['address', 'all']) tooMuch.inc({ what, whose }, 0);
  return {
    tooMuch,
    connections: new Gauge({
      name: 'gateway_connections_open',
      help: 'Open connections of callers and proxies.',
      registers,
    }),
    bodyBytes: new Gauge({
      name: 'gateway_body_bytes',
      help: 'Bytes in memory of request bodies that are being read.',
      registers,
    }),
  };
}

function uploadMetrics(registers: Registry[]) {
  const uploads = new Counter({
    name: 'gateway_uploads_total',
    help: 'Uploads with a valid key, by kind and outcome.',
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
  const downloads = new Counter({
    name: 'gateway_downloads_total',
    help: 'Requests for files, by outcome.',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of DOWNLOAD_OUTCOMES) downloads.inc({ outcome }, 0);
  const storage = (name: string, help: string) => new Gauge({ name, help, registers });
  return {
    uploads,
    uploadBytes,
    downloads,
    uploadStorage: storage(
      'gateway_upload_storage_bytes',
      'Bytes that uploads take, including those that are still arriving; every gateway reports the same.',
    ),
    uploadStorageMost: storage('gateway_upload_storage_limit_bytes', 'Bytes that uploads may take in all.'),
  };
}
