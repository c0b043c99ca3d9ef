import { connect } from 'node:net';
import { apiDocument } from './api-document.ts';
import type { Reply } from './client.ts';

const CHUNKED = /^transfer-encoding: *chunked/im;
/** Statuses of answers that only announce another. */
const INTERIM = /^HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n/;

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
 * Everything that comes back until the service closes the connection, or its first answer is complete.
 *
 * @param options.patienceMs when nothing has come for so long, the sending side is closed: a service that waits for
 *   more of the request then knows that none will come
 */
export function exchange(url: string, bytes: string | Buffer, options: { patienceMs?: number } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    const finish = () => {
      socket.destroy();
      resolve(received);
    };
    socket.on('connect', () => {
      socket.write(bytes);
      // Counted from here: on a busy machine connecting alone may take that long.
      if (options.patienceMs !== undefined) socket.setTimeout(options.patienceMs, () => socket.end());
    });
    socket.on('data', (chunk) => {
      received = (received + chunk.toString('latin1')).replace(INTERIM, '');
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
  if (CHUNKED.test(head)) return unchunk(body) !== undefined;
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return length !== undefined && body.length >= Number(length);
}

/** Reads an answer; JSON where it is JSON. */
export function readReply(received: string): Reply {
  const [head, rest = ''] = splitOnce(received, '\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name, value = ''] = splitOnce(line, ':');
      return [name.toLowerCase(), value.trim()];
    }),
  );
  // Another answer may follow, where the bytes held more than one request.
  const length = Number(headers['content-length'] ?? rest.length);
  const content = CHUNKED.test(head) ? (unchunk(rest) ?? '') : rest.slice(0, length);
  const text = Buffer.from(content, 'latin1').toString();
  const isJson = headers['content-type']?.startsWith('application/json') && text.startsWith('{');
  const body = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: Number(first.split(' ')[1]), headers, body, text };
}

/** The content of a chunked body, or `undefined` while its end has not come. */
function unchunk(body: string): string | undefined {
  let content = '';
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const size = end < 0 ? Number.NaN : Number.parseInt(body.slice(at, end), 16);
    if (Number.isNaN(size) || body.length < end + 2 + size + 2) return undefined;
    if (size === 0) return content;
    content += body.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}
