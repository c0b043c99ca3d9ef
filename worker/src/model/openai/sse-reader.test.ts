import { describe, expect, test } from '@jest/globals';
import { anyCharacter } from '@lontar/shared/testing/any-character.ts';
import * as fc from 'fast-check';
import { AnswerTooLargeError } from '../capped-fetch.ts';
import { SseReader } from './sse-reader.ts';

function eventsOf(pieces: readonly (string | Uint8Array)[], mostBytes = 10_000): [string, string][] {
  const events: [string, string][] = [];
  const reader = new SseReader(mostBytes, (data, event) => events.push([data, event]));
  for (const piece of pieces) reader.read(Buffer.from(piece));
  reader.end();
  return events;
}

const dataOf = (text: string) => eventsOf([text]).map(([data]) => data);

test.each<[string, string, string[]]>([
  ['an event', 'data: a\n\n', ['a']],
  ['no space behind the colon', 'data:a\n\n', ['a']],
  ['two spaces behind it, of which one counts', 'data:  a\n\n', [' a']],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['comments, ids and fields without meaning', ': x\nid: 4\nretry: 10\ndata: a\nnothing\n\n: x\n\n', ['a']],
  ['a heartbeat with one newline', ': x\ndata: a\n\n', ['a']],
  ['data in several lines', 'data: {\ndata: "a": 1\ndata: }\n\n', ['{\n"a": 1\n}']],
  [
    'no blank line between two events',
    'data: {"a":1}\ndata: {"a":2}\ndata: [DONE]\n',
    ['{"a":1}', '{"a":2}', '[DONE]'],
  ],
  ['no newline at the end', 'data: a', ['a']],
  ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
  ['empty data', 'data:\n\ndata: a\n\n', ['', 'a']],
  ['nothing', '', []],
  ['blank lines', '\n\n\n', []],
])('%s', (_, text, data) => {
  expect(dataOf(text)).toEqual(data);
});

test('the name of an event is its own alone', () => {
  expect(eventsOf(['event: error\ndata: a\n\ndata: b\n\n'])).toEqual([
    ['a', 'error'],
    ['b', ''],
  ]);
  expect(eventsOf(['error: {"code":500}\n\n'])).toEqual([['{"code":500}', 'error']]);
});

test('events are the same wherever their bytes are cut', () => {
  const line = fc.oneof(
    fc.string({ unit: anyCharacter }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    fc.constantFrom('', ': comment', 'event: x', 'data: ☕ 😀'),
  );
  const stream = fc.tuple(fc.array(line), fc.constantFrom('\n', '\r\n')).map(([lines, end]) => lines.join(end) + end);
  fc.assert(
    fc.property(stream, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (text, lengths) => {
      const bytes = Buffer.from(text);
      const pieces: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const length = lengths[turn % lengths.length] ?? 1;
        pieces.push(bytes.subarray(at, at + length));
        at += length;
      }
      expect(eventsOf(pieces)).toEqual(eventsOf([bytes]));
    }),
  );
});

test('bytes that are no UTF-8 are replaced, and cost no others', () => {
  const bytes = Buffer.concat([Buffer.from('data: a'), Buffer.from([0xff, 0xc3]), Buffer.from('b\n\ndata: c\n\n')]);
  expect(eventsOf([bytes]).map(([data]) => data)).toEqual(['a\ufffd\ufffdb', 'c']);
});

describe('what is too large', () => {
  test('a line without an end is refused as soon as it is', () => {
    const reader = new SseReader(1_000, () => undefined);
    expect(() => {
      for (let sent = 0; sent < 2_000; sent += 1) reader.read(Buffer.from('x'));
    }).toThrow(AnswerTooLargeError);
  });

  test('an event of many lines is refused', () => {
    expect(() =>
      eventsOf(
        Array.from({ length: 200 }, () => 'data: {{{{{{{{{{\n'),
        1_000,
      ),
    ).toThrow(AnswerTooLargeError);
  });

  test('a megabyte of single bytes takes no longer than its length pays for', () => {
    const text = `data: ${'x'.repeat(300_000)}\n\n`;
    const pieces = Array.from(Buffer.from(text), (byte) => Buffer.of(byte));
    expect(eventsOf(pieces, 1_000_000)[0]?.[0]).toHaveLength(300_000);
  });
});
