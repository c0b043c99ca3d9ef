import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { ask, expectSuccess } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

const LIMIT = 5;
let stack: Stack;
let key: string;
/** What comes on a connection whose headers never end, from the start on: that takes its time. */
let cut: Promise<string>;

beforeAll(async () => {
  stack = await startStack({
    settings: { RATE_LIMIT_PER_HOUR: String(LIMIT), BAN_AFTER_BAD_KEYS: '3', TRUST_PROXY: '127.0.0.1' },
  });
  ({ key } = await stack.createKey());
  cut = speak('GET /api/ai HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  // A failure is one of the test that waits for it.
  cut.catch(() => undefined);
});
afterAll(() => stack.stop());

function speak(text: string): Promise<string> {
  const { hostname, port } = new URL(stack.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

const from = (address: string, path = '/api/ai', apikey = key) =>
  ask(stack.url, path, { query: { prompt: 'hi' }, headers: { 'x-forwarded-for': address, 'x-api-key': apikey } });

describe('the hour of an address', () => {
  test('counts down in the headers, refuses with the record, and leaves other addresses alone', async () => {
    for (let left = LIMIT - 1; left >= 0; left--) {
      const reply = await from('203.0.113.1');
      expectSuccess(reply);
      expect(reply.headers).toMatchObject({
        'x-ratelimit-limit': String(LIMIT),
        'x-ratelimit-remaining': String(left),
        'ratelimit-policy': `"address-hour";q=${LIMIT};w=3600`,
        ratelimit: expect.stringMatching(new RegExp(`^"address-hour";r=${left};t=\\d+$`)),
      });
    }
    const refused = await from('203.0.113.1');
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'Too many requests', used: LIMIT, remaining: 0, limit: LIMIT },
      headers: { 'x-ratelimit-remaining': '0', 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    const reset = Number(refused.headers['x-ratelimit-reset']);
    expect(Math.abs(reset - (Date.now() / 1000 + Number(refused.headers['retry-after'])))).toBeLessThan(5);
    expectSuccess(await from('203.0.113.2'));
  });

  test('counts good and bad requests under /api/ alike, but not health, and nothing outside', async () => {
    const address = '203.0.113.3';
    await from(address, '/api/nothing');
    await ask(stack.url, '/api/ai', { method: 'PUT', headers: { 'x-forwarded-for': address } });
    await ask(stack.url, '/api/ai', { headers: { 'x-forwarded-for': address } });
    for (let count = 0; count < 10; count++) await from(address, '/api/health');
    for (let count = 0; count < 10; count++) await from(address, '/nothing');
    expect((await from(address)).headers['x-ratelimit-remaining']).toBe(String(LIMIT - 4));
  });

  test('is counted without the port that some proxies append', async () => {
    for (const address of ['203.0.113.15:1234', '203.0.113.15:1235', '203.0.113.15'])
      expectSuccess(await from(address));
    expect((await from('203.0.113.15')).headers['x-ratelimit-remaining']).toBe(String(LIMIT - 4));
    expectSuccess(await from('[2001:db8:5::1]:44'));
    expect((await from('2001:db8:5::2')).headers['x-ratelimit-remaining']).toBe(String(LIMIT - 2));
  });

  test('does not count a preflight, and answers it for any origin', async () => {
    const address = '203.0.113.4';
    const headers = {
      'x-forwarded-for': address,
      origin: 'https://example.org',
      'access-control-request-method': 'POST',
    };
    const preflight = await ask(stack.url, '/api/ai', { method: 'OPTIONS', headers });
    expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': '*' } });
    expect(preflight.headers['access-control-allow-headers']).toMatch(/X-API-Key/);
    expect((await from(address)).headers['x-ratelimit-remaining']).toBe(String(LIMIT - 1));
  });

  test.each([
    ['/api/ai', 'GET, POST, OPTIONS', '203.0.113.101'],
    ['/api/upload', 'POST, OPTIONS', '203.0.113.102'],
    ['/api/health', 'GET, OPTIONS', '203.0.113.103'],
  ])('does not count the question which methods %s takes', async (path, allow, address) => {
    const question = { 'access-control-request-method': 'POST' };
    for (const headers of [{}, question]) {
      const reply = await ask(stack.url, path, {
        method: 'OPTIONS',
        headers: { 'x-forwarded-for': address, ...headers },
      });
      expect(reply).toMatchObject({ status: 204, text: '', headers: { allow, 'access-control-allow-origin': '*' } });
      expect('access-control-allow-methods' in reply.headers).toBe(headers === question);
    }
    const other = await ask(stack.url, path, { method: 'PUT', headers: { 'x-forwarded-for': address } });
    expect([other.status, other.headers['allow']]).toEqual([405, allow]);
    const left = path === '/api/health' ? LIMIT : LIMIT - 1;
    expect(other.headers['x-ratelimit-remaining']).toBe(String(left));
  });

  test('answers the preflight of a path that does not exist, so that a page gets to see its 404', async () => {
    const method = 'OPTIONS';
    const headers = { 'access-control-request-method': 'POST' };
    expect((await ask(stack.url, '/api/nothing', { method, headers })).status).toBe(204);
    expect((await ask(stack.url, '/api/nothing', { method })).status).toBe(404);
  });

  test('is one for all addresses of an IPv6 /56, and for both forms of an IPv4 address', async () => {
    await from('2001:db8:0:ff00::1');
    expect((await from('2001:db8:0:ffab:1:2:3:4')).headers['x-ratelimit-remaining']).toBe(String(LIMIT - 2));
    expect((await from('2001:db8:0:fe00::1')).headers['x-ratelimit-remaining']).toBe(String(LIMIT - 1));
    await from('203.0.113.5');
    expect((await from('::ffff:203.0.113.5')).headers['x-ratelimit-remaining']).toBe(String(LIMIT - 2));
  });

  test('believes the trusted proxy only: what the caller itself claims further left does not count', async () => {
    await from('198.51.100.1, 203.0.113.6');
    expect((await from('198.51.100.2, 203.0.113.6')).headers['x-ratelimit-remaining']).toBe(String(LIMIT - 2));
  });
});

test('an address that tries bad keys is banned, and a key that is good passes the ban', async () => {
  const address = '203.0.113.7';
  for (const bad of ['nonsense', mintApiKey().key, mintApiKey().key]) {
    expect((await from(address, '/api/ai', bad)).status).toBe(401);
  }
  const reply = await from(address, '/api/ai', mintApiKey().key);
  expect(reply).toMatchObject({ status: 403, body: { error: 'Address blocked' } });
  expectSuccess(await from(address));
  expectSuccess(await from('203.0.113.8'));
});

test('where no proxy is trusted, X-Forwarded-For changes nothing', async () => {
  const plain = await startStack({ settings: { RATE_LIMIT_PER_HOUR: '3' }, protocol: 'demo' });
  try {
    const replies = [];
    for (let count = 0; count < 4; count++) {
      replies.push(await ask(plain.url, '/api/ai', { headers: { 'x-forwarded-for': `203.0.113.${count}` } }));
    }
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 429]);
  } finally {
    await plain.stop();
  }
});

test('a full queue is refused before any work is done', async () => {
  const narrow = await startStack({ workers: 0, settings: { QUEUE_MAX_WAITING: '2', REQUEST_TIMEOUT_MS: '60000' } });
  try {
    const narrowKey = await narrow.createKey('--credits', '10');
    const leaving = new AbortController();
    const send = (signal?: AbortSignal) =>
      ask(narrow.url, '/api/ai', {
        query: { prompt: 'hi' },
        headers: { 'x-api-key': narrowKey.key },
        ...(signal && { signal }),
      });
    const waiting = [send(leaving.signal), send(leaving.signal)].map((sent) => sent.catch(() => 'left'));
    await until(async () => (await narrow.redis.client.llen('{lontar}:generation:wait')) === 2);
    const refused = await send();
    expect(refused).toMatchObject({ status: 503, body: { error: 'Service unavailable' } });
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect(refused.headers['x-ratelimit-remaining']).toBe('8');
    leaving.abort();
    expect(await Promise.all(waiting)).toEqual(['left', 'left']);
  } finally {
    await narrow.stop();
  }
});

describe('a connection', () => {
  test('that is no HTTP gets an error of the documented form and is closed', async () => {
    expect(await speak('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request[^]*"status":false,"code":400/);
  });

  test('that sends its headers too slowly is cut with 408', async () => {
    expect(await cut).toMatch(/^HTTP\/1\.1 408 Request Timeout/);
  });
});
