import { expect, test } from '@jest/globals';
import type { Round } from '../measure.ts';
import type { ThroughputRow } from '../results.ts';
import { mediansOf, REWRITING, rewritingOf, spreadOf, withRewriting } from './throughput.ts';

const CASE = { connections: 100, delayMs: 0, bytes: 2_048, failed: 0 };

test('what Redis takes to rewrite its file is shared by all who write to it', () => {
  const measured = new Map([
    ['service', [roundOf(10_000, 0), roundOf(10_000, 900)]],
    ['v1', [roundOf(10_000, 0), roundOf(10_000, 300)]],
    ['stubbed', [roundOf(20_000, 200)]],
  ] as const);
  const of = (contender: string, cpuMicros: Record<string, number>) =>
    withRewriting({ ...CASE, ...roundOf(1, 0), contender, cpuMicros }, measured, 5).cpuMicros;
  // 1,200 ms of 40,000 requests.
  expect(of('service', { redis: 100 })).toEqual({ redis: 100, [REWRITING]: 30 });
  expect(of('v1', { redis: 90 })).toEqual({ redis: 90, [REWRITING]: 30 });
  expect(of('stubbed', { redis: 80 })).toEqual({ redis: 80, [REWRITING]: 10 });
  expect(of('portkey', { portkey: 400 })).toEqual({ portkey: 400 });
});

test('where requests are few it is what other cases with as long answers say', () => {
  const measured = new Map([['service', [roundOf(14, 1_600), roundOf(14, 0)]]] as const);
  const row = { ...CASE, ...roundOf(1, 0), contender: 'service', cpuMicros: { redis: 900 } };
  const many = { ...row, cpuMicros: { redis: 100, [REWRITING]: 25 } };
  const known = rewritingOf([many, { ...many, bytes: 65_536, cpuMicros: {} }], 2_048);
  expect(withRewriting(row, measured, known).cpuMicros).toEqual({ redis: 900, [REWRITING]: 25 });
  // Nothing is known of them yet.
  expect(rewritingOf([many], 65_536)).toBeUndefined();
  expect(withRewriting(row, measured).cpuMicros[REWRITING]).toBeCloseTo(57_143, 0);
});

test('of several starts it is the mean, and no part of how far they differ', () => {
  const starts = [0, 0, 60].map((micros) => roundOf(1, 0, { redis: 100, [REWRITING]: micros }));
  expect(mediansOf(starts).cpuMicros).toEqual({ redis: 100, [REWRITING]: 20 });
  expect(spreadOf(starts)).toBe(0);
});

function roundOf(
  requests: number,
  rewritingMs: number,
  cpuMicros: Readonly<Record<string, number>> = {},
): Round & Pick<ThroughputRow, 'spread'> {
  const load = { requests, perSecond: 1, p50: 1, p99: 1, most: 1, failures: {} };
  return { ...load, cpuMicros, rewritingMs, residentBytes: {}, spread: 0 };
}
