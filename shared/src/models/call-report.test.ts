import { expect, test } from '@jest/globals';
import { callReportSchema, type RouteCalls, sumCalls, timeBucket } from './call-report.ts';

const of = (outcomes: readonly number[], durations: RouteCalls['durations'] = []): RouteCalls => ({
  model: 'm',
  upstream: 'a',
  route: 'x',
  outcomes: [...outcomes],
  durations,
  firstTokens: [],
});

test('what several workers tell of a route is added up', () => {
  const slow = timeBucket(4_000);
  const quick = timeBucket(100);
  const sum = sumCalls([of([10, 1, 0, 5, 0, 7], [[quick, 10]]), of([8, 0, 1, 0, 0, 0], [[slow, 8]])]);
  expect(sum.calls).toEqual({ answered: 18, failed: 1, stalled: 1, limited: 5, unauthorized: 0, unknown: 7 });
  // What was limited, or ended by our own side, says nothing of errors.
  expect(sum.errorShare).toBe(0.1);
  expect(sum.p50Ms).toBeGreaterThanOrEqual(95);
  expect(sum.p50Ms).toBeLessThanOrEqual(105);
  expect(sum.p95Ms).toBeGreaterThanOrEqual(3_800);
  expect(sum.p95Ms).toBeLessThanOrEqual(4_200);
  expect([sum.firstTokenP50Ms, sum.firstTokenP95Ms]).toEqual([null, null]);
});

test('a route without calls has no share and no times', () => {
  expect(sumCalls([])).toMatchObject({ errorShare: null, p50Ms: null, p95Ms: null });
  expect(sumCalls([of([0, 0, 0, 3, 0, 1])])).toMatchObject({ errorShare: null });
});

test('every time has a bucket that a report takes', () => {
  for (const ms of [-1, 0, 0.4, 1, 3_600_000, 1e12]) {
    const durations: RouteCalls['durations'] = [[timeBucket(ms), 1]];
    const report = { inFlight: {}, routes: [of([1, 0, 0, 0, 0, 0], durations)] };
    expect([ms, callReportSchema.safeParse(report).success]).toEqual([ms, true]);
  }
});
