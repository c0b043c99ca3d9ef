import { expect, test } from '@jest/globals';
import { daysOf, readPeriod } from './period.ts';

const NOW = Date.UTC(2026, 2, 1, 23, 59);

test.each([
  ['', { from: '2026-01-31', to: '2026-03-01', range: '30' }],
  ['range=1', { from: '2026-03-01', to: '2026-03-01', range: '1' }],
  ['range=7', { from: '2026-02-23', to: '2026-03-01', range: '7' }],
  ['range=9999', { from: '2026-01-31', to: '2026-03-01', range: '30' }],
  ['from=2026-02-01&to=2026-02-03', { from: '2026-02-01', to: '2026-02-03' }],
  ['from=2026-02-03&to=2026-02-01', { from: '2026-02-01', to: '2026-02-03' }],
  ['from=2026-02-01', { from: '2026-02-01', to: '2026-03-01' }],
  ['to=2026-02-01', { from: '2026-02-01', to: '2026-02-01' }],
  ['from=2026-02-31&to=x&range=7', { from: '2026-02-23', to: '2026-03-01', range: '7' }],
  ['from=1999-01-01&to=2999-01-01', { from: '2025-01-26', to: '2026-03-01' }],
])('%j', (query, period) => {
  expect(readPeriod(new URLSearchParams(query), NOW)).toEqual(period);
});

test('days follow each other over the end of a month', () => {
  expect(daysOf({ from: '2026-02-27', to: '2026-03-01' })).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect(daysOf(readPeriod(new URLSearchParams('from=1999-01-01'), NOW))).toHaveLength(400);
});
