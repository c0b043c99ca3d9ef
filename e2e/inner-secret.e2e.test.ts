import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask } from './harness/client.ts';
import { exchange, readReply } from './harness/raw.ts';
import { type Stack, startStack } from './harness/stack.ts';

let stack: Stack;
let statsUrl: string;

beforeAll(async () => {
  stack = await startStack({ stats: true, protocol: 'demo' });
  const { port } = (await stack.stats?.logged('stats-service serves')) ?? {};
  statsUrl = `http://127.0.0.1:${String(port)}`;
});
afterAll(() => stack.stop());

/** What a process on the same machine gets from the listener of stats-service itself. */
async function askInside(method: string, path: string, headers: readonly string[] = [], body = '') {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: stats', `Content-Length: ${body.length}`, ...headers, '', body];
  return readReply(await exchange(statsUrl, head.join('\r\n')));
}

test('a process on the same machine gets nothing, whatever address it names', async () => {
  for (const path of ['/', '/api/usage', '/api/health', '/dashboard/session', '/prometheus/targets', '/nothing']) {
    for (const headers of [[], ['X-Lontar-Client-Address: 192.0.2.1'], ['X-Lontar-Inner-Secret: guessed']]) {
      const reply = await askInside('GET', path, headers);
      expect(reply).toMatchObject({ status: 403, body: { error: 'Forbidden' }, headers: { connection: 'close' } });
    }
  }
  expect((await stack.stats?.logged('refused a request without INNER_SECRET'))?.['reason']).toBe('127.0.0.1');
});

test('nor can it wait out the sign-in, or use up that of others', async () => {
  for (let index = 0; index < 40; index++) {
    const from = [`X-Lontar-Client-Address: 127.0.0.1`];
    const guess = await askInside('POST', '/dashboard/session', from, JSON.stringify({ token: `guess-${index}` }));
    expect(guess.status).toBe(403);
  }
  const token = stack.secrets.dashboardToken;
  expect((await ask(stack.url, '/dashboard/session', { method: 'POST', body: { token } })).status).toBe(204);
});

test('Prometheus is let in by the secret, and sees nothing but what is for it', async () => {
  const authorization = [`Authorization: Bearer ${stack.secrets.innerSecret}`];
  const targets = await askInside('GET', '/prometheus/targets', authorization);
  expect(targets.status).toBe(200);
  expect(targets.text).toContain('"job":"gateway"');
  for (const path of ['/', '/api/usage', '/dashboard/session']) {
    expect((await askInside('GET', path, [...authorization, 'X-Lontar-Client-Address: 127.0.0.1'])).status).toBe(404);
  }
});

test('a gateway with another secret says that the statistics cannot be reached, and its log says why', async () => {
  const url = await stack.startGateway({
    settings: { PORT: '0', INNER_SECRET: randomBytes(32).toString('base64url') },
  });
  for (const path of ['/api/usage', '/api/health', '/dashboard/session']) {
    const reply = await ask(url, path);
    expect(reply).toMatchObject({ status: 503, body: { error: 'Service unavailable' } });
    expect(reply.text).not.toContain('INNER_SECRET');
  }
  const warning = await stack.gateways.at(-1)?.logged('stats-service cannot be reached');
  expect(warning?.['reason']).toMatch(/same INNER_SECRET/);
});

test('without a secret, neither of them starts, and both say how to make one', async () => {
  const starts = [
    () => stack.startGateway({ settings: { PORT: '0', INNER_SECRET: '' } }),
    () => stack.startStats({ STATS_PORT: '0', INNER_SECRET: 'short' }),
  ];
  for (const start of starts)
    await expect(start()).rejects.toThrow(/INNER_SECRET is (empty|not).*openssl rand -base64 32/s);
  expect(stack.logs()).not.toContain(stack.secrets.innerSecret);
});
