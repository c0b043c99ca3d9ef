import { type Board, quantile } from '../board.ts';

export const upstreams: Board = {
  name: 'upstreams',
  title: 'Lontar: upstreams',
  question: 'Which upstreams answer, and why do the others not?',
  panels: [
    {
      title: 'Upstreams without calls now',
      about:
        'Upstreams whose breaker is open. They failed, and a single call now and then tests whether they work again.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: 'sum(max by (upstream) (upstream_breaker_open))', legend: 'open' }],
      down: 'models',
      steps: { warn: 1, bad: 2 },
    },
    {
      title: 'Upstreams that refuse their credentials',
      about:
        'The key is wrong or expired, or the account is out of money. You have to change something; this does not end by itself.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: 'sum(max by (upstream) (upstream_unauthorized))', legend: 'unauthorized' }],
      down: 'models',
      steps: { warn: 1, bad: 1 },
    },
    {
      title: 'Jobs that wait for an upstream',
      about: 'Jobs in work that have no place at an upstream yet, or wait until one can be asked again.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: 'sum(worker_jobs_waiting_for_route)', legend: 'waiting' }],
      down: 'queue-and-workers',
      steps: { warn: 50, bad: 500 },
    },
    {
      title: 'Calls by upstream',
      about:
        'Model calls per second that each upstream got, including failed ones, and second calls that were made because the first was slow, by which of the two answered.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [
        { expr: 'sum by (upstream) (rate(upstream_calls_total[$__rate_interval]))', legend: '{{upstream}}' },
        {
          expr: 'sum by (winner) (rate(model_calls_hedged_total[$__rate_interval]))',
          legend: 'hedged, {{winner}} answered',
        },
      ],
      down: 'models',
    },
    {
      title: 'Calls that went wrong, by upstream',
      about:
        'Calls per second that failed, stalled (no token in time), were refused for now (limited) or for good (unauthorized).',
      kind: 'stacked',
      unit: 'reqps',
      queries: [
        {
          expr: 'sum by (upstream, outcome) (rate(upstream_calls_total{outcome!~"answered|unknown"}[$__rate_interval]))',
          legend: '{{upstream}}: {{outcome}}',
        },
      ],
      down: 'models',
    },
    {
      title: 'First token by upstream',
      about: 'Time from a streamed call to the first part of its answer, 95th percentile.',
      kind: 'lines',
      unit: 's',
      queries: [
        {
          expr: quantile(0.95, 'gen_ai_client_time_to_first_token_seconds', { by: 'upstream' }),
          legend: '{{upstream}} p95',
        },
      ],
      down: 'streams',
    },
    {
      title: 'Tokens per minute by upstream',
      about: 'Input and output tokens per minute; compare with the quota of each account.',
      kind: 'stacked',
      unit: 'short',
      queries: [
        {
          expr: '60 * sum by (upstream, token_type) (rate(upstream_tokens_total[$__rate_interval]))',
          legend: '{{upstream}} {{token_type}}',
        },
      ],
      down: 'models',
    },
    {
      title: 'Places used',
      about:
        'Calls in flight at each upstream, and how many it can take at once, as learned when it last refused a call or stalled.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: 'sum by (upstream) (upstream_places_used)', legend: '{{upstream}}' },
        { expr: 'max by (upstream) (upstream_adaptive_limit) > 0', legend: '{{upstream}} at most' },
      ],
      down: 'queue-and-workers',
    },
    {
      title: 'Left alone for',
      about: 'For how long each upstream still wants no calls (Retry-After).',
      kind: 'lines',
      unit: 's',
      queries: [
        {
          expr: 'clamp_min(max by (upstream) (upstream_left_alone_until_timestamp_seconds) - time(), 0)',
          legend: '{{upstream}}',
        },
      ],
      down: 'models',
    },
    {
      title: 'Routes that are up',
      about:
        'The routes of each public model whose upstream is not known to be down. If a model has none, its callers get 503.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: 'min by (model) (model_routes_up)', legend: '{{model}}' },
        { expr: 'max by (model) (model_routes)', legend: '{{model}} in all' },
      ],
      down: 'overview',
    },
  ],
};
