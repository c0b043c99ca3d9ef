import { type Board, quantile } from '../board.ts';

export const maskingAndTrust: Board = {
  name: 'masking-and-trust',
  title: 'Lontar: masking and trust',
  question: 'Does nothing leak, and do the numbers hold?',
  panels: [
    {
      title: 'Masking failures',
      about:
        'Answers of the time shown that were discarded because masking failed or would have taken too much work. Any number above 0 is an incident.',
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
      about: 'Requests answered minus requests counted. Around 0, apart from requests that are being counted.',
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
        'Secured: something was masked. Normal: there was nothing to mask. Failed, or refused (too much work): the answer was discarded.',
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
      about: 'Time that masking one answer takes. It depends only on the length of the answer.',
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
        'Requests per second with bad keys, from banned addresses, or over a limit, and refused requests to the admin API.',
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
        'Open connections of callers and proxies; bytes of request bodies that are being read, at most 64 MB for each gateway; and how much per second was refused because one address, or all addresses together, had too many.',
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
        'Storage that uploads take, including those that are still arriving; its limit MAX_STORAGE_BYTES; and requests for files, by outcome.',
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
      about:
        'Requests answered by the gateways, and requests counted by the statistics. Both lines should be the same.',
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
        'Dropped: requests that will never be counted, because the event was not understood, or a gateway stopped while it could not reach Redis. Without texts, without row: counted, but too many waited, so the log misses texts or rows.',
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
