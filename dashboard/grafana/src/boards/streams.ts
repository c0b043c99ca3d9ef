import { type Board, quantiles } from '../board.ts';

export const streams: Board = {
  name: 'streams',
  title: 'Lontar: streams',
  question: 'Do answers arrive as they grow?',
  panels: [
    {
      title: 'Streams open',
      about: 'Answers that are being streamed, over all gateways; those that wait for their first byte included.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: 'sum(gateway_streams_open)', legend: 'open' }],
      down: 'overview',
    },
    {
      title: 'Time to the first byte',
      about: 'From receipt to the first byte that the caller got. Queue and model are in it.',
      kind: 'lines',
      unit: 's',
      queries: quantiles('gateway_stream_first_byte_seconds'),
      down: 'models',
    },
    {
      title: 'From Redis to the gateway',
      about: 'How old frames and replies are when their gateway reads them: late ones make streams stutter.',
      kind: 'lines',
      unit: 's',
      queries: quantiles('gateway_inbox_lag_seconds'),
      down: 'queue-and-workers',
    },
    {
      title: 'Gaps filled',
      about:
        'Pieces that did not reach their gateway in time, and were found in Redis. Many mean that inboxes overflow.',
      kind: 'lines',
      unit: 'ops',
      queries: [{ expr: 'sum(rate(gateway_stream_gaps_filled_total[$__rate_interval]))', legend: 'gaps' }],
      down: 'queue-and-workers',
    },
    {
      title: 'Answers asked for once more',
      about: 'Readers who came back for an answer, by whether it was settled by then; many mean broken connections.',
      kind: 'stacked',
      unit: 'ops',
      queries: [{ expr: 'sum by (state) (rate(gateway_resumes_total[$__rate_interval]))', legend: '{{state}}' }],
      down: 'overview',
    },
    {
      title: 'Readers who left',
      about:
        'Callers who left in mid-stream, by what became of the job, and readers who were cut because they took too little.',
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
