import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mintAdminToken } from '@lontar/shared/admin/admin-token.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

/** Stands for stats-service: gives back what it was asked. */
let stats: Server;
let gateway: TestGateway;
let asked: number;

const { token } = mintAdminToken();

async function echo(request: IncomingMessage): Promise<object> {
  const { method, url, headers } = request;
  return { method, url, headers, body: (await buffer(request)).toString() };
}

beforeAll(async () => {
  stats = createServer((request, response) => {
    asked++;
    void echo(request).then((body) => response.setHeader('ETag', '"7"').end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(stats, 'listening');
  gateway = await startTestGateway({ STATS_URL: statsUrl() });
});
afterAll(async () => {
  await gateway.stop();
  stats.close();
  stats.closeAllConnections();
});
beforeEach(() => {
  asked = 0;
});

const statsUrl = () => `http://127.0.0.1:${(stats.address() as AddressInfo).port}`;
const ask = async (path: string, init: RequestInit = {}, url = gateway.url) => {
  const answer = await fetch(new URL(path, url), init);
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
};

test('the admin API gets what it reads, and of a caller nothing else', async () => {
  const { headers, body } = await ask('/admin/v1/keys/A1b2C3d4E5?limit=5&apikey=lt_live_x', {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${token}`,
      'if-match': '"3"',
      'idempotency-key': 'order-1',
      'x-api-key': 'lt_live_x',
      'x-lontar-client-address': '192.0.2.9',
      'x-anything': '1',
    },
    body: '{"credits":5}',
  });
  expect(body).toMatchObject({
    method: 'PATCH',
    url: '/admin/v1/keys/A1b2C3d4E5?limit=5',
    headers: {
      authorization: `Bearer ${token}`,
      'if-match': '"3"',
      'idempotency-key': 'order-1',
      'x-lontar-client-address': '127.0.0.1',
      'content-length': '13',
    },
    body: '{"credits":5}',
  });
  for (const name of ['x-api-key', 'x-anything']) expect(body['headers']).not.toHaveProperty(name);
  expect(headers.get('etag')).toBe('"7"');
  expect(headers.get('access-control-allow-origin')).toBeNull();
});

test('neither a page nor an open endpoint hands the token on', async () => {
  for (const path of ['/dashboard/session', '/api/usage']) {
    const { body } = await ask(path, { headers: { authorization: `Bearer ${token}` } });
    expect(JSON.stringify(body)).not.toContain(token);
  }
});

test.each(['GET', 'POST', 'PATCH', 'DELETE', 'PUT'])('%s goes there', async (method) => {
  const { body } = await ask('/admin/v1/bans/2001:db8:0:1100::', { method });
  expect(body).toMatchObject({ method, url: '/admin/v1/bans/2001:db8:0:1100::', body: '' });
});

test.each([
  ['in the query', `/admin/v1/keys?token=${token}`],
  ['under another name', `/admin/v1/keys?apikey=${token}`],
  ['in the path', `/admin/v1/keys/${token}`],
])('a token %s is refused with what to do, and goes no further', async (_where, path) => {
  const { status, body } = await ask(path);
  expect([status, asked]).toEqual([400, 0]);
  expect(body['message']).toContain('revoke it');
  expect(JSON.stringify(body)).not.toContain(token);
});

test.each([
  '/admin',
  '/admin/',
  '/admin/v1',
  '/admin/v1/',
  '/admin/v1/%2e%2e/dashboard',
  '/admin/v1/..%5cx',
  '/admin/v2/keys',
  '/admin/v1//keys',
])('%s is no path of it', async (path) => {
  expect([path, (await ask(path)).status, asked]).toEqual([path, 404, 0]);
});

test('bodies have 16 KB', async () => {
  const body = (bytes: number) => ({ method: 'POST', body: 'x'.repeat(bytes) });
  expect((await ask('/admin/v1/keys', body(16_384))).status).toBe(200);
  const refused = await ask('/admin/v1/keys', body(16_385));
  expect([refused.status, refused.body['message']]).toEqual([413, 'The body may have 16 KB at most.']);
});

test('an admin token is no API key, and the refusal says so', async () => {
  const message = expect.stringContaining('This is an admin token');
  for (const [path, init] of [
    ['/api/ai?prompt=hi', { headers: { 'x-api-key': token } }],
    [`/api/ai?prompt=hi&apikey=${token}`, {}],
    [
      '/api/ai',
      {
        method: 'POST',
        body: JSON.stringify({ prompt: 'hi', apikey: token }),
        headers: { 'content-type': 'application/json' },
      },
    ],
  ] as const) {
    expect(await ask(path, init)).toMatchObject({ status: 401, body: { error: 'Invalid API key', message } });
  }
  const chat = await ask('/v1/models', { headers: { authorization: `Bearer ${token}` } });
  expect(chat).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key', message } } });
  expect((await ask('/api/ai?prompt=hi&apikey=nonsense')).body['message']).not.toContain('admin token');
});

describe('where the operator wants it elsewhere', () => {
  test('ADMIN_API=off leaves nothing of it', async () => {
    const off = await startTestGateway({ STATS_URL: statsUrl(), ADMIN_API: 'off', ADMIN_PORT: '0' }, gateway);
    expect(off.adminUrl).toBeUndefined();
    expect([(await ask('/admin/v1/keys', {}, off.url)).status, asked]).toEqual([404, 0]);
    const { paths } = (await ask('/openapi.json', {}, off.url)).body as { paths: object };
    expect(Object.keys(paths).filter((path) => path.startsWith('/admin'))).toEqual([]);
    await off.stop();
  });

  test('a taken ADMIN_PORT is said in a sentence, and the gateway is not ready without it', async () => {
    const { port } = stats.address() as AddressInfo;
    // Readiness goes by the public port: were it opened before, it would be the one that is named.
    const starting = startTestGateway({ ADMIN_PORT: String(port), PORT: String(port) }, gateway);
    await expect(starting).rejects.toThrow(
      `ADMIN_PORT: port ${port} on 127.0.0.1 is taken by another program. Stop that program, or choose another port: ADMIN_PORT=NUMBER.`,
    );
  });

  test('ADMIN_PORT has it, and nothing else; PORT has it no more', async () => {
    const apart = await startTestGateway({ STATS_URL: statsUrl(), ADMIN_PORT: '0' }, gateway);
    expect([(await ask('/admin/v1/keys', {}, apart.url)).status, asked]).toEqual([404, 0]);
    const there = await ask('/admin/v1/keys', { method: 'POST', body: '{}' }, apart.adminUrl);
    expect(there.body).toMatchObject({ url: '/admin/v1/keys', body: '{}' });
    for (const path of ['/', '/api/ai?prompt=hi', '/v1/models', '/dashboard/session', '/docs', '/%']) {
      const { status, body } = await ask(path, {}, apart.adminUrl);
      expect([path, [400, 404].includes(status), body['status']]).toEqual([path, true, false]);
    }
    expect((await ask(`/admin/v1/keys?x=${token}`, {}, apart.adminUrl)).status).toBe(400);
    // Another gateway beside it has one of its own; either may end without the other.
    const beside = await startTestGateway({ STATS_URL: statsUrl(), ADMIN_PORT: '0' }, gateway);
    expect(beside.adminUrl).not.toBe(apart.adminUrl);
    await apart.stop();
    expect((await ask('/admin/v1/audit', {}, beside.adminUrl)).body).toMatchObject({ url: '/admin/v1/audit' });
    expect((await ask('/admin/v1/audit', {}, beside.url)).status).toBe(404);
    await beside.stop();
  });
});
