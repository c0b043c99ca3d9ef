import { expect, test } from '@jest/globals';
import { standsBefore } from './words-before.ts';

const WORDS = /\b(?:user|role)\b/gi;

test.each([
  ['CREATE USER a ', true],
  ['a role; drop ', false],
  ['; alter role x ', true],
  ['superuser ', false],
  [`user${'.'.repeat(20)}`, true],
  [`user${'.'.repeat(21)}`, false],
  [`user${'.'.repeat(30)}role..`, true],
  ['', false],
])('%j: %s', (text, expected) => {
  expect(standsBefore(text, WORDS, ';', 20)).toBe(expected);
});
