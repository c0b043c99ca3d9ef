import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createPublicServer } from './server.ts';

let server: Server;

beforeAll(async () => {
  server = createPublicServer((request, response) => {
    if (request.headers['transfer-encoding'] === undefined) response.end('fine');
    else request.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function statusesOf(...pieces: readonly string[]): Promise<string[]> {
  return (await exchange(...pieces)).match(/HTTP\/1\.1 \d+ [^\r]*/g) ?? [];
}

async function repliesOf(...pieces: readonly string[]): Promise<string[]> {
  return (await exchange(...pieces)).split(/HTTP\/1\.1 \d+ [^]*?\r\n\r\n/).slice(1);
}

/** Sends each piece when the server has read the one before, as they come over a long line. */
async function exchange(...pieces: readonly string[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  let reply = '';
  socket.on('data', (chunk: Buffer) => (reply += chunk.toString()));
  // Bytes that are not read any more end a connection with a reset, after the answer.
  socket.on('error', () => undefined);
  const ended = new Promise((resolve) => socket.once('close', resolve));
  let sent = 0;
  for (const piece of pieces) {
    socket.write(piece);
    sent += piece.length;
    while (accepted.bytesRead < sent && !accepted.destroyed) await new Promise(setImmediate);
  }
  await ended;
  return reply;
}

const x = (count: number) => 'x'.repeat(count);
const url = (count: number) => `GET /api/ai?prompt=${x(count)}`;
const end = ' HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n';
const TOO_LONG = 'HTTP/1.1 414 URI Too Long';
const TOO_LARGE = 'HTTP/1.1 431 Request Header Fields Too Large';

test.each([
  ['the longest URL', [url(32_000) + end], ['HTTP/1.1 200 OK']],
  ['a URL too long', [url(40_000) + end], [TOO_LONG]],
  ['a URL too long for one packet', [url(100_000) + end], [TOO_LONG]],
  ['a URL too long whose end does not come', [url(40_000)], [TOO_LONG]],
  ['a URL too long in two packets', [url(14_000), x(26_000) + end], [TOO_LONG]],
  [
    'a URL too long behind another request',
    [`GET /${end.replace('close', 'x')}${url(40_000)}${end}`],
    ['HTTP/1.1 200 OK', TOO_LONG],
  ],
  ['a header too long', [`GET / HTTP/1.1\r\nX-Long: ${x(40_000)}\r\n\r\n`], [TOO_LARGE]],
  ['a header too long in two packets', [`GET / HTTP/1.1\r\nX-Long: ${x(14_000)}`, `${x(26_000)}\r\n\r\n`], [TOO_LARGE]],
  ['a header too long in the middle of a packet', [`GET / HTTP/1.1\r\nX: ${x(9_000)}`, x(50_000)], [TOO_LARGE]],
  ['a header name too long', [`GET / HTTP/1.1\r\n${x(40_000)}: 1\r\n\r\n`], [TOO_LARGE]],
  ['many headers', [`GET / HTTP/1.1\r\n${'X-More: GET / HTTP/1.1\r\n'.repeat(4_000)}\r\n`], [TOO_LARGE]],
  ['URL and headers together', [`${url(20_000)} HTTP/1.1\r\nX-Long: ${x(20_000)}\r\n\r\n`], [TOO_LARGE]],
])('%s', async (_what, pieces, statuses) => {
  expect(await statusesOf(...pieces)).toEqual(statuses);
});

describe('what cannot be read under /v1', () => {
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\n';

  test.each([
    ['a broken header', 'GET /v1/models HTTP/1.1\r\nBroken\r\n\r\n', 'invalid_value'],
    ['a URL too long', `GET /v1/models?${x(40_000)}${end}`, 'uri_too_long'],
    ['a header too long', `GET /v1/models HTTP/1.1\r\nX-Long: ${x(40_000)}\r\n\r\n`, 'headers_too_large'],
    ['no host', 'GET /v1/models HTTP/1.1\r\n\r\n', 'invalid_value'],
    ['an unknown encoding', `${head}Transfer-Encoding: x\r\n\r\n`, 'invalid_value'],
    ['a broken chunk', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 'invalid_value'],
  ])("is told so in OpenAI's form: %s", async (_what, bytes, code) => {
    const [reply] = await repliesOf(bytes);
    expect(JSON.parse(reply ?? '')).toMatchObject({ error: { type: 'invalid_request_error', code, param: null } });
  });
});
