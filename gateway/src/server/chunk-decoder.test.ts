import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ChunkDecoder } from './chunk-decoder.ts';

/** What comes out when these pieces go in, as one text; `undefined` where one is refused. */
function decoded(...pieces: readonly string[]): { text: string; isDone: boolean } | undefined {
  const decoder = new ChunkDecoder();
  let text = '';
  for (const piece of pieces) {
    const content = decoder.decode(Buffer.from(piece, 'latin1'));
    if (content === undefined) return undefined;
    text += content.toString('latin1');
  }
  return { text, isDone: decoder.isDone };
}

const frame = (chunks: readonly string[]) =>
  chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');

test('gives the content of any chunks, however they are cut on the way', () => {
  const chunk = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 40 }), fc.array(fc.nat(30), { minLength: 1 }), (chunks, cuts) => {
      const framed = `${frame(chunks)}0\r\n\r\n`;
      const pieces: string[] = [];
      for (let at = 0, cut = 0; at < framed.length; cut++) {
        const length = 1 + (cuts[cut % cuts.length] ?? 0);
        pieces.push(framed.slice(at, at + length));
        at += length;
      }
      expect(decoded(...pieces)).toEqual({ text: chunks.join(''), isDone: true });
    }),
  );
});

test.each([
  ['extensions', '3;name=value\r\nabc\r\n0;x\r\n\r\n'],
  ['blanks behind the size', '3 \r\nabc\r\n0\t\r\n\r\n'],
  ['capital digits and leading zeros', `0003\r\nabc\r\n0\r\n\r\n`],
  ['trailers', '3\r\nabc\r\n0\r\nX-One: 1\r\nX-Two: 2\r\n\r\n'],
  ['another request behind it', '3\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n'],
])('reads a body with %s', (_what, body) => {
  expect(decoded(body)).toEqual({ text: 'abc', isDone: true });
  expect(decoded(...body.split(''))).toEqual({ text: 'abc', isDone: true });
});

test.each([
  ['no size', '\r\nabc'],
  ['a size that is no number', 'x\r\nabc'],
  ['a negative size', '-1\r\nabc'],
  ['a size beyond all measure', '100000000\r\n'],
  ['no line feed behind the size', '3\rabc'],
  ['a line feed alone', '3\nabc'],
  ['more content than was said', '3\r\nabcd\r\n'],
  ['a line feed in an extension', '3;a\nb\r\nabc'],
  ['an extension that does not end', `3;${'x'.repeat(2_000)}`],
  ['trailers that do not end', `0\r\n${'X: y\r\n'.repeat(2_000)}`],
  ['a line feed in a trailer', '0\r\na\n\r\n'],
])('refuses %s', (_what, body) => {
  expect(decoded(body)).toBeUndefined();
});

describe('chunks that hold next to nothing', () => {
  const sent = (chunks: readonly string[]) => {
    const decoder = new ChunkDecoder();
    decoder.decode(Buffer.from(frame(chunks)));
    return decoder.isAbsurd;
  };
  test.each([
    ['a thousand of one byte', Array<string>(1_000).fill('a'), false],
    ['some more', Array<string>(1_100).fill('a'), true],
    ['ten thousand lines', Array<string>(10_000).fill('x'.repeat(40)), false],
  ])('%s', (_what, chunks, isAbsurd) => {
    expect(sent(chunks)).toBe(isAbsurd);
  });
});
