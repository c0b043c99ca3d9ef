import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask } from './harness/client.ts';
import { eventually } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** By these the answers are counted, which is no part of finding out how the service is. */
const COUNTING = /^(x\w+|hincrby|pexpire|get|zremrangebyscore|evalsha|exists)$/;
const REQUESTS = 1_000;
const AT_ONCE = 50;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ stats: true, protocol: 'demo' });
  await eventually(async () => (await ask(stack.url, '/api/health')).status === 200);
});
afterAll(() => stack.stop());

async function commands(): Promise<Record<string, number>> {
  const text = await stack.redis.client.info('commandstats');
  return Object.fromEntries(
    [...text.matchAll(/^cmdstat_([\w|-]+):calls=(\d+)/gm)].map(([, name = '', calls]) => [name, Number(calls)]),
  );
}

/** How often each command was called meanwhile; Redis counts those that scripts make, too. */
async function callsDuring(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await commands();
  await work();
  const after = await commands();
  return Object.fromEntries(Object.entries(after).map(([name, calls]) => [name, calls - (before[name] ?? 0)]));
}

test(`${REQUESTS} callers who ask for health cost Redis no more than one a second`, async () => {
  const begun = performance.now();
  const ids = new Set<string>();
  const limits = new Set<string>();
  const calls = await callsDuring(async () => {
    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
      const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(stack.url, '/api/health')));
      for (const { status, headers } of replies) {
        expect(status).toBe(200);
        // Where Redis takes longer than health waits for it, an answer goes without.
        limits.add(headers['x-ratelimit-limit'] ?? 'none');
        ids.add(headers['x-request-id'] ?? '');
      }
    }
  });
  const seconds = (performance.now() - begun) / 1_000;
  expect(ids.size).toBe(REQUESTS);
  expect(limits).toContain('1000000');
  const total = Object.entries(calls).reduce((sum, [name, count]) => (COUNTING.test(name) ? sum : sum + count), 0);
  // A look makes 25 of them; what the processes do by themselves makes fewer than 100 a second.
  expect(total).toBeLessThan(125 * (seconds + 2));
});

test('the answer is at most a second old', async () => {
  const first = await ask(stack.url, '/api/health');
  await stack.lontar('queue', 'pause');
  await eventually(async () => (await ask(stack.url, '/api/health')).body['status'] === 'degraded');
  await stack.lontar('queue', 'resume');
  await eventually(async () => (await ask(stack.url, '/api/health')).body['status'] === 'ok');
  const last = await ask(stack.url, '/api/health');
  expect(Date.parse(String(last.body['timestamp']))).toBeGreaterThan(Date.parse(String(first.body['timestamp'])));
});

test('a failure is shared as well, and is over when its cause is', async () => {
  await stack.stats?.end('SIGKILL');
  await eventually(async () => (await ask(stack.url, '/api/health')).status === 503);
  const replies = await Promise.all(Array.from({ length: 100 }, () => ask(stack.url, '/api/health')));
  for (const { status, headers } of replies) expect([status, headers['retry-after']]).toEqual([503, '5']);
  expect(new Set(replies.map(({ headers }) => headers['x-request-id'])).size).toBe(100);
  await stack.startStats();
  await eventually(async () => (await ask(stack.url, '/api/health')).status === 200);
});
