import { on, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';
import { STATS_API_PATHS, UNCOUNTED_PATH } from '../statistics/paths.ts';
import { ROUTES } from './routes.ts';
import { STREAMED_ROUTES } from './upload-routes.ts';

const HOUR = redisKeys.addressHour('127.0.0.1');
const BAD_KEY = 'no-key-at-all';
/** A body that holds the gateway's attention and is never judged good, so that no worker is needed. */
const NO_PROMPT = '{"prompt":7}';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({ BAN_AFTER_BAD_KEYS: '20', RATE_LIMIT_PER_HOUR: '50' });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  await gateway.redis.client.flushdb();
  ({ key } = await gateway.createKey());
});

function open(): Socket {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

function head(...headers: string[]): string {
  const lines = ['POST /api/ai HTTP/1.1', 'Host: gateway', 'Content-Type: application/json', ...headers];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Those that were answered, which the gateway has to end by itself: waited for at the end, all at once. */
const endings: Promise<unknown>[] = [];

/** The whole answer to these bytes and no more. */
async function answerTo(bytes: string): Promise<{ status: number; head: string; body: Record<string, unknown> }> {
  const socket = open();
  const ending = once(socket, 'end');
  // Looked at only at the end of all tests.
  ending.catch(() => undefined);
  endings.push(ending);
  socket.write(bytes);
  const [first, body] = await wholeAnswer(socket);
  socket.resume();
  return { status: Number(first.split(' ')[1]), head: first, body: JSON.parse(body) as Record<string, unknown> };
}

async function wholeAnswer(socket: Socket): Promise<[head: string, body: string]> {
  let reply = '';
  for await (const piece of on(socket, 'data', { close: ['end', 'close'] })) {
    reply += String((piece as [Buffer])[0]);
    const [head = '', body] = reply.split('\r\n\r\n');
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    if (body !== undefined && length !== undefined && Buffer.byteLength(body) >= Number(length)) return [head, body];
  }
  throw new Error(`the connection ended within this answer: ${reply}`);
}

/** What the address has used of its hour. */
async function used(): Promise<number> {
  const answer = await answerTo(head('Content-Length: 0', 'Connection: close'));
  expect(answer.body['message']).toBe('apikey and prompt are required');
  return 50 - Number(/x-ratelimit-remaining: (\d+)/i.exec(answer.head)?.[1]) - 1;
}

async function ban(): Promise<void> {
  await gateway.redis.client.set(redisKeys.addressBan('127.0.0.1'), 'brute-force', 'EX', 60);
}

const COUNTED = [
  ...ROUTES.flatMap(({ path, methods }) => methods.map((method) => [method, path] as const)),
  ...STREAMED_ROUTES.map(([path]) => ['POST', path] as const),
  ...STATS_API_PATHS.filter((path) => path !== UNCOUNTED_PATH).map((path) => ['GET', path] as const),
];

test.each(COUNTED)('%s %s counts for the address, whatever comes of it', async (method, path) => {
  const { headers } = await fetch(new URL(path, gateway.url), { method });
  expect(headers.get('x-ratelimit-remaining')).toBe('49');
  expect(await used()).toBe(1);
});

const WITHHELD = [
  ['a long body', 'Content-Length: 300000'],
  ['a short body', 'Content-Length: 30'],
  ['a chunked body', 'Transfer-Encoding: chunked'],
  ['a body that asks first', 'Expect: 100-continue\r\nContent-Length: 30'],
] as const;

describe.each(WITHHELD)('before %s has come', (_what, length) => {
  test('a bad key is refused, counted once, and the connection closed', async () => {
    const answer = await answerTo(head(length, `X-API-Key: ${BAD_KEY}`));
    expect(answer).toMatchObject({ status: 401, body: { error: 'Invalid API key' } });
    expect(answer.head).toMatch(/\r\nConnection: close/i);
    expect(answer.head).toMatch(/x-ratelimit-remaining: 49/i);
    expect(await used()).toBe(1);
    expect(await gateway.redis.client.llen(redisKeys.addressBadKeys('127.0.0.1'))).toBe(1);
  });

  test('so is a key in the query', async () => {
    expect(await answerTo(head(length).replace('/api/ai', `/api/ai?apikey=${BAD_KEY}`))).toMatchObject({ status: 401 });
  });

  test('so is a key that has no credits left', async () => {
    const spent = await gateway.createKey({ credits: '0' });
    const answer = await answerTo(head(length, `Authorization: Bearer ${spent.key}`));
    expect(answer).toMatchObject({ status: 429, body: { used: 0, remaining: 0, limit: 0 } });
  });

  test('a banned address is refused, and nothing is counted', async () => {
    await ban();
    const answer = await answerTo(head(length));
    expect(answer).toMatchObject({ status: 403, body: { error: 'Address blocked' } });
    expect(await gateway.redis.client.exists(HOUR)).toBe(0);
  });

  test("the operator's block holds with a good key too", async () => {
    await gateway.redis.client.set(redisKeys.addressBan('127.0.0.1'), 'operator');
    expect(await answerTo(head(length, `X-API-Key: ${key}`))).toMatchObject({ status: 403 });
  });

  test('an address over its hour is refused', async () => {
    for (let index = 0; index < 50; index++) await answerTo(head('Content-Length: 0', 'Connection: close'));
    expect(await answerTo(head(length))).toMatchObject({ status: 429, body: { limit: 50 } });
    expect(await answerTo(head(length, `X-API-Key: ${key}`))).toMatchObject({ status: 429 });
  });
});

describe('a body that has come', () => {
  const whole = (body: string, ...more: string[]) =>
    head(`Content-Length: ${body.length}`, 'Connection: close', ...more) + body;

  test('with a genuine key in it passes the ban', async () => {
    await ban();
    const body = `{"prompt":7,"apikey":"${key}"}`;
    expect(await answerTo(whole(body))).toMatchObject({ status: 400, body: { error: 'Invalid parameter' } });
    expect(await answerTo(whole(body.replace(key, BAD_KEY)))).toMatchObject({ status: 403 });
  });

  test.each([
    ['is no JSON', '{', 400],
    ['is no object', '[]', 400],
    ['is empty', '', 400],
    ['begins with a byte order mark', '\u00ef\u00bb\u00bf{"prompt":7}', 400],
  ])('and %s is judged behind its key, and counted once', async (_what, body, status) => {
    const bytes = (name: string) =>
      `${head(`Content-Length: ${body.length}`, 'Connection: close', `X-API-Key: ${name}`)}${body}`;
    const socket = open();
    socket.write(Buffer.from(bytes(BAD_KEY), 'latin1'));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 40[01]/);
    const good = open();
    good.write(Buffer.from(bytes(key), 'latin1'));
    expect(await text(good)).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
    expect(await used()).toBe(2);
  });

  test.each([
    ['another type', 'Content-Type: text/plain', /^The Content-Type is text\/plain\. Send a JSON object/],
    ['the type of forms', 'Content-Type: application/x-www-form-urlencoded', /is application\/x-www-form-urlencoded\./],
    ['a type of its own', 'Content-Type: x/<script>', /^Send the body as JSON/],
    ['an encoding', 'Content-Encoding: gzip', /^Compressed bodies/],
    ['another charset', 'Content-Type: application/json; charset=utf-16', /^Send the body as JSON in UTF-8/],
  ])('in %s is refused, and the message says why', async (_what, header, message) => {
    const [name = ''] = header.split(':');
    const lines = whole(NO_PROMPT, `X-API-Key: ${key}`)
      .split('\r\n')
      .filter((line) => !line.startsWith(name));
    expect(await answerTo([lines[0], header, ...lines.slice(1)].join('\r\n'))).toMatchObject({
      status: 415,
      body: { message: expect.stringMatching(message) },
    });
  });
});

test('a body that is too long by its own word is refused before it is read', async () => {
  const answer = await answerTo(head('Content-Length: 400000', `X-API-Key: ${key}`));
  expect(answer).toMatchObject({ status: 413, body: { error: 'Payload Too Large' } });
  expect(await used()).toBe(1);
});

test('a body that turns out to be too long is refused', async () => {
  const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
  const answer = await answerTo(head('Transfer-Encoding: chunked', `X-API-Key: ${key}`) + chunk.repeat(13));
  expect(answer).toMatchObject({ status: 413, body: { error: 'Payload Too Large' } });
  expect(await used()).toBe(1);
});

test('a body of very many very small chunks is refused', async () => {
  const answer = await answerTo(head('Transfer-Encoding: chunked') + '1\r\n \r\n'.repeat(60_000));
  expect(answer).toMatchObject({ status: 413, body: { message: expect.stringContaining('too small chunks') } });
});

test.each([
  ['a good key', () => key, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400/],
  ['a bad one', () => BAD_KEY, /^HTTP\/1\.1 401/],
])('a client that waits for 100 Continue gets its answer when judged: with %s', async (_what, which, expected) => {
  const socket = open();
  let reply = '';
  socket.on('data', (bytes: Buffer) => (reply += bytes.toString()));
  const length = `Content-Length: ${NO_PROMPT.length}`;
  socket.write(head('Expect: 100-continue', 'Connection: close', length, `X-API-Key: ${which()}`));
  await once(socket, 'data');
  if (reply.includes('100 Continue')) socket.write(NO_PROMPT);
  await once(socket, 'close');
  expect(reply).toMatch(expected);
});

test('a body in two pieces, both late, is read', async () => {
  const socket = open();
  socket.write(head(`Content-Length: ${NO_PROMPT.length}`, 'Connection: close', `X-API-Key: ${key}`));
  for (const piece of [NO_PROMPT.slice(0, 4), NO_PROMPT.slice(4)]) {
    await new Promise((resolve) => setTimeout(resolve, 120));
    socket.write(piece);
  }
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*prompt must be text/);
});

describe('a request of a page of another site', () => {
  const get = (mode: string, apikey: string, path = '/api/ai', method = 'GET') =>
    answerTo(
      `${method} ${path}?prompt=&apikey=${apikey} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\nContent-Length: 0\r\n` +
        `Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: ${mode}\r\n\r\n`,
    );

  test.each([
    ['/api/ai', 'GET'],
    ['/api/ai2', 'POST'],
    ['/api/upload', 'POST'],
    ['/api/code', 'POST'],
  ])('whose answer no page could read is refused at %s and counted, and bans no address', async (path, method) => {
    for (let index = 0; index < 22; index++) {
      expect(await get('no-cors', BAD_KEY, path, method)).toMatchObject({
        status: 403,
        body: { error: 'Cross-site request' },
      });
    }
    expect(await used()).toBe(22);
    expect(await gateway.redis.client.exists(redisKeys.addressBan('127.0.0.1'))).toBe(0);
    expect(await get('no-cors', key, path, method)).toMatchObject({ status: 403 });
  });

  test.each(['navigate', 'cors'])(
    'in mode %s with bad keys bans no address, and with a good one is served',
    async (mode) => {
      const upload = ['/api/upload', 'POST'] as const;
      for (let index = 0; index < 22; index++)
        expect(await get(mode, BAD_KEY, ...upload)).toMatchObject({ status: 401 });
      expect(await get(mode, key)).toMatchObject({ body: { error: 'Missing required parameters' } });
      for (let index = 0; index < 22; index++) await get(mode, BAD_KEY, '/files/file_0000000000000000000000');
      expect(await gateway.redis.client.exists(redisKeys.addressBadKeys('127.0.0.1'))).toBe(0);
    },
  );
});

test('every connection whose answer said so was ended by the gateway', async () => {
  expect(endings.length).toBeGreaterThan(100);
  await Promise.all(endings);
});
