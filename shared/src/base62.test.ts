import { describe, expect, test } from '@jest/globals';
import { encodeBase62 } from './base62.ts';

describe('encodeBase62', () => {
  test.each([
    [0, 3, '000'],
    [61, 1, 'z'],
    [62, 1, '10'],
    [3843, 4, '00zz'],
    [0xffffffff, 6, '4gfFC3'],
  ])('writes %s at least %s wide as %s', (value, width, text) => {
    expect(encodeBase62(value, width)).toBe(text);
  });
});
