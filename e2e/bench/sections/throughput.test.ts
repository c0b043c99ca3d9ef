import { expect, test } from '@jest/globals';
import type { Round } from '../measure.ts';
import type { ThroughputRow } from '../results.ts';
import { mediansOf, REWRITING, spreadOf, withRewriting } from './throughput.ts';

const CASE = { connections: 100, delayMs: 0, bytes: 2_048, failed: 0 };

test('what Redis takes to rewrite its file is shared by all who write to it', () => {
  const measured = new Map([
    ['service', [roundOf(1_000, 0), roundOf(1_000, 90)]],
    ['v1', [roundOf(1_000, 0), roundOf(1_000, 30)]],
    ['stubbed', [roundOf(2_000, 20)]],
  ] as const);
  const of = (contender: string, cpuMicros: Record<string, number>) =>
    withRewriting({ ...CASE, ...roundOf(1, 0), contender, cpuMicros }, measured).cpuMicros;
  // 120 ms of 4,000 requests.
  expect(of('service', { redis: 100 })).toEqual({ redis: 100, [REWRITING]: 30 });
  expect(of('v1', { redis: 90 })).toEqual({ redis: 90, [REWRITING]: 30 });
  expect(of('stubbed', { redis: 80 })).toEqual({ redis: 80, [REWRITING]: 10 });
  expect(of('portkey', { portkey: 400 })).toEqual({ portkey: 400 });
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
