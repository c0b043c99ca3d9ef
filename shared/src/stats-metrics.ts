import { Counter, Gauge, type Registry } from 'prom-client';
import { ROUTE_LABELS } from './metrics.ts';
import { OUTCOMES } from './request-event.ts';

/** States of generation jobs that `queue_jobs` has as a label. */
export const QUEUE_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

/** What comes of a request to the admin API. */
const ADMIN_OUTCOMES = ['success', 'client_error', 'unauthorized', 'forbidden', 'limited', 'server_error'] as const;
export type AdminOutcome = (typeof ADMIN_OUTCOMES)[number];

/** Why an event was not counted. */
const EVENT_DROP_REASONS = ['malformed'] as const;

export type StatsMetrics = ReturnType<typeof statsMetrics>;

/** What stats-service measures: its own work, and for all services what only one of them should export. */
export function statsMetrics(registry: Registry) {
  return { ...pipelineMetrics(registry), ...queueMetrics(registry), ...redisMetrics(registry), ...counters(registry) };
}

function pipelineMetrics(registry: Registry) {
  const registers = [registry];
  const recorded = new Counter({
    name: 'stats_requests_recorded_total',
    help: 'Answered requests that this instance counted, by route and outcome.',
    labelNames: ['endpoint', 'outcome'] as const,
    registers,
  });
  for (const endpoint of ROUTE_LABELS) for (const outcome of OUTCOMES) recorded.inc({ endpoint, outcome }, 0);
  const dropped = new Counter({
    name: 'stats_events_dropped_total',
    help: 'Events that were not counted because they could not be understood.',
    labelNames: ['reason'] as const,
    registers,
  });
  for (const reason of EVENT_DROP_REASONS) dropped.inc({ reason }, 0);
  const adminRequests = new Counter({
    name: 'admin_requests_total',
    help: 'Requests to the admin API, by result. The result forbidden is for requests that the role does not allow, and for requests of banned addresses.',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of ADMIN_OUTCOMES) adminRequests.inc({ outcome }, 0);
  return {
    recorded,
    dropped,
    eventLag: new Gauge({
      name: 'stats_event_lag_seconds',
      help: 'Age of the oldest event that is not counted yet, seconds; 0 if all events are counted.',
      registers,
    }),
    adminRequests,
    liveClients: new Gauge({
      name: 'stats_live_clients',
      help: 'Open live streams of dashboard pages.',
      registers,
    }),
  };
}

function queueMetrics(registry: Registry) {
  const registers = [registry];
  const jobs = new Gauge({
    name: 'queue_jobs',
    help: 'Generation jobs in the queue, by state.',
    labelNames: ['state'] as const,
    registers,
  });
  for (const state of QUEUE_STATES) jobs.set({ state }, 0);
  return {
    queueJobs: jobs,
    workersFailing: new Gauge({
      name: 'queue_workers_failing',
      help: 'Workers that are up but make no progress while jobs wait; their readiness says so too.',
      registers,
    }),
    queueOldestWaitingAge: new Gauge({
      name: 'queue_oldest_waiting_age_seconds',
      help: 'How long the oldest waiting job has waited, seconds; 0 if no job waits.',
      registers,
    }),
  };
}

function redisMetrics(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  return {
    redisMemoryUsed: gauge('redis_memory_used_bytes', 'Memory that Redis uses, bytes.'),
    redisMemoryMax: gauge('redis_memory_max_bytes', 'Memory that Redis may use, bytes; 0 when not limited.'),
    redisClients: gauge('redis_connected_clients', 'Connections to Redis.'),
    redisPolicyOk: gauge('redis_maxmemory_policy_ok', '1 when Redis never evicts keys by itself (noeviction), else 0.'),
    redisReplicas: gauge('redis_connected_replicas', 'Replicas that are connected to the primary.'),
    redisReplicaLag: gauge(
      'redis_replica_lag_seconds',
      'Time since the slowest replica last confirmed anything, seconds.',
    ),
    redisFailovers: new Counter({
      name: 'redis_failovers_total',
      help: 'Times that a replica has become the primary since stats-service was started.',
      registers: [registry],
    }),
    redisSentinelsAgree: gauge(
      'redis_sentinels_agree',
      'Sentinels that name the same primary, divided by the number that a failover needs. Below 1 no failover is possible. 1 without Sentinels.',
    ),
    redisClockCorrection: gauge(
      'redis_clock_correction_seconds',
      "Correction of the primary's clock, seconds: below 0 if it is ahead of the clock of the primary before it, above 0 if it is behind.",
    ),
    redisAofOk: gauge('redis_aof_last_write_ok', '1 when the last write to the append-only file succeeded, else 0.'),
  };
}

/** The dashboard's tiles, under the same definitions. */
function counters(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  return {
    requestsSinceReset: gauge('lontar_requests_since_reset', 'Generation requests answered since the last reset.'),
    requestsAllTime: gauge('lontar_requests_all_time', 'Requests answered under /api/ and /v1/ since installation.'),
    requestsToday: gauge('lontar_requests_today', 'Generation requests answered since 00:00 UTC.'),
    activeUsers: gauge('lontar_active_users', 'Distinct users with a generation request in the last 5 minutes.'),
    uniqueUsersToday: gauge('lontar_unique_users_today', 'Distinct users since 00:00 UTC.'),
    uniqueUsersAllTime: gauge('lontar_unique_users_all_time', 'Distinct users since installation.'),
    responseMeanToday: gauge('lontar_response_mean_today_seconds', "Mean response time of today's successes, seconds."),
    responseP95Today: gauge(
      'lontar_response_p95_today_seconds',
      "95th percentile of the response time of today's successes, seconds.",
    ),
    successRatioToday: gauge(
      'lontar_success_ratio_today',
      'Successes divided by successes and failures on our side, today; 1 when there were none.',
    ),
    errorsToday: gauge('lontar_errors_today', 'Generation requests answered with 500 or above since 00:00 UTC.'),
    clientErrorsToday: gauge('lontar_client_errors_today', 'Generation requests answered with 4xx since 00:00 UTC.'),
    blockedAddresses: gauge('lontar_blocked_addresses', 'Addresses banned or over the hourly limit now.'),
  };
}
