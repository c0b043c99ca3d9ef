import { type Board, quantiles } from '../board.ts';

export const streams: Board = {
  name: 'streams',
  title: 'Lontar: streams',
  question: 'Do answers arrive as they grow?',
  panels: [
    {
      title: 'Streams open',
      about: 'Answers that are being streamed, over all gateways, including those that wait for their first byte.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: 'sum(gateway_streams_open)', legend: 'open' }],
      down: 'overview',
    },
    {
      title: 'Time to the first byte',
      about: 'Time from receipt to the first byte that the caller got, including the queue and the model.',
      kind: 'lines',
      unit: 's',
      queries: quantiles('gateway_stream_first_byte_seconds'),
      down: 'models',
    },
    {
      title: 'From Redis to the gateway',
      about:
        'How old frames and replies are when their gateway reads them. If they are late, streamed text arrives in bursts.',
      kind: 'lines',
      unit: 's',
      queries: quantiles('gateway_inbox_lag_seconds'),
      down: 'queue-and-workers',
    },
    {
      title: 'Gaps filled',
      about:
        'Pieces that did not reach their gateway in time, and were read from Redis. Many such pieces mean that inboxes overflow.',
      kind: 'lines',
      unit: 'ops',
      queries: [{ expr: 'sum(rate(gateway_stream_gaps_filled_total[$__rate_interval]))', legend: 'gaps' }],
      down: 'queue-and-workers',
    },
    {
      title: 'Answers asked for once more',
      about:
        'Callers who fetched an answer again, by whether it was complete (settled) at that time. Many mean that connections break.',
      kind: 'stacked',
      unit: 'ops',
      queries: [{ expr: 'sum by (state) (rate(gateway_resumes_total[$__rate_interval]))', legend: '{{state}}' }],
      down: 'overview',
    },
    {
      title: 'Readers who left',
      about:
        'Callers who disconnected during a stream, by what happened to the job, and clients that were disconnected because they read too slowly.',
      kind: 'stacked',
      unit: 'ops',
      queries: [
        {
          expr: 'sum by (job) (rate(gateway_stream_disconnects_total[$__rate_interval]))',
          legend: 'job {{job}}',
        },
        { expr: 'sum(rate(gateway_stream_readers_cut_total[$__rate_interval]))', legend: 'too slow' },
      ],
      down: 'overview',
    },
  ],
};
