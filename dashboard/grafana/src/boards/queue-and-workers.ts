import { type Board, quantile, quantiles } from '../board.ts';

export const queueAndWorkers: Board = {
  name: 'queue-and-workers',
  title: 'Lontar: queue and workers',
  question: 'Will users stay happy?',
  panels: [
    {
      title: 'Workers up',
      about: 'Workers that answer on their metrics port, and how many of them do nothing although jobs wait.',
      kind: 'stat',
      unit: 'short',
      queries: [
        { expr: 'sum(up{job="worker"}) or vector(0)', legend: 'workers', steps: { warn: 1, bad: 1 } },
        { expr: 'max(queue_workers_failing)', legend: 'failing', steps: { warn: 0.5, bad: 1 } },
      ],
      down: 'processes',
    },
    {
      title: 'Saturation',
      about: 'Share of all slots that are busy. If it stays near 1, add workers or raise WORKER_CONCURRENCY.',
      kind: 'stat',
      unit: 'percentunit',
      queries: [{ expr: 'lontar:worker_saturation:ratio', legend: 'busy' }],
      down: 'models',
      steps: { warn: 0.7, bad: 0.95 },
    },
    {
      title: 'Oldest waiting',
      about: 'How long the job that waits longest has waited.',
      kind: 'stat',
      unit: 's',
      queries: [{ expr: 'max(queue_oldest_waiting_age_seconds)', legend: 'oldest' }],
      down: 'models',
      steps: { warn: 5, bad: 30 },
    },
    {
      title: 'Redis',
      about:
        'Connections, and whether Redis keeps its data: it must not evict keys, and must be able to write its append-only file.',
      kind: 'stat',
      unit: 'short',
      queries: [
        { expr: 'max(redis_connected_clients)', legend: 'connections' },
        { expr: 'max(redis_connected_replicas)', legend: 'replicas' },
        { expr: 'max(redis_replica_lag_seconds)', legend: 'replica lag, s' },
        { expr: 'min(redis_sentinels_agree)', legend: 'Sentinels, of those needed' },
        { expr: 'sum(increase(redis_failovers_total[$__rate_interval]))', legend: 'failovers' },
        {
          expr: 'sum(rate(gateway_replica_waits_total{result="missed"}[$__rate_interval]))',
          legend: 'replicas late, /s',
        },
        { expr: 'min(redis_maxmemory_policy_ok)', legend: 'never evicts', words: { 0: 'NO', 1: 'yes' } },
        { expr: 'min(redis_aof_last_write_ok)', legend: 'writes its file', words: { 0: 'NO', 1: 'yes' } },
      ],
      down: 'overview',
    },
    {
      title: 'Jobs by state',
      about: 'Jobs in the queue. If the number of waiting jobs does not return to 0, there are too few slots.',
      kind: 'stacked',
      unit: 'short',
      queries: [{ expr: 'max by (state) (queue_jobs)', legend: '{{state}}' }],
      down: 'models',
    },
    {
      title: 'Wait for a slot',
      about: 'Time from receipt by the gateway to the first start by a worker.',
      kind: 'lines',
      unit: 's',
      queries: [
        ...quantiles('queue_job_wait_duration_seconds'),
        { expr: 'lontar:queue_wait_seconds:p95_5m', legend: 'p95 of 5 min (alert)' },
      ],
      down: 'models',
    },
    {
      title: 'Time in the worker',
      about: 'Duration of one start of a job, 95th percentile by outcome.',
      kind: 'lines',
      unit: 's',
      queries: [
        {
          expr: quantile(0.95, 'queue_job_process_duration_seconds', { labels: 'outcome="answered"' }),
          legend: 'answered',
        },
        {
          expr: 'sum by (outcome) (rate(queue_job_process_duration_seconds_sum[$__rate_interval]))',
          legend: '{{outcome}}, seconds per second',
        },
      ],
      down: 'models',
    },
    {
      title: 'Slots',
      about: 'Jobs in work, and the slots of all workers.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: 'sum(worker_active_jobs)', legend: 'in work' },
        { expr: 'sum(worker_open_streams)', legend: 'of them streamed' },
        { expr: 'sum(worker_concurrency_limit)', legend: 'slots' },
      ],
      down: 'models',
    },
    {
      title: 'In minus out',
      about:
        'By how many jobs per second the queue grows, and how many jobs workers finish. If growth stays above 0, the queue fills up.',
      kind: 'lines',
      unit: 'ops',
      queries: [
        {
          expr: 'sum(max by (state) (deriv(queue_jobs{state=~"waiting|active|delayed"}[$__rate_interval])))',
          legend: 'in minus out',
        },
        { expr: 'sum by (outcome) (rate(queue_jobs_processed_total[$__rate_interval]))', legend: '{{outcome}}' },
      ],
      down: 'overview',
    },
    {
      title: 'Stalls and retries',
      about:
        'Jobs taken back from workers that died or hung, jobs that were given up, repeated model attempts, and streams that broke off.',
      kind: 'lines',
      unit: 'ops',
      queries: [
        { expr: 'sum(rate(queue_jobs_stalled_total[$__rate_interval]))', legend: 'stalled' },
        { expr: 'sum(rate(queue_jobs_given_up_total[$__rate_interval]))', legend: 'given up' },
        { expr: 'sum(rate(model_retries_total[$__rate_interval]))', legend: 'retries' },
        { expr: 'sum(rate(stream_broken_total[$__rate_interval]))', legend: 'streams broken' },
      ],
      down: 'models',
    },
    {
      title: 'Event-loop lag',
      about:
        'How late timers of each process are (p99). Above 0.1 s the process has too little CPU, or something blocks it.',
      kind: 'lines',
      unit: 's',
      queries: [{ expr: 'max by (job, instance) (nodejs_eventloop_lag_p99_seconds)', legend: '{{job}} {{instance}}' }],
      down: 'processes',
    },
    {
      title: 'Memory of Redis',
      about: 'Memory used, and the limit (0: no limit is set). When it is full, requests are answered with 503.',
      kind: 'lines',
      unit: 'bytes',
      queries: [
        { expr: 'max(redis_memory_used_bytes)', legend: 'used' },
        { expr: 'max(redis_memory_max_bytes)', legend: 'limit' },
      ],
      down: 'overview',
    },
  ],
};
