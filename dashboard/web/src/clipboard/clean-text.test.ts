import { expect, test } from '@jest/globals';
import { anyCharacter } from '@lontar/shared/testing/any-character.ts';
import fc from 'fast-check';
import { cleanText } from './clean-text.ts';
import { copyNotice, countMasks, maskedPieces } from './masked-pieces.ts';

test.each([
  ['\u001B[31mred\u001B[0m', 'red'],
  ['\u001B]8;;https://evil.example\u0007link\u001B]8;;\u0007', 'link'],
  ['\u009B31mred', 'red'],
  ['a\u202Eb\u202Cc\u2066d\u2069', 'abcd'],
  ['zero\u200Bwidth\uFEFF', 'zerowidth'],
  ['tag\u{E0041}\u{E0042}', 'tag'],
  ['soft\u00ADhyphen', 'softhyphen'],
  ['a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
  ['tab\tstays\nand lines', 'tab\tstays\nand lines'],
  ['bell\u0007 null\u0000', 'bell null'],
  ['❤\uFE0F naïve 日本語 עברית', '❤\uFE0F naïve 日本語 עברית'],
])('%j becomes %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test('whatever goes in, nothing invisible comes out, and a second pass changes nothing', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('\u001B', '[', '3', 'm', ']', '\u0007', '\u202E', 'a', '\r', '\u200B'),
  });
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string({ unit: anyCharacter })), (text) => {
      const clean = cleanText(text);
      expect(clean.replaceAll(/[\t\n]|\uFE0F/g, '')).not.toMatch(/\p{Cc}|\p{Default_Ignorable_Code_Point}/u);
      expect(cleanText(clean)).toBe(clean);
    }),
  );
});

test('masks become pieces of their own, and nothing is lost', () => {
  const text = 'key ***API_KEY***, host ***API_SERVER***/v1 and ***bold*** ***API_KEY***';
  const pieces = maskedPieces(text);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(pieces.flatMap(({ name }) => name ?? [])).toEqual([
    'API key, masked',
    'API server, masked',
    'API key, masked',
  ]);
  expect([countMasks(text), copyNotice(text)]).toEqual([3, 'Copied; 3 secrets stay masked']);
  expect([copyNotice('plain'), copyNotice('***DB_CONNECTION***')]).toEqual(['Copied', 'Copied; 1 secret stays masked']);
});
