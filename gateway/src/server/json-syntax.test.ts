import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isJson } from './json-syntax.ts';

function parses(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

test.each([
  ...[
    '',
    ' ',
    '{}',
    ' [ ] ',
    '[1,2]',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{"a" : {"b":[{}]}}',
    '{a:1}',
    '{"a"}',
    '{"a":}',
    '[}',
    '{]',
  ],
  ...[
    '0',
    '-0',
    '-',
    '01',
    '1.',
    '.5',
    '1.5',
    '1e5',
    '1E+5',
    '1e',
    '1e+',
    '-1.25e-3',
    '+1',
    'NaN',
    'Infinity',
    '0x1',
    '1 2',
  ],
  ...[
    'true',
    'tru',
    'truee',
    'null',
    'nul',
    'false',
    'undefined',
    '"',
    '"a',
    '"a"b',
    '"\\"',
    '"\\n"',
    '"\\x"',
    '"\\u12"',
  ],
  ...[
    '"\\u12aF"',
    '"\\u12g4"',
    '"\\',
    '"\t"',
    '"\u007f"',
    '"\u2028"',
    '\u00a0{}',
    '\v[]',
    '"ü€😀"',
    '{"ü":1}',
    '[[[[]]]]',
    '[[[[]]]',
  ],
  ...['{} {}', '[1 2]', '{"a":1 "b":2}', '{"a":1,"a":2}', '\ufeff{}', '// c\n1', "'a'", '[\n1\r,\t2 ]'],
])('judges %j as JSON.parse does', (text) => {
  const bytes = Buffer.from(text);
  expect(isJson(bytes)).toBe(parses(bytes));
});

/** What JSON is made of, and what it is not, so that most texts are nearly right. */
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  'u',
  '00e9',
  '"a"',
  '1',
  '-',
  '.',
  'e',
  '+',
  '0',
  'true',
  'null',
  ' ',
  '\n',
  'é',
  '\u0001',
];

test('judges whatever is nearly JSON as JSON.parse does', () => {
  const nearly = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => Buffer.from(pieces.join('')));
  fc.assert(
    fc.property(nearly, (bytes) => isJson(bytes) === parses(bytes)),
    { numRuns: 20_000 },
  );
});

test('judges JSON with one byte changed, or cut, as JSON.parse does', () => {
  const changed = fc
    .tuple(fc.json({ maxDepth: 5 }), fc.nat(), fc.integer({ min: 0, max: 255 }), fc.boolean())
    .map(([text, where, byte, isCut]) => {
      const bytes = Buffer.from(text);
      const at = where % bytes.length;
      bytes[at] = byte;
      return isCut ? bytes.subarray(0, at) : bytes;
    });
  fc.assert(
    fc.property(changed, (bytes) => isJson(bytes) === parses(bytes)),
    { numRuns: 5_000 },
  );
  fc.assert(fc.property(fc.json({ maxDepth: 8 }), (text) => isJson(Buffer.from(text))));
});

test('takes any nesting', () => {
  const deep = 300_000;
  expect(isJson(Buffer.from('['.repeat(deep) + ']'.repeat(deep)))).toBe(true);
  expect(isJson(Buffer.from('{"a":['.repeat(deep) + ']}'.repeat(deep)))).toBe(true);
  expect(isJson(Buffer.from('{"a":['.repeat(deep) + '}]'.repeat(deep)))).toBe(false);
});
