import { expect, test } from '@jest/globals';
import { AnswerReader } from './answer-reader.ts';

const LONG = 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world';
const CHUNKED =
  'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=1\r\n world\r\n0\r\nsum: 1\r\n\r\n';
const OPEN = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nhello world';
const NEXT = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';

/** Feeds an answer in pieces of this many bytes. @returns status and body, and how many bytes it took to be complete */
function read(answer: string, pieceBytes: number) {
  const parts: string[] = [];
  const reader = new AnswerReader((part) => parts.push(part.toString('latin1')));
  const bytes = Buffer.from(answer);
  let endedAt = Number.NaN;
  for (let at = 0; at < bytes.length && Number.isNaN(endedAt); at += pieceBytes)
    if (reader.take(bytes.subarray(at, at + pieceBytes))) endedAt = at + pieceBytes;
  return { status: reader.status, body: parts.join(''), endedAt };
}

test.each([1, 2, 3, 7, 1_000])('answers in pieces of %d bytes are read to their end and no further', (pieceBytes) => {
  const whole = (text: string) => Math.ceil(text.length / pieceBytes) * pieceBytes;
  const body = 'hello world';
  expect(read(LONG, pieceBytes)).toEqual({ status: 200, body, endedAt: whole(LONG) });
  expect(read(LONG + NEXT, pieceBytes)).toEqual({ status: 200, body, endedAt: whole(LONG) });
  expect(read(CHUNKED, pieceBytes)).toEqual({ status: 201, body, endedAt: whole(CHUNKED) });
  expect(read(CHUNKED + NEXT, pieceBytes)).toEqual({ status: 201, body, endedAt: whole(CHUNKED) });
  expect(read(OPEN, pieceBytes)).toEqual({ status: 400, body, endedAt: Number.NaN });
});

test('an answer that only announces another is skipped, and one reader reads many', () => {
  const reader = new AnswerReader();
  expect(reader.take(Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${LONG}`))).toBe(true);
  expect(reader.status).toBe(200);
  reader.reset();
  expect(reader.take(Buffer.from(CHUNKED))).toBe(true);
  reader.reset();
  expect(reader.take(Buffer.from(NEXT))).toBe(true);
  expect([reader.status, reader.head]).toEqual([404, 'HTTP/1.1 404 Not Found\r\ncontent-length: 0']);
});
