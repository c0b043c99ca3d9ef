import { type Board, quantiles } from '../board.ts';

const OF_ENDPOINT = 'endpoint=~"$endpoint"';

export const endpoints: Board = {
  name: 'endpoints',
  title: 'Lontar: endpoints',
  question: 'Which endpoint is in trouble?',
  variables: ['endpoint'],
  panels: [
    {
      title: 'Requests by endpoint',
      about: 'Answers per second of each endpoint, whatever their outcome.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [
        {
          expr: `sum by (endpoint) (rate(gateway_requests_total{${OF_ENDPOINT}}[$__rate_interval]))`,
          legend: '{{endpoint}}',
        },
      ],
      down: 'overview',
    },
    {
      title: 'Our failures by endpoint',
      about: 'Share of the answers of each endpoint that were our failures: timeout, shed and server_error.',
      kind: 'lines',
      unit: 'percentunit',
      queries: [
        {
          expr: `sum by (endpoint) (rate(gateway_requests_total{${OF_ENDPOINT},outcome=~"timeout|shed|server_error"}[$__rate_interval])) / sum by (endpoint) (rate(gateway_requests_total{${OF_ENDPOINT}}[$__rate_interval]))`,
          legend: '{{endpoint}}',
        },
      ],
      down: 'models',
    },
  ],
  perValue: {
    variable: 'endpoint',
    panels: [
      {
        title: 'Outcomes of $endpoint',
        about:
          'Answers per second of this endpoint. timeout, shed and server_error are our failures; other outcomes are not.',
        kind: 'stacked',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (outcome) (rate(gateway_requests_total{${OF_ENDPOINT}}[$__rate_interval]))`,
            legend: '{{outcome}}',
          },
        ],
        down: 'overview',
      },
      {
        title: 'Duration of $endpoint',
        about: 'Time from receipt to answer of all requests of this endpoint.',
        kind: 'lines',
        unit: 's',
        queries: quantiles('gateway_request_duration_seconds', OF_ENDPOINT),
        down: 'models',
      },
    ],
  },
};
