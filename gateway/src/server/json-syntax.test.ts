import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { judgeJson } from './json-syntax.ts';

const isJson = (bytes: Buffer) => judgeJson(bytes) === 'json';

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

describe('what takes long to parse', () => {
  const MEGABYTE = 1024 * 1024;
  const bounds = { depth: 200, marks: 200_000 };
  const judge = (json: string) => judgeJson(Buffer.from(json), bounds);

  test.each([
    ['a list of lists', `[${'[],'.repeat(100_001)}`, 'many'],
    ['many texts', `[${'"",'.repeat(200_001)}`, 'many'],
    ['many names', `{"a":[{"a":${'"b","b":'.repeat(100_001)}`, 'many'],
    ['lists in lists', '['.repeat(201), 'deep'],
    ['objects in objects', '{"a":'.repeat(201), 'deep'],
    ['lists behind a text that ends in a backslash', `["\\\\",${'['.repeat(200)}`, 'deep'],
    ['lists behind a long text', `["${'x'.repeat(MEGABYTE)}\\"",${'['.repeat(200)}`, 'deep'],
  ])('is %s', (_what, json, verdict) => {
    expect(judge(json)).toBe(verdict);
  });

  test.each([
    ['a long text', JSON.stringify('x'.repeat(4 * MEGABYTE))],
    ['a text of brackets', JSON.stringify('['.repeat(MEGABYTE))],
    ['a text of quotation marks and brackets', JSON.stringify('"['.repeat(MEGABYTE))],
    ['a text of backslashes', JSON.stringify('\\'.repeat(MEGABYTE))],
    ['deep, and no deeper than may be', '['.repeat(200) + ']'.repeat(200)],
    ['much, and no more than may be', `[${'[],'.repeat(99_999)}[]]`],
  ])('is not %s', (_what, json) => {
    expect(judge(json)).toBe('json');
  });

  test('is judged up to where that is known', () => {
    expect(judge(`[1 2${'['.repeat(1_000)}`)).toBe('not json');
    expect(judge(`${'['.repeat(1_000)}1 2`)).toBe('deep');
  });
});
