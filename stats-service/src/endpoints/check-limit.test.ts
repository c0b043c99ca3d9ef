import { expect, test } from '@jest/globals';
import { uploadLimit } from './check-limit.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const MIDNIGHT = Date.UTC(2026, 1, 1) / 1000;

test.each([
  [0, 20, 200, { used: 0, remaining: 20, limit: 20, reset: MIDNIGHT }],
  [19, 20, 200, { used: 19, remaining: 1, limit: 20, reset: MIDNIGHT }],
  [20, 20, 429, { used: 20, remaining: 0, limit: 20 }],
  [25, 20, 429, { used: 25, remaining: 0, limit: 20 }],
  [0, 0, 429, { used: 0, remaining: 0, limit: 0 }],
])('%i of %i uploads gives %i', (used, limit, status, body) => {
  expect(uploadLimit(used, limit, NOON)).toMatchObject({ status, body });
});

test('the wait is until midnight', () => {
  expect(uploadLimit(1, 1, NOON)).toMatchObject({ resetAt: MIDNIGHT });
  expect(uploadLimit(1, 1, MIDNIGHT * 1000 - 1)).toMatchObject({ resetAt: MIDNIGHT });
});
