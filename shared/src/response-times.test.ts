import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bucketMs, percentile, responseBucket } from './response-times.ts';

test('a bucket stands for every time in it within 0.8 %', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 23 - 1 }), (ms) => {
      expect(Math.abs(bucketMs(responseBucket(ms)) - ms)).toBeLessThanOrEqual(ms * 0.008 + 0.5);
    }),
  );
});

test('buckets grow with the times, one by one, and are few', () => {
  let last = 0;
  const jumps: number[] = [];
  for (let ms = 0; ms < 300_000; ms += 1) {
    const bucket = responseBucket(ms);
    if (bucket !== last && bucket !== last + 1) jumps.push(ms);
    last = bucket;
  }
  expect(jumps).toEqual([]);
  expect(responseBucket(Number.MAX_SAFE_INTEGER)).toBeLessThan(1_152);
  expect(responseBucket(-5)).toBe(0);
});

test('p95 is the time that 95 of 100 stay below or meet', () => {
  const counts = new Map(Array.from({ length: 100 }, (_, index) => [responseBucket(index + 1), 1] as const));
  expect(percentile(counts, 0.95)).toBe(95);
  expect(percentile(new Map([[responseBucket(40), 1]]), 0.95)).toBe(40);
  expect(percentile(new Map(), 0.95)).toBeUndefined();
});
