import { expect, test } from '@jest/globals';
import { patienceOf } from './patience.ts';

test.each([
  [{}, undefined],
  [{ 'x-stainless-timeout': '600' }, 600_000],
  [{ 'x-stainless-read-timeout': '6000.0' }, 6_000_000],
  [{ 'x-stainless-timeout': '600', 'x-stainless-read-timeout': '1.5' }, 1_500],
  [{ 'x-stainless-timeout': '0' }, undefined],
  [{ 'x-stainless-timeout': '-5' }, undefined],
  [{ 'x-stainless-timeout': 'Infinity' }, undefined],
  [{ 'x-stainless-timeout': '1e9' }, undefined],
  [{ 'x-stainless-timeout': '600, 600' }, undefined],
  [{ 'x-stainless-timeout': 'soon', 'x-stainless-read-timeout': '2' }, 2_000],
])('%j waits %p ms', (headers, expected) => {
  expect(patienceOf(headers)).toBe(expected);
});
