import { connect } from 'node:net';
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

/** Everything that comes back until the service closes the connection, or its first answer is complete. */
export function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    const finish = () => {
      socket.destroy();
      resolve(received);
    };
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (isComplete(received)) finish();
    });
    socket.on('close', finish);
    // A reset after the answer is how some requests end; what has come counts.
    socket.on('error', (error) => (received === '' ? reject(error) : finish()));
  });
}

function isComplete(received: string): boolean {
  const [head, body] = splitOnce(received, '\r\n\r\n');
  if (body === undefined) return false;
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return length !== undefined && body.length >= Number(length);
}

function readReply(received: string): Reply {
  const [head, text = ''] = splitOnce(received, '\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name, value = ''] = splitOnce(line, ':');
      return [name.toLowerCase(), value.trim()];
    }),
  );
  const isJson = headers['content-type']?.startsWith('application/json') && text !== '';
  const body = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: Number(first.split(' ')[1]), headers, body, text };
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}
