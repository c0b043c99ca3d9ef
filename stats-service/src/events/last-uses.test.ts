import { expect, test } from '@jest/globals';
import { rememberLastUses } from './last-uses.ts';

test('a use is written once a minute, and again where it is not known any more', () => {
  const uses = rememberLastUses();
  expect(uses.isLater('a', '100')).toBe(true);
  uses.note([['a', '100']]);
  expect(['99', '100', '101'].map((minute) => uses.isLater('a', minute))).toEqual([false, false, true]);
  expect(uses.isLater('b', '1')).toBe(true);
  uses.note(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, '100'] as const));
  expect(uses.isLater('a', '100')).toBe(true);
  expect(uses.isLater('k5', '100')).toBe(false);
});
