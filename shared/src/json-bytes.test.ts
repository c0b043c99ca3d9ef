import { expect, test } from '@jest/globals';
import { JsonBytes, writeJson } from './json-bytes.ts';

const literal = (text: string) => new JsonBytes(Buffer.from(JSON.stringify(text)));
const TEXTS = ['', 'plain', '"', '\\', '"\\/"', '/', '\\/', 'é 漢字 \u{1F600}', '\ud800 alone', '\n\u0000'];

test.each(TEXTS)('bytes are written as the text that they are: %j', (text) => {
  const others = { before: text, list: [text, '"\\/"', '/'], [text]: 1 };
  const pieces = writeJson({ ...others, result: literal(text), after: text });
  expect(Buffer.concat([pieces].flat().map((piece) => Buffer.from(piece as string))).toString()).toBe(
    JSON.stringify({ ...others, result: text, after: text }),
  );
});

test('several are written in their order, each handed on as it is', () => {
  const [one, two] = [Buffer.from('"one"'), Buffer.from('"two"')];
  const pieces = writeJson([new JsonBytes(one), 1, new JsonBytes(two)]);
  expect(pieces).toEqual(['[', one, ',1,', two, ']']);
  expect(pieces[1]).toBe(one);
});

test('what has none is one text', () => {
  expect(writeJson({ a: '"\\/"' })).toBe(JSON.stringify({ a: '"\\/"' }));
});

test('bytes are handed on once', () => {
  const bytes = literal('x');
  expect(JSON.stringify({ bytes })).toBe('{"bytes":"x"}');
  writeJson(bytes);
  expect(() => writeJson(bytes)).toThrow('handed on');
  expect(() => JSON.stringify(bytes)).toThrow('handed on');
  expect(JSON.stringify(literal('y'))).toBe('"y"');
});

test('bytes that several values share are written with each of them, and are the same', () => {
  const bytes = Buffer.from('"both"');
  const shared = new JsonBytes(bytes, true);
  const written = [writeJson({ shared }), writeJson([shared])];
  expect(written).toEqual([
    ['{"shared":', bytes, '}'],
    ['[', bytes, ']'],
  ]);
  expect(written.map(([, piece]) => piece)).toEqual([bytes, bytes]);
  expect(written[1]?.[1]).toBe(bytes);
});
