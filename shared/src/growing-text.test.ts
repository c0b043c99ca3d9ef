import { expect, test } from '@jest/globals';
import { GrowingText } from './growing-text.ts';

test.each([0, 1, 7, 255, 256, 257, 700])('is its pieces one after the other, in pieces of %d units', (length) => {
  const text = Array.from({ length: 1_000 }, (_, index) => String.fromCharCode(0x1f00 + index)).join('');
  const growing = new GrowingText();
  expect([growing.length, String(growing)]).toEqual([0, '']);
  for (let at = 0; at < text.length; at += length || 100) {
    growing.append(text.slice(at, at + length));
    const soFar = length === 0 ? '' : text.slice(0, at + length);
    expect(growing.length).toBe(soFar.length);
    // Reading it changes nothing, whenever it is read.
    if (at % 5 === 0) expect(String(growing)).toBe(soFar);
  }
  expect([String(growing), String(growing)]).toEqual(Array(2).fill(length === 0 ? '' : text));
});
