import { expect, test } from '@jest/globals';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

let now = 0;
const SIZE = { atOnce: 1_000, perSecond: 50 };
const taken = (tries: number, bucket: TokenBucket) =>
  Array.from({ length: tries }, () => bucket.take()).filter(Boolean).length;

test('a thousand at once, then fifty a second, however many come', () => {
  const bucket = createTokenBucket(SIZE, () => now);
  expect(taken(5_000, bucket)).toBe(1_000);
  let later = 0;
  for (let second = 0; second < 10; second++) {
    for (let ms = 0; ms < 1_000; ms++) {
      now += 1;
      later += taken(3, bucket);
    }
  }
  expect(later).toBe(500);
});

test('fifty a second all pass, and a pause is worth a thousand at most', () => {
  const bucket = createTokenBucket(SIZE, () => now);
  for (let request = 0; request < 5_000; request++) {
    now += 20;
    expect(bucket.take()).toBe(true);
  }
  now += 3_600_000;
  expect(taken(5_000, bucket)).toBe(1_000);
});
