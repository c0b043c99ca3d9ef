import { describe, expect, test } from '@jest/globals';
import { anyCharacter } from '@lontar/shared/testing/any-character.ts';
import fc from 'fast-check';
import { CodeSplitter } from './code-splitter.ts';

const MOST = 1_000;

/** Splits a body that arrives in pieces of these lengths, the last one over and over. */
function split(body: string | Buffer, lengths: readonly number[] = [MOST]) {
  const splitter = new CodeSplitter(MOST);
  const [bytes, found] = [Buffer.from(body), [] as Buffer[]];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = Math.max(1, lengths[Math.min(turn, lengths.length - 1)] ?? 1);
    found.push(splitter.push(bytes.subarray(at, at + length)));
    at += length;
  }
  return { other: splitter.end(), code: Buffer.concat(found).toString() };
}

describe('the splitter', () => {
  test('says of any object what JSON.parse says, in whatever pieces it comes', () => {
    const other = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    const text = fc.string({ unit: anyCharacter, maxLength: 60 }).map((any) => any.toWellFormed());
    const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(other, text, lengths, fc.boolean(), fc.boolean(), (fields, code, pieces, isFirst, isIndented) => {
        fc.pre(!Object.hasOwn(fields, 'code'));
        const object = isFirst ? { code, ...fields } : { ...fields, code };
        const body = JSON.stringify(object, null, isIndented ? 2 : 0);
        fc.pre(Buffer.byteLength(body) < MOST);
        const found = split(body, pieces);
        expect(found.code).toBe(code);
        expect(found.other).toEqual({ ...JSON.parse(JSON.stringify(fields)), code: '' });
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['{"code":"\\u0061\\n\\"\\\\\\/\\b\\f\\r\\t"}', 'a\n"\\/\b\f\r\t'],
    ['{"code":"\\ud83c\\udf34"}', '🌴'],
    ['{"code":"\\u00e9\\u20ac🌴é"}', 'é€🌴é'],
    ['{"c\\u006fde":"x"}', 'x'],
    [' { "code" : "x" , "a" : [ "code" , { "code" : "y" } ] } ', 'x'],
    ['{"a":{"code":"y"},"code":"x"}', 'x'],
    ['{"a":"code","code":"x"}', 'x'],
    ['{"code":5,"code":"x"}', 'x'],
  ])('finds the text of %s', (body, code) => {
    for (const length of [1, 2, 3, 7, body.length]) expect(split(body, [length]).code).toBe(code);
  });

  test.each(['5', 'null', '["x"]', '{"code":"y"}', 'true'])(
    'leaves %s under code to the reader of the object',
    (value) => {
      expect(split(`{"code":${value}}`)).toEqual({ code: '', other: { code: JSON.parse(value) } });
    },
  );

  test.each(['[{"code":"x"}]', '"code"', '5', '["code","x"]'])('takes no text out of %s', (body) => {
    expect(split(body)).toEqual({ code: '', other: JSON.parse(body) });
  });

  test('takes nothing at all for an empty object', () => {
    expect(split('')).toEqual({ code: '', other: {} });
  });

  test.each([
    '{',
    '{"code":"x',
    '{"code":"x"',
    '{"code":"x"}}',
    '{"code":"x\ny"}',
    '{"code":"\\x"}',
    '{"code":"\\u00g0"}',
    '{"code":"\\',
    '{"code":"\\u00',
    '{"code" "x"}',
    '{"code":1 "x"}',
    '{"\\x":1}',
    '["a","code":"x"]',
    'nonsense',
  ])('refuses %j as JSON', (body) => {
    for (const length of [1, 4, body.length]) {
      expect(() => split(body, [length])).toThrow('The body is not valid JSON. Send an object with code.');
    }
  });

  test.each(['{"code":"\\ud83c"}', '{"code":"\\udf34"}', '{"code":"\\ud83cx"}', '{"code":"a\\udf34\\ud83cb"}'])(
    'refuses %s: half of a pair is no Unicode',
    (body) => {
      for (const length of [1, 5, body.length])
        expect(() => split(body, [length])).toThrow('a lone surrogate was given');
    },
  );

  test.each([
    ['{"code":"a', [0xff], '"}'],
    ['{"code":"', [0xc3], '"}'],
    ['{"code":"', [0xc3], '\\n"}'],
  ] as const)('%#: refuses bytes that are no UTF-8', (before, bytes, after) => {
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    for (const length of [1, 100]) expect(() => split(body, [length])).toThrow('bytes that are no UTF-8 were given');
  });

  test('refuses a second text', () => {
    expect(() => split('{"code":"x","code":"y"}')).toThrow('code was given 2 times; give it once.');
  });

  test('holds a bounded part of the rest, and nothing of the text', () => {
    expect(split(`{"code":"${'x'.repeat(100 * MOST)}"}`, [777]).code).toHaveLength(100 * MOST);
    expect(() => split(`{"other":"${'x'.repeat(MOST)}"}`, [50])).toThrow('The request body is too large.');
    expect(() => split(' '.repeat(MOST + 1))).toThrow('The request body is too large.');
  });
});
