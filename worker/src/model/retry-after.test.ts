import { expect, test } from '@jest/globals';
import type { MachineTime } from '@lontar/shared/machine-time.ts';
import { readRetryAfterMs } from './retry-after.ts';

const NOW = Date.parse('Sat, 31 Jan 2026 08:00:00 GMT') as MachineTime;

const retryInfo = (retryDelay: unknown) => ({
  error: {
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
    ],
  },
});

test.each<[string, Record<string, string>, unknown, number | undefined]>([
  ['nothing', {}, undefined, undefined],
  ['seconds', { 'retry-after': '3' }, undefined, 3_000],
  ['seconds with space around', { 'retry-after': ' 3 ' }, undefined, 3_000],
  ['seconds with a fraction', { 'retry-after': '0.2501' }, undefined, 251],
  ['zero', { 'retry-after': '0' }, undefined, 0],
  ['a date ahead', { 'retry-after': 'Sat, 31 Jan 2026 08:00:10 GMT' }, undefined, 10_000],
  ['a date in the past', { 'retry-after': 'Sat, 31 Jan 2026 07:00:00 GMT' }, undefined, 0],
  ['an old form of date', { 'retry-after': 'Saturday, 31-Jan-26 08:00:10 GMT' }, undefined, 10_000],
  [
    "a date by a clock of the upstream's own",
    { 'retry-after': 'Sat, 31 Jan 2026 09:30:10 GMT', date: 'Sat, 31 Jan 2026 09:30:00 GMT' },
    undefined,
    10_000,
  ],
  ['a negative number', { 'retry-after': '-5' }, undefined, undefined],
  ['a word', { 'retry-after': 'Soon' }, undefined, undefined],
  ['an absurd number', { 'retry-after': '9'.repeat(400) }, undefined, undefined],
  ['milliseconds', { 'retry-after-ms': '250' }, undefined, 250],
  ['the longest of both', { 'retry-after-ms': '250', 'retry-after': '2' }, undefined, 2_000],
  ["Gemini's RetryInfo", {}, retryInfo('34.074824224s'), 34_075],
  ['RetryInfo and a header', { 'retry-after': '60' }, retryInfo('34s'), 60_000],
  ['RetryInfo of another type', {}, retryInfo(34), undefined],
  ['a body of another shape', {}, { error: 'busy' }, undefined],
])('%s', (_, headers, body, expected) => {
  expect(readRetryAfterMs(headers, body, NOW)).toBe(expected);
});
