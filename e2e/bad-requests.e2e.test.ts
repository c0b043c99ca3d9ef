import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { anyCharacter } from '@lontar/shared/testing/any-character.ts';
import fc from 'fast-check';
import { type ApiDocument, apiDocument } from './harness/api-document.ts';
import { expectErrorForm, expectOpenAiErrorForm, type Reply } from './harness/client.ts';
import { exchange, readReply } from './harness/raw.ts';
import { type Stack, startStack } from './harness/stack.ts';

const REQUESTS = 10_000;
const AT_ONCE = 50;
/** After that a request that does not end is ended. */
const PATIENCE_MS = 700;
/** A guard against hanging, not a measure. */
const HANG_MS = 20_000;
/** Replaced by a genuine key: some requests must get past the door. */
const KEY = 'THE_KEY';
const PAGES = /^\/(\?|$|assets\/|dashboard)/;

let stack: Stack;
let key: string;

beforeAll(async () => {
  const settings = { BAN_AFTER_BAD_KEYS: '0', UPLOADS_PER_DAY: '1000000', MAX_FILE_BYTES: '1000' };
  stack = await startStack({ protocol: 'demo', stats: true, settings });
  ({ key } = await stack.createKey());
});
afterAll(() => stack.stop());

interface BadRequest {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const paths = [
  ...['/api/ai', '/api/ai2', '/api/ai3', '/api/upload', '/api/code', '/api/check-limit', '/api/usage', '/api/stats'],
  ...['/api/health', '/files/file_0000000000000000000000', '/files/x', '/openapi.json', '/docs', '/llms.txt'],
  ...['/api/requests/x', '/api/requests/req_0000000000000000000000', '/v1/chat/completions/chatcmpl-x'],
  ...['/v1/chat/completions', '/v1/models', '/v1/models/ai-2.5-pro', '/v1/models/', '/v1', '/v1/', '/v1/x', '/V1/x'],
  ...['/api', '/api/', '/api/ai/', '/API/AI', '/files', '/files/', '/nothing', '//api/ai', '/api//ai', '*', ''],
];
const oddities = [
  ...['%', '%zz', '%00', '%ff', '%2e%2e%2f', '..', '../../etc/passwd', '%c0%af', '\\', ';', '#', '?', '&', '=', '[]'],
  ...[
    '__proto__',
    'constructor',
    '\u0000',
    '\t',
    ' ',
    'é',
    '🌴',
    '%F0%9F%8C%B4',
    "'",
    '"',
    '<script>',
    '$(id)',
    '${x}',
  ],
];
const text = fc.oneof(
  fc.constantFrom(...oddities),
  fc.string({ maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 9 }),
);
/** As a careful caller would write it, most of the time: the parser's refusals are soon the same. */
const written = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => encodeURIComponent(value.toWellFormed())) },
  { weight: 1, arbitrary: text },
);
const headerText = fc.oneof({ weight: 6, arbitrary: fc.string({ maxLength: 20 }) }, { weight: 1, arbitrary: text });
const target = fc
  .tuple(fc.constantFrom(...paths), fc.option(written, { freq: 2 }), fc.option(queryText(), { freq: 3, nil: '' }))
  .map(([path, tail, query]) => path + (tail ?? '') + query)
  // A blank ends the target; the parser's view of the rest is covered by the version.
  .map((value) => value.replaceAll(/[\r\n ]/g, ''));

function queryText() {
  const name = fc.oneof(fc.constantFrom('prompt', 'apikey', 'model', 'temperature', 'maxOutputTokens'), written);
  const value = fc.oneof(fc.constantFrom(KEY, 'hi', '1', '-1', '1e9', 'NaN', '', 'ai-2.5-flash'), written);
  return fc
    .array(fc.tuple(name, value), { maxLength: 5 })
    .map((pairs) => `?${pairs.map(([n, v]) => `${n}=${v}`).join('&')}`);
}

/** One of these names, with one of these values. */
const oneOf = (weight: number, names: string[], values: fc.Arbitrary<string>) => ({
  weight,
  arbitrary: fc.tuple(fc.constantFrom(...names), values),
});
const header = fc.oneof(
  oneOf(
    6,
    ['Content-Type'],
    fc.constantFrom(
      ...['application/json', 'application/json; charset=utf-7', 'application/json;charset=x', 'text/plain', ''],
      ...['multipart/form-data; boundary=b', 'multipart/form-data', 'multipart/form-data; boundary=', 'x', '/', ';;;'],
    ),
  ),
  oneOf(
    6,
    ['X-API-Key', 'Authorization'],
    fc.oneof(fc.constantFrom(KEY, `Bearer ${KEY}`, 'Bearer ', 'Basic eDp5'), headerText),
  ),
  oneOf(1, ['Content-Length'], fc.constantFrom('0', '-1', '5', '1e3', '99999999999999999999', 'x', '5, 5')),
  oneOf(1, ['Transfer-Encoding'], fc.constantFrom('chunked', 'gzip', 'chunked, chunked', 'identity', 'x')),
  oneOf(2, ['Content-Encoding'], fc.constantFrom('gzip', 'br', 'identity', 'x')),
  oneOf(2, ['Expect', 'Upgrade', 'Connection'], fc.constantFrom('100-continue', 'x', 'websocket', 'upgrade', 'close')),
  oneOf(6, ['X-Forwarded-For', 'Cookie', 'Range', 'Origin', 'Accept', 'X-HTTP-Method-Override', 'Host'], headerText),
  { weight: 1, arbitrary: fc.tuple(text, text) },
);

const good = fc.constantFrom(
  '{}',
  '[]',
  'null',
  '"x"',
  '{',
  '{"prompt":',
  '{"prompt":"hi"}',
  '{"code":"x"}',
  '{"code":1}',
  '{"prompt":["a"]}',
  `{"prompt":"hi","apikey":"${KEY}"}`,
  `{"code":"x","apikey":"${KEY}"}`,
  '{"__proto__":{"prompt":"x"}}',
  '{"model":"ai-2.5-flash","messages":[{"role":"user","content":"hi"}]}',
  '{"model":"ai-2.5-flash","messages":[{"role":"user","content":[{"type":"text","text":"\\u0000"}]}]}',
  '{"model":"ai-2.5-flash","messages":{"length":5}}',
  '{"model":"gpt","messages":[]}',
  '{"prompt":"\\ud800"}',
  `{"code":"${'x'.repeat(1500)}"}`,
  '\u0000\u0001',
  '5\r\nhello\r\n0\r\n\r\n',
  'zz\r\n',
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n',
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx',
  `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'x'.repeat(1500)}\r\n--b--\r\n`,
  '--b\r\nContent-Disposition: form-data; name="file[0]"; filename="../a"\r\n\r\nx\r\n--b--\r\n',
  '--b\r\n\r\n\r\n--b--\r\n',
  '--b--',
  '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--',
);
const part = fc.oneof(good, text);

/** Nearly good ones, which get past the door: the key is genuine and the type fits, the rest is anything. */
const nearlyGood: fc.Arbitrary<BadRequest> = fc.record({
  method: fc.constantFrom('POST'),
  target: fc.constantFrom(
    '/api/ai',
    '/api/ai2?temperature=9',
    '/v1/chat/completions',
    '/v1/chat/completions',
    '/api/upload',
    '/api/upload',
    '/api/code',
    '/api/code?x',
  ),
  version: fc.constantFrom('HTTP/1.1'),
  headers: fc
    .tuple(fc.constantFrom('application/json', 'multipart/form-data; boundary=b'), fc.array(header, { maxLength: 1 }))
    .map(([type, more]) =>
      more.concat([
        ['X-API-Key', KEY],
        ['Content-Type', type],
      ]),
    ),
  body: good,
});

const anyRequest: fc.Arbitrary<BadRequest> = fc.record({
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('GET', 'POST') },
    {
      weight: 3,
      arbitrary: fc.constantFrom('HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'),
    },
    { weight: 1, arbitrary: fc.constantFrom('get', 'G E T', '', 'X', 'CONNECT', '\u0000', 'GETGETGET') },
  ),
  target,
  version: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('HTTP/1.1') },
    { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'http/1.1', '', 'HTTP/1.1 x') },
  ),
  headers: fc.array(header, { maxLength: 5 }),
  body: fc.oneof(fc.constant(''), part),
});

const badRequest = fc.oneof({ weight: 3, arbitrary: anyRequest }, { weight: 1, arbitrary: nearlyGood });

/** The bytes of a request; where it does not say how long its body is, it does half of the time. */
function bytesOf(request: BadRequest, index: number): Buffer {
  const body = Buffer.from(withKey(request.body));
  const names = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const lines = request.headers.map(([name, value]) => `${name}: ${withKey(value)}`);
  if (!names.has('host') && index % 20 > 0) lines.unshift('Host: gateway');
  const tellsLength = names.has('content-length') || names.has('transfer-encoding');
  if (!tellsLength && body.length > 0 && index % 4 > 0) lines.push(`Content-Length: ${body.length}`);
  const first = `${request.method} ${withKey(request.target)} ${request.version}`;
  return Buffer.concat([Buffer.from(`${[first, ...lines].join('\r\n')}\r\n\r\n`), body]);
}

function withKey(value: string): string {
  return value.replaceAll(KEY, key);
}

test('10,000 bad requests get a documented refusal each: no 500, no crash, no hang', async () => {
  const document = await apiDocument(stack.url);
  const requests = fc.sample(badRequest, { numRuns: REQUESTS, seed: 20_260_131 });
  const counted = new Map<number, number>();
  const problems: unknown[] = [];
  let next = 0;
  const send = async () => {
    for (let index = next++; index < requests.length; index = next++) {
      const request = requests[index]!;
      const bytes = bytesOf(request, index);
      const received = await within(exchange(stack.url, bytes, { patienceMs: PATIENCE_MS }), request);
      // A request that ends in the middle has no client left to answer.
      if (received === '') continue;
      const { status, headers, text, body } = readReply(received);
      counted.set(status, (counted.get(status) ?? 0) + 1);
      const problem = problemOf(document, request, { status, headers, text, body });
      if (problem !== undefined) problems.push({ ...request, status, problem, received: received.slice(0, 300) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));

  expect(problems.slice(0, 10)).toEqual([]);
  // The others end in their middle: no client is left to answer.
  expect([...counted.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0.8 * REQUESTS);
  for (const status of [200, 201, 400, 401, 404, 405, 413, 415])
    expect({ status, seen: counted.has(status) }).toEqual({ status, seen: true });
  for (const service of [...stack.gateways, ...stack.workers]) expect(service.process.exitCode).toBeNull();
  expect(stack.logs()).not.toMatch(/"msg":"a request failed"|unhandled/i);
  console.log(`answers by status: ${JSON.stringify(Object.fromEntries(counted))}`);
}, 180_000);

/** What is wrong with an answer, or `undefined` when it is as documented. */
function problemOf(document: ApiDocument, { method, target }: BadRequest, reply: Reply): string | undefined {
  const { status, headers, text, body } = reply;
  if (!(status >= 200 && status < 500)) return 'this status is no answer to a bad request';
  // What the dashboard's pages answer is not the API's.
  if (PAGES.test(target)) return undefined;
  try {
    if (typeof body['error'] === 'object') expectOpenAiErrorForm(body);
    else if ('error' in body) expectErrorForm(status, body);
    // Of bytes that are no HTTP, the path is not known.
    if (body['error'] === 'Bad Request') return undefined;
    document.check({ method, target, status, headers, text });
    return undefined;
  } catch (error) {
    return String(error).slice(0, 600);
  }
}

/** Fails a request that is never answered, with the request. */
async function within(answer: Promise<string>, request: BadRequest): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${JSON.stringify(request)}`)), HANG_MS);
  });
  try {
    return await Promise.race([answer, hang]);
  } finally {
    clearTimeout(timer);
  }
}
