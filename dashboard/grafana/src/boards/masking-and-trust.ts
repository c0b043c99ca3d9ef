import { type Board, quantile } from '../board.ts';

export const maskingAndTrust: Board = {
  name: 'masking-and-trust',
  title: 'Lontar: masking and trust',
  question: 'Does nothing leak, and do the numbers hold?',
  panels: [
    {
      title: 'Masking failures',
      about:
        'Answers that were thrown away because they could not be masked, or not within the budget of work, over the time shown. Anything but 0 is an incident.',
      kind: 'stat',
      unit: 'short',
      queries: [
        { expr: 'sum(increase(masking_operations_total{result=~"failed|refused"}[$__range]))', legend: 'failures' },
      ],
      down: 'overview',
      steps: { warn: 0.5, bad: 1 },
    },
    {
      title: 'Drift of the last hour',
      about: 'Requests answered minus requests counted; around 0, but for what is under way.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: 'lontar:stats_drift:increase1h', legend: 'drift' }],
      down: 'overview',
    },
    {
      title: 'Lag of the statistics',
      about: 'Age of the oldest request that is not counted yet.',
      kind: 'stat',
      unit: 's',
      queries: [{ expr: 'max(stats_event_lag_seconds)', legend: 'lag' }],
      down: 'overview',
      steps: { warn: 10, bad: 60 },
    },
    {
      title: 'Dashboards open',
      about: "Live streams of pages of Lontar's own dashboard.",
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: 'sum(stats_live_clients)', legend: 'pages' }],
      down: 'overview',
    },
    {
      title: 'Answers by result',
      about:
        'Secured: something was masked. Normal: there was nothing to mask. Failed, and refused for too much work: the answer was thrown away.',
      kind: 'stacked',
      unit: 'ops',
      queries: [{ expr: 'sum by (result) (rate(masking_operations_total[$__rate_interval]))', legend: '{{result}}' }],
      down: 'overview',
    },
    {
      title: 'Secrets masked by type',
      about: 'Values masked in answers, per second.',
      kind: 'stacked',
      unit: 'ops',
      queries: [{ expr: 'sum by (type) (rate(masking_secrets_masked_total[$__rate_interval]))', legend: '{{type}}' }],
      down: 'overview',
    },
    {
      title: 'Time to mask',
      about: 'Time that masking one answer takes. It grows with the length of the answer and nothing else.',
      kind: 'lines',
      unit: 's',
      queries: [0.5, 0.99].map((share) => ({
        expr: quantile(share, 'masking_duration_seconds'),
        legend: `p${share * 100}`,
      })),
      down: 'models',
    },
    {
      title: 'Refused callers',
      about:
        'Requests with bad keys, from banned addresses, and over a limit; and those to the admin API that were refused; per second.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: 'sum by (outcome) (rate(gateway_requests_total{outcome=~"unauthorized|blocked|rate_limited"}[$__rate_interval]))',
          legend: '{{outcome}}',
        },
        {
          expr: 'sum by (outcome) (rate(admin_requests_total{outcome=~"unauthorized|forbidden|limited"}[$__rate_interval]))',
          legend: 'admin API: {{outcome}}',
        },
      ],
      down: 'overview',
    },
    {
      title: 'Connections, bodies, and too much',
      about:
        'Open connections of callers and proxies; bytes of request bodies that are being read, at most 64 MB for each gateway; and what was refused because one address, or all together, had too many, per second.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: 'sum(gateway_connections_open)', legend: 'connections' },
        { expr: 'gateway_body_bytes', legend: 'bodies of {{instance}}', unit: 'bytes' },
        {
          expr: 'sum by (what, whose) (rate(gateway_too_much_total[$__rate_interval]))',
          legend: 'too much: {{what}} of {{whose}}',
          unit: 'ops',
        },
      ],
      down: 'overview',
    },
    {
      title: 'Storage of uploads',
      about:
        'What uploads take, those on their way included, beside MAX_STORAGE_BYTES; and requests for files, by outcome.',
      kind: 'lines',
      unit: 'bytes',
      queries: [
        { expr: 'max(gateway_upload_storage_bytes)', legend: 'taken' },
        { expr: 'max(gateway_upload_storage_limit_bytes)', legend: 'limit' },
        {
          expr: 'sum by (outcome) (increase(gateway_downloads_total[$__rate_interval]))',
          legend: 'downloads {{outcome}}',
          unit: 'short',
        },
      ],
      down: 'overview',
    },
    {
      title: 'Served and recorded',
      about: 'Requests answered by the gateways, and requests counted by the statistics; the lines lie on each other.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        { expr: 'sum(rate(gateway_requests_total[$__rate_interval]))', legend: 'served' },
        { expr: 'sum(rate(stats_requests_recorded_total[$__rate_interval]))', legend: 'recorded' },
      ],
      down: 'overview',
    },
    {
      title: 'Dropped and reduced events',
      about:
        'Dropped: requests that will never be counted, because the event was not understood, or Redis was away when a gateway stopped. Without texts, without row: counted, but too many waited for the log to tell them wholly.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: 'sum by (reason) (increase(stats_events_dropped_total[$__rate_interval]))', legend: '{{reason}}' },
        { expr: 'sum(increase(gateway_events_dropped_total[$__rate_interval]))', legend: 'redis_away' },
        {
          expr: 'sum by (left_out) (increase(gateway_events_reduced_total[$__rate_interval]))',
          legend: 'without {{left_out}}',
        },
      ],
      down: 'overview',
    },
  ],
};
