import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { apiDocument } from './api-document.ts';
import type { Reply } from './client.ts';

/**
 * Sends bytes as they are and reads the first answer, which must be as the service's document says.
 *
 * @param as the method and target that the bytes mean, for the document
 */
export async function sendBytes(url: string, bytes: string | Buffer, as: { method: string; target: string }) {
  const reply = readReply(await exchange(url, bytes));
  const { status, headers, text } = reply;
  (await apiDocument(url)).check({ ...as, status, headers, text });
  return reply;
}

/**
 * Everything that comes back, as latin1, until the service closes the connection or its first answer is complete.
 *
 * @param options.patienceMs when nothing has come for so long, the sending side is closed: a service that waits for
 *   more of the request then knows that none will come
 */
export function exchange(url: string, bytes: string | Buffer, options: { patienceMs?: number } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const reader = new AnswerReader();
    const received: Buffer[] = [];
    const finish = () => {
      socket.destroy();
      resolve(Buffer.concat(received).toString('latin1'));
    };
    socket.on('connect', () => {
      socket.write(bytes);
      // Counted from here: on a busy machine connecting alone may take that long.
      if (options.patienceMs !== undefined) socket.setTimeout(options.patienceMs, () => socket.end());
    });
    socket.on('data', (piece) => {
      received.push(piece);
      if (reader.take(piece)) finish();
    });
    socket.on('close', finish);
    // A reset after the answer is how some requests end; what has come counts.
    socket.on('error', (error) => (received.length === 0 ? reject(error) : finish()));
  });
}

/** Reads the first answer of what `exchange` gave; JSON where it is JSON. */
export function readReply(received: string): Reply {
  const parts: Buffer[] = [];
  const reader = new AnswerReader((part) => parts.push(part));
  reader.take(Buffer.from(received, 'latin1'));
  const headers = Object.fromEntries(
    reader.head
      .split('\r\n')
      .slice(1)
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
  );
  const text = Buffer.concat(parts).toString();
  const isJson = headers['content-type']?.startsWith('application/json') && text.startsWith('{');
  const body = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: reader.status, headers, body, text };
}
