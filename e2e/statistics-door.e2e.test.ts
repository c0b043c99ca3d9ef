import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { ask, expectSuccess, type Reply } from './harness/client.ts';
import { eventually } from './harness/eventually.ts';
import { exchange, readReply } from './harness/raw.ts';
import { type Stack, startStack } from './harness/stack.ts';

const OPEN = ['/api/health', '/api/usage', '/api/stats', '/api/check-limit'];

let stack: Stack;
let key: string;

beforeAll(async () => {
  stack = await startStack({ stats: true, protocol: 'demo' });
  ({ key } = await stack.createKey());
});
afterAll(() => stack.stop());

const get = (target: string) => exchange(stack.url, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

test('nothing of the inner listener shows, however the path is spelled', async () => {
  const ups = ['..', '%2e%2e', '.%2E', '..\\..', '%5c..', '..;', '/..', '%252e%252e'];
  const inner = ['prometheus/aggregate', 'prometheus/targets', 'api/usage'];
  const pages = ['/dashboard/', '/assets/', '/dashboard/log/', 'http://x/dashboard/', '/'];
  for (const target of pages.flatMap((page) => ups.flatMap((up) => inner.map((path) => `${page}${up}/${path}`)))) {
    expect([target, readReply(await get(target)).status]).toEqual([target, 404]);
  }
  expect(readReply(await get('/dashboard/session')).status).toBe(200);
});

test('check-limit names the limit that binds, as an upload would', async () => {
  const trio = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit-policy'];
  const limitsOf = ({ headers }: Reply) => trio.map((name) => headers[name]);
  expect((await ask(stack.url, '/api/check-limit')).headers).toMatchObject({ 'x-ratelimit-limit': '1000000' });

  const today = new Date().toISOString().slice(0, 10);
  await stack.redis.client.set(redisKeys.uploads(today, '127.0.0.1'), '20');
  const spent = await ask(stack.url, '/api/check-limit');
  const upload = await ask(stack.url, '/api/code', {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: { code: 'x' },
  });
  expect([spent.status, upload.status]).toEqual([429, 429]);
  const midnight = Date.parse(`${today}T00:00:00Z`) / 1000 + 86_400;
  expect(limitsOf(spent)).toEqual(['20', '0', String(midnight), expect.stringContaining('"uploads-day";q=20;w=86400')]);
  expect(limitsOf(spent)).toEqual(limitsOf(upload));
  expect(spent.headers['ratelimit']).toMatch(new RegExp(`"uploads-day";r=0;t=${spent.headers['retry-after']}$`));
  expect(Object.keys(spent.headers).filter((name) => name.startsWith('x-lontar'))).toEqual([]);
  await stack.redis.client.del(redisKeys.uploads(today, '127.0.0.1'));
});

test('while stats-service hangs, its answers are 503, generation goes on, and all is well when it wakes up', async () => {
  await eventually(async () => (await ask(stack.url, '/api/health')).status === 200);
  stack.stats?.process.kill('SIGSTOP');
  // The last answer of health is good for a second.
  await eventually(async () => (await ask(stack.url, '/api/health')).status === 503);
  const replies = await Promise.all(OPEN.concat('/', '/dashboard/session').map((path) => ask(stack.url, path)));
  for (const reply of replies) {
    expect(reply).toMatchObject({
      status: 503,
      body: { error: 'Service unavailable' },
      headers: { 'retry-after': '5' },
    });
  }
  expectSuccess(await ask(stack.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } }));
  stack.stats?.process.kill('SIGCONT');
  for (const path of OPEN) await eventually(async () => (await ask(stack.url, path)).status === 200);
});
