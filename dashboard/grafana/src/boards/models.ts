import { type Board, quantile } from '../board.ts';

const CALLS = 'gen_ai_client_operation_duration_seconds';
const TOKENS = 'gen_ai_client_token_usage';

export const models: Board = {
  name: 'models',
  title: 'Lontar: models',
  question: 'Is the upstream healthy, and what does it cost?',
  panels: [
    {
      title: 'Calls that fail now',
      about:
        'Share of the calls of five minutes that failed. Refused prompts, answers whose output tokens were used up, cancelled calls and 429 are not counted.',
      kind: 'stat',
      unit: 'percentunit',
      queries: [{ expr: 'lontar:model_failure_ratio:rate5m', legend: 'failing' }],
      down: 'queue-and-workers',
      steps: { warn: 0.05, bad: 0.5 },
    },
    {
      title: 'Calls over quota now',
      about: 'Share of the calls of five minutes that the upstream answered with 429.',
      kind: 'stat',
      unit: 'percentunit',
      queries: [{ expr: 'lontar:model_rate_limited_ratio:rate5m', legend: 'over quota' }],
      down: 'queue-and-workers',
      steps: { warn: 0.05, bad: 0.2 },
    },
    {
      title: 'Tokens in this time',
      about:
        'Tokens as the upstream counted them, over the time shown. Multiply by the price per token to get the bill.',
      kind: 'stat',
      unit: 'short',
      queries: [
        { expr: `sum by (model, token_type) (increase(${TOKENS}_sum[$__range]))`, legend: '{{model}} {{token_type}}' },
      ],
      down: 'overview',
    },
    {
      title: 'Calls',
      about: 'Model calls per second, including repeated calls.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        { expr: `sum by (provider, model) (rate(${CALLS}_count[$__rate_interval]))`, legend: '{{provider}} {{model}}' },
      ],
      down: 'queue-and-workers',
    },
    {
      title: 'Error share by type',
      about: 'Failed calls of each type as a share of all calls.',
      kind: 'stacked',
      unit: 'percentunit',
      queries: [
        {
          expr: `sum by (error_type) (rate(${CALLS}_count{error_type!="none"}[$__rate_interval])) / ignoring (error_type) group_left sum(rate(${CALLS}_count[$__rate_interval]))`,
          legend: '{{error_type}}',
        },
      ],
      down: 'queue-and-workers',
    },
    {
      title: 'Duration',
      about: 'Duration of successful calls by model, median and 95th percentile.',
      kind: 'lines',
      unit: 's',
      queries: [0.5, 0.95].map((share) => ({
        expr: quantile(share, CALLS, { labels: 'error_type="none"', by: 'model' }),
        legend: `{{model}} p${share * 100}`,
      })),
      down: 'overview',
    },
    {
      title: 'Tokens per minute',
      about: 'Input and output tokens per minute by model; compare with the quota of your plan.',
      kind: 'stacked',
      unit: 'short',
      queries: [
        {
          expr: `60 * sum by (model, token_type) (rate(${TOKENS}_sum[$__rate_interval]))`,
          legend: '{{model}} {{token_type}}',
        },
      ],
      down: 'overview',
    },
    {
      title: 'Retries by reason',
      about:
        'Repeated model attempts per second; each needs another call. Also calls that were repeated at once in the same attempt, because the server refused the form of the request or its connection was stale, and whether a changed file of models is broken, so that the earlier one is still used.',
      kind: 'stacked',
      unit: 'ops',
      queries: [
        { expr: 'sum by (reason) (rate(model_retries_total[$__rate_interval]))', legend: '{{reason}}' },
        {
          expr: 'sum by (reason) (rate(model_calls_repeated_total[$__rate_interval]))',
          legend: 'at once: {{reason}}',
        },
        { expr: 'max by (job) (lontar_models_file_broken)', legend: 'file of models broken: {{job}}' },
      ],
      down: 'queue-and-workers',
    },
    {
      title: 'Calls without a result, by who paid',
      about:
        'Calls per second without a result, although the model may have worked, by how they ended and who paid: the key (charged), only you (given_back), or open (the call is repeated). Also callers who disconnected.',
      kind: 'stacked',
      unit: 'ops',
      queries: [
        {
          expr: 'sum by (outcome, charge) (rate(model_calls_total{outcome=~"cut_off|timed_out|invalid_answer|empty_answer|output_used_up|too_large|cancelled"}[$__rate_interval]))',
          legend: '{{outcome}}, {{charge}}',
        },
        {
          expr: 'sum by (charge) (rate(gateway_callers_left_total[$__rate_interval]))',
          legend: 'callers who left, {{charge}}',
        },
      ],
      down: 'overview',
    },
    {
      title: 'First token, and pace',
      about: 'Streamed calls: time to the first part of the answer, and output tokens a second after that.',
      kind: 'lines',
      unit: 's',
      queries: [
        ...[0.5, 0.95].map((share) => ({
          expr: quantile(share, 'gen_ai_client_time_to_first_token_seconds', { by: 'model' }),
          legend: `{{model}} first token p${share * 100}`,
        })),
        {
          expr: quantile(0.5, 'gen_ai_client_output_tokens_per_second'),
          legend: 'tokens a second, p50',
          unit: 'short',
        },
      ],
      down: 'overview',
    },
    {
      title: 'Pieces of streams',
      about:
        'Frames that workers sent to gateways, per second, and frames that were dropped. Their text comes later, from Redis.',
      kind: 'lines',
      unit: 'ops',
      queries: [
        { expr: 'sum(rate(stream_frames_sent_total[$__rate_interval]))', legend: 'sent' },
        {
          expr: 'sum by (reason) (rate(stream_frames_dropped_total[$__rate_interval]))',
          legend: 'dropped, {{reason}}',
        },
        { expr: 'sum(rate(stream_partial_saves_total[$__rate_interval]))', legend: 'partial texts kept' },
        { expr: 'sum(rate(stream_frame_bytes_total[$__rate_interval]))', legend: 'bytes sent', unit: 'Bps' },
      ],
      down: 'queue-and-workers',
    },
    {
      title: 'Duration, all of it',
      about: 'How many calls took how long.',
      kind: 'heatmap',
      unit: 's',
      queries: [
        { expr: `sum by (le) (increase(${CALLS}_bucket{error_type="none"}[$__rate_interval]))`, legend: '{{le}}' },
      ],
      down: 'queue-and-workers',
    },
  ],
};
