import { describe, expect, test } from '@jest/globals';
import { encodeBase62 } from './base62.ts';

describe('encodeBase62', () => {
  test.each([
    [0n, 3, '000'],
    [61n, 1, 'z'],
    [62n, 1, '10'],
    [3843n, 4, '00zz'],
  ])('writes %s at least %s wide as %s', (value, width, text) => {
    expect(encodeBase62(value, width)).toBe(text);
  });
});
