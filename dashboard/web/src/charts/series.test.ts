import { expect, test } from '@jest/globals';
import { drawnSpans, linePath, minuteSpans, roundUp, spanAt, stackPaths, stackRates, totalOf } from './series.ts';

const BOX = { width: 120, height: 100 };
const moments = Array.from({ length: 6 }, (_, index) => ({
  at: 60_000 + index * 10_000,
  outcomes: { success: 3, timeout: 1, shed: 1 },
  p95Ms: 100 + index,
  ...(index < 3 ? { waiting: index } : {}),
}));

test('points are gathered, and their worst is given', () => {
  const [minute] = minuteSpans(moments);
  expect(minute).toEqual({ at: 60_000, seconds: 60, stacks: [18, 0, 0, 12], p95Ms: 105, waiting: 2 });
  const spans = drawnSpans(moments);
  expect(spans.map(({ at, seconds }) => [at, seconds])).toEqual([
    [60_000, 30],
    [90_000, 30],
  ]);
  expect(stackRates(spans[0]!)).toEqual([0.3, 0, 0, 0.2]);
  expect(totalOf(spans[0]!)).toBe(15);
});

test('a span that is still measured is divided by what has passed of it', () => {
  expect(stackRates(drawnSpans(moments.slice(0, 1))[0]!)[0]).toBe(0.3);
});

test('the newest span ends at the right edge, stacks stand on each other', () => {
  const [success, , , failure] = stackPaths(drawnSpans(moments.slice(0, 3)), 1, BOX);
  expect(success).toBe('M119,70L120,70L120,100L119,100Z');
  expect(failure).toBe('M119,50L120,50L120,70L119,70Z');
  expect(stackPaths([], 1, BOX)).toEqual(['', '', '', '']);
});

test('a line has gaps where nothing was measured', () => {
  expect(linePath([1, undefined, 0], 1, BOX)).toBe('M117,0L118,0M119,100L120,100');
});

test.each([
  [0, 1],
  [0.03, 0.05],
  [1, 1],
  [1.1, 2],
  [20.5, 50],
  [51, 100],
])('the scale for %d ends at %d', (value, top) => {
  expect(roundUp(value)).toBeCloseTo(top, 9);
});

test('the cursor finds its span', () => {
  expect([spanAt(0, 10), spanAt(0.999, 10), spanAt(1, 10), spanAt(0.5, 120)]).toEqual([0, 9, 9, 60]);
});
