import { expect, test } from '@jest/globals';
import { createTextPace } from './text-pace.ts';

let now = 0;
const taken = (tries: number, pace: { take(): boolean }) =>
  Array.from({ length: tries }, () => pace.take()).filter(Boolean).length;

test('a thousand at once, then fifty a second, however many come', () => {
  const pace = createTextPace(() => now);
  expect(taken(5_000, pace)).toBe(1_000);
  let later = 0;
  for (let second = 0; second < 10; second++) {
    for (let ms = 0; ms < 1_000; ms++) {
      now += 1;
      later += taken(3, pace);
    }
  }
  expect(later).toBe(500);
});

test('fifty a second all pass, and a pause is worth a thousand at most', () => {
  const pace = createTextPace(() => now);
  for (let request = 0; request < 5_000; request++) {
    now += 20;
    expect(pace.take()).toBe(true);
  }
  now += 3_600_000;
  expect(taken(5_000, pace)).toBe(1_000);
});
