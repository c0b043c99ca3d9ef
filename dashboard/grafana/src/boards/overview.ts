import { type Board, GENERATION, quantiles } from '../board.ts';

export const overview: Board = {
  name: 'overview',
  title: 'Lontar: overview',
  question: 'Are users happy?',
  panels: [
    {
      title: 'Success now',
      about:
        'Share of valid generation requests of the last five minutes that did not fail on our side. Objective: 99.5 %.',
      kind: 'stat',
      unit: 'percentunit',
      queries: [{ expr: '1 - lontar:failure_ratio:rate5m', legend: 'success' }],
      down: 'models',
      steps: { warn: 0.995, bad: 0.97 },
    },
    {
      title: 'Error budget left',
      about:
        'How many of the failures that are allowed in 30 days (0.5 % of requests) are left. Below 0 the objective is missed.',
      kind: 'stat',
      unit: 'percentunit',
      queries: [{ expr: 'lontar:error_budget_remaining:ratio30d', legend: 'left' }],
      down: 'models',
      steps: { warn: 0.5, bad: 0.1 },
    },
    {
      title: 'In flight',
      about: 'Requests received and not yet answered, over all gateways.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: 'sum(gateway_requests_in_flight)', legend: 'in flight' }],
      down: 'queue-and-workers',
    },
    {
      title: 'Blocked addresses',
      about: 'Addresses that are banned or over the hourly limit now.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: 'max(lontar_blocked_addresses)', legend: 'blocked' }],
      down: 'masking-and-trust',
    },
    {
      title: 'Requests by outcome',
      about:
        'Answers per second of all endpoints. timeout, shed and server_error are our failures; other outcomes are not.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [{ expr: 'sum by (outcome) (rate(gateway_requests_total[$__rate_interval]))', legend: '{{outcome}}' }],
      down: 'endpoints',
    },
    {
      title: 'Latency of answers',
      about: 'Time from receipt to answer of successful generation requests. Objective: 95 % within 20.48 s.',
      kind: 'lines',
      unit: 's',
      queries: quantiles('gateway_request_duration_seconds', `${GENERATION},outcome="success"`),
      down: 'models',
    },
    {
      title: 'Latency, all of it',
      about: 'How many answers took how long; two bands mean two kinds of requests.',
      kind: 'heatmap',
      unit: 's',
      queries: [
        {
          expr: `sum by (le) (increase(gateway_request_duration_seconds_bucket{${GENERATION},outcome="success"}[$__rate_interval]))`,
          legend: '{{le}}',
        },
      ],
      down: 'models',
    },
    {
      title: 'Admission',
      about:
        'Time of the one round trip to Redis before a request is accepted. If it takes more than some milliseconds, Redis or the network is slow.',
      kind: 'lines',
      unit: 's',
      queries: quantiles('gateway_admission_duration_seconds'),
      down: 'queue-and-workers',
    },
    {
      title: 'Uploads',
      about: 'Uploads by kind and outcome. The right axis shows the bytes received.',
      kind: 'lines',
      unit: 'short',
      queries: [
        {
          expr: 'sum by (kind, outcome) (increase(gateway_uploads_total[$__rate_interval]))',
          legend: '{{kind}} {{outcome}}',
        },
        { expr: 'sum(increase(gateway_upload_bytes_total[$__rate_interval]))', legend: 'bytes', unit: 'bytes' },
      ],
      down: 'masking-and-trust',
    },
    {
      title: 'Firing alerts',
      about: 'The Watchdog always fires. Each alert has a page in docs/runbooks.',
      kind: 'table',
      unit: 'short',
      queries: [{ expr: 'sum by (alertname, severity) (ALERTS{alertstate="firing"})', legend: '{{alertname}}' }],
      down: 'queue-and-workers',
    },
    {
      title: 'Versions',
      about:
        'Instances by service and version; two versions of one service mean that a deployment is in progress, or has stopped half-way.',
      kind: 'table',
      unit: 'short',
      queries: [{ expr: 'count by (service, version) (app_build_info)', legend: '{{service}} {{version}}' }],
      down: 'processes',
    },
    {
      title: 'Counters of the dashboard',
      about: "The numbers on the tiles of Lontar's own dashboard, under the same definitions.",
      kind: 'table',
      unit: 'short',
      queries: [{ expr: 'max by (__name__) ({__name__=~"lontar_.+"})', legend: '{{__name__}}' }],
      down: 'masking-and-trust',
    },
  ],
};
