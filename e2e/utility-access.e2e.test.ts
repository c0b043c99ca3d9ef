import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apiDocument } from './harness/api-document.ts';
import { type Ask, ask, expectErrorForm } from './harness/client.ts';
import { eventually } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

const COUNTERS = ['/api/usage', '/api/stats'];
const HEADERS_OF_HOUR = { 'x-ratelimit-limit': '1000000' };

/**
 * The same service, for each choice of who may read its counters; each has a document of its own, so that `ask` cannot
 * be shared.
 */
async function begin(mode: string): Promise<Stack> {
  const stack = await startStack({ stats: true, protocol: 'demo', settings: { UTILITY_ENDPOINTS: mode } });
  await eventually(async () => (await fetch(`${stack.url}/api/health`)).status === 200);
  return stack;
}

async function read(stack: Stack, path: string, headers: Record<string, string> = {}, query = '') {
  const answer = await fetch(`${stack.url}${path}${query}`, { headers });
  const body = (await answer.json()) as Record<string, unknown>;
  if (answer.status >= 400) expectErrorForm(answer.status, body);
  return { status: answer.status, body, headers: Object.fromEntries(answer.headers) };
}

async function signIn(stack: Stack): Promise<string> {
  const answer = await fetch(`${stack.url}/dashboard/session`, {
    method: 'POST',
    body: JSON.stringify({ token: stack.secrets.dashboardToken }),
  });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Health without a number of the service in it, and the caller's own number as ever. */
async function expectNoNumbers(stack: Stack): Promise<void> {
  const health = await read(stack, '/api/health');
  expect(Object.keys(health.body).sort()).toEqual(['endpoints', 'status', 'timestamp', 'version']);
  expect(health).toMatchObject({ status: 200, body: { status: 'ok', endpoints: { '/api/usage': 'ok' } } });
  expect(await read(stack, '/api/check-limit')).toMatchObject({ status: 200, body: { used: 0, limit: 20 } });
}

describe('UTILITY_ENDPOINTS=key', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await begin('key');
  });
  afterAll(() => stack.stop());

  test('answers callers with an active key, charges nothing, and counts under the address', async () => {
    const { key, id } = await stack.createKey('--credits', '5');
    const ways: [headers: Record<string, string>, query: string][] = [
      [{ 'x-api-key': key }, ''],
      [{ authorization: `Bearer ${key}` }, ''],
      [{}, `?apikey=${key}`],
    ];
    for (const path of COUNTERS) {
      for (const [headers, query] of ways) {
        const reply = await read(stack, path, headers, query);
        expect(reply).toMatchObject({ status: 200, body: { status: true }, headers: HEADERS_OF_HOUR });
      }
    }
    const left = (await read(stack, '/api/check-limit')).headers['x-ratelimit-remaining'];
    expect(left).toBe(String(1_000_000 - COUNTERS.length * ways.length - 1));
    const shown = JSON.parse((await stack.lontar('keys', 'show', id, '--json')).stdout) as Record<string, unknown>;
    expect(JSON.stringify(shown)).toMatch(/"(used|charged|creditsUsed)":0/);
  });

  test('refuses all others, the operator without a key too', async () => {
    const revoked = await stack.createKey();
    await stack.lontar('keys', 'revoke', revoked.id);
    const cookie = await signIn(stack);
    for (const path of COUNTERS) {
      expect((await read(stack, path)).status).toBe(400);
      expect((await read(stack, path, { cookie })).status).toBe(400);
      expect((await read(stack, path, { 'x-api-key': 'nonsense' })).status).toBe(401);
      expect((await read(stack, path, { authorization: `Bearer ${stack.secrets.dashboardToken}` })).status).toBe(401);
      expect((await read(stack, path, { 'x-api-key': revoked.key })).status).toBe(403);
    }
    await expectNoNumbers(stack);
  });
});

describe('UTILITY_ENDPOINTS=operator', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await begin('operator');
  });
  afterAll(() => stack.stop());

  test('lets in the operator alone, by session or token', async () => {
    const cookie = await signIn(stack);
    const bearer = { authorization: `Bearer ${stack.secrets.dashboardToken}` };
    const { key } = await stack.createKey();
    for (const path of COUNTERS) {
      for (const headers of [{ cookie }, bearer]) {
        expect(await read(stack, path, headers)).toMatchObject({ status: 200, headers: HEADERS_OF_HOUR });
      }
      const others: Record<string, string>[] = [
        {},
        { 'x-api-key': key },
        { authorization: `Bearer ${key}` },
        { cookie: `lontar_session=${'A'.repeat(43)}` },
        { 'x-lontar-operator-only': '' },
        { 'x-lontar-inner-secret': stack.secrets.innerSecret },
      ];
      for (const headers of others) expect((await read(stack, path, headers)).status).toBe(401);
    }
    await expectNoNumbers(stack);
  });

  test('a wrong token counts as one; a page of another site cannot use up the tries', async () => {
    const wrong = { authorization: 'Bearer not-the-token-of-the-operator' };
    const right = { authorization: `Bearer ${stack.secrets.dashboardToken}` };
    for (let count = 0; count < 12; count++) {
      const byPage = await read(stack, '/api/usage', { ...wrong, 'sec-fetch-site': 'cross-site' });
      expect(byPage.status).toBe(401);
    }
    expect((await read(stack, '/api/usage', { ...right, 'sec-fetch-site': 'cross-site' })).status).toBe(401);
    for (let count = 0; count < 10; count++) expect((await read(stack, '/api/usage', wrong)).status).toBe(401);
    const refused = await read(stack, '/api/usage', right);
    expect(refused).toMatchObject({ status: 429, body: { used: 10, remaining: 0, limit: 10 } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('UTILITY_ENDPOINTS=open', () => {
  test('answers all callers, and the document says so', async () => {
    const stack = await startStack({ stats: true, protocol: 'demo' });
    try {
      const options: Ask = {};
      for (const path of COUNTERS) expect((await ask(stack.url, path, options)).status).toBe(200);
      const { paths } = await apiDocument(stack.url);
      expect(Object.keys(paths['/api/usage']?.['get']?.responses ?? {})).not.toContain('401');
    } finally {
      await stack.stop();
    }
  });
});
