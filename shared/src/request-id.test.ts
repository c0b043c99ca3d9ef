import { expect, test } from '@jest/globals';
import { BASE62 } from './base62.ts';
import { newRequestId, REQUEST_ID_PATTERN } from './request-id.ts';

test('ids are of one form, never twice the same, and of all characters alike', () => {
  // Enough for several pools of random bytes.
  const ids = Array.from({ length: 5_000 }, newRequestId);
  for (const id of ids) expect(id).toMatch(REQUEST_ID_PATTERN);
  expect(new Set(ids).size).toBe(ids.length);
  const counts = new Map<string, number>();
  for (const character of ids.map((id) => id.slice(4)).join('')) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect([...counts.keys()].sort().join('')).toBe(BASE62);
  // 1,774 of each; ten standard deviations to either side.
  for (const count of counts.values()) expect(Math.abs(count - (5_000 * 22) / 62)).toBeLessThan(420);
});
