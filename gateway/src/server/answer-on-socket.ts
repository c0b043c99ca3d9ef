import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Answer } from '../envelope/answer.ts';
import { isAnswerable } from './last-answers.ts';

/** Answers where there is no response to do it by, and ends the connection. */
export function answerOnSocket(
  { status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>,
  socket: Duplex,
): void {
  if (!isAnswerable(socket)) return void socket.destroy();
  const text = JSON.stringify(body);
  const lines = Object.entries({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
}
