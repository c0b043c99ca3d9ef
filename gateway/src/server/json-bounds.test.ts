import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { costlyJson } from './json-bounds.ts';

const MEGABYTE = 1024 * 1024;
/** Long enough to be looked at. */
const PADDING = ' '.repeat(65_536);
const look = (json: string) => costlyJson(Buffer.from(json + PADDING));

describe('costly JSON', () => {
  test.each([
    ['a list of lists', '[]'.repeat(200_001), 'values'],
    ['many texts', `[${'"",'.repeat(200_001)}`, 'values'],
    ['many names', '{"a":'.repeat(150) + '"b":1,'.repeat(150_000), 'values'],
    ['lists in lists', '['.repeat(201), 'nested'],
    ['objects in objects', '{"a":'.repeat(201), 'nested'],
    ['lists behind a text that ends in a backslash', `"\\\\"${'['.repeat(201)}`, 'nested'],
    ['lists behind a long text', `"${'x'.repeat(MEGABYTE)}\\""${'['.repeat(201)}`, 'nested'],
  ])('is %s', (_what, json, word) => {
    expect(look(json)).toContain(word);
  });

  test.each([
    ['a long text', JSON.stringify('x'.repeat(4 * MEGABYTE))],
    ['a text of brackets', JSON.stringify('['.repeat(MEGABYTE))],
    ['a text of quotation marks and brackets', JSON.stringify('"['.repeat(MEGABYTE))],
    ['a text of backslashes', JSON.stringify('\\'.repeat(MEGABYTE))],
    ['deep, and no deeper than may be', '['.repeat(200)],
    ['much, and no more than may be', '[]'.repeat(200_000)],
    ['a text without an end', `"${'['.repeat(1_000)}`],
  ])('is not %s', (_what, json) => {
    expect(look(json)).toBeUndefined();
  });

  test('is nothing short', () => {
    expect(costlyJson(Buffer.from('['.repeat(1_000)))).toBeUndefined();
  });

  test('is found behind any text, however that is written', () => {
    const piece = fc.constantFrom('"', '\\', '[', ']', 'x', 'é', 'x'.repeat(70), '\\'.repeat(65));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), fc.integer({ min: 190, max: 210 }), (pieces, depth) => {
        const json = `${JSON.stringify(pieces.join(''))}${'['.repeat(depth)}`;
        expect(look(json) !== undefined).toBe(depth > 200);
      }),
      { numRuns: 200 },
    );
  });
});
