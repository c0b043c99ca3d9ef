import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import type { LogPage, LogRow } from '@lontar/shared/dashboard-contract.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { ask } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

const CONNECTIONS = 50;

let stack: Stack;
let cookie: string;

beforeAll(async () => {
  stack = await startStack({ gateways: 2, stats: true, durable: true, settings: { TRUST_PROXY: '127.0.0.1' } });
  const signedIn = await fetch(`${stack.url}/dashboard/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: stack.secrets.dashboardToken }),
  });
  cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
});
afterAll(() => stack.stop());

let before: { lines: number; bytes: number; requests: number };
beforeEach(async () => {
  before = { lines: lines().length, bytes: await fileBytes(), requests: await counted() };
});

const lines = () => stack.logs().split('\n').filter(Boolean);
const fileBytes = async () => Number(/aof_current_size:(\d+)/.exec(await stack.redis.client.info('persistence'))?.[1]);

async function counted(): Promise<number> {
  const { body } = await ask(stack.url, '/api/usage', { headers: { 'x-forwarded-for': '198.51.100.77' } });
  return (body['result'] as { total: { requests: number } }).total.requests;
}

/** Until nothing is left that the statistics have yet to count. */
async function untilCounted(): Promise<void> {
  const { client } = stack.redis;
  await until(
    async () => (await client.xlen(redisKeys.events)) === 0 && (await client.exists(redisKeys.eventTally)) === 0,
  );
}

/** Sends requests over a bounded number of connections; gives the statuses. */
async function flood(count: number, from: (index: number) => string, apikey: string): Promise<number[]> {
  const statuses: number[] = [];
  let sent = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (sent < count) {
        const index = sent++;
        const url = stack.urls[index % 2] ?? '';
        const headers = { 'x-api-key': apikey, 'x-forwarded-for': from(index) };
        statuses.push((await ask(url, '/api/ai', { query: { prompt: 'x' }, headers })).status);
      }
    }),
  );
  return statuses;
}

/** Waits until all are counted, and the rows about them say how many they stand for; gives these. */
async function rowsOf(count: number, isOne: (row: LogRow) => boolean): Promise<LogRow[]> {
  for (;;) {
    const rows: LogRow[] = [];
    let cursor: string | undefined;
    do {
      const response = await fetch(`${stack.url}/dashboard/log${cursor === undefined ? '' : `?before=${cursor}`}`, {
        headers: { cookie },
      });
      const page = (await response.json()) as LogPage;
      rows.push(...page.rows.filter(isOne));
      cursor = page.before;
    } while (cursor !== undefined);
    if (rows.reduce((sum, row) => sum + (row.count ?? 1), 0) === count) return rows;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('600 refused requests write at most 150 log lines, and are counted one by one', async () => {
  const statuses = await flood(600, () => '203.0.113.1', mintApiKey().key);
  // Twenty bad keys ban the address for the rest.
  expect(new Set(statuses)).toEqual(new Set([401, 403]));
  const rows = await rowsOf(600, ({ address }) => address === '203.0.113.1');
  expect((await counted()) - before.requests).toBe(600);
  const seconds = rows.map(({ at, error }) => `${Math.floor(at / 1000)} ${error}`);
  expect(new Set(seconds).size).toBe(seconds.length);
  const written = lines().slice(before.lines);
  process.stdout.write(`600 refused requests: ${written.length} lines, ${rows.length} rows\n`);
  expect(written.length).toBeLessThanOrEqual(150);
});

test('2,000 requests of a banned address cost the append-only file little', async () => {
  await stack.redis.client.set(redisKeys.addressBan('203.0.113.2'), 'operator');
  const begin = performance.now();
  const statuses = await flood(2_000, () => '203.0.113.2', mintApiKey().key);
  const seconds = (performance.now() - begin) / 1000;
  expect(statuses.every((status) => status === 403)).toBe(true);
  const rows = await rowsOf(2_000, ({ address }) => address === '203.0.113.2');
  // One a second; what a busy gateway tells late may be a second row.
  expect(rows.length).toBeLessThanOrEqual(2 * (Math.ceil(seconds) + 1));
  const bytes = (await fileBytes()) - before.bytes;
  process.stdout.write(`2,000 banned requests in ${seconds.toFixed(1)} s: ${bytes} bytes, ${rows.length} rows\n`);
  expect(bytes / seconds).toBeLessThanOrEqual(400_000);
  // Each of two gateways says once a second how many more there were.
  expect(lines().length - before.lines).toBeLessThanOrEqual(50 + 2 * Math.ceil(seconds));
});

test('refused requests of a thousand addresses are sent together, and none is missed', async () => {
  await flood(1_000, (index) => `10.1.${index >> 8}.${index & 255}`, mintApiKey().key);
  const rows = await rowsOf(1_000, ({ address }) => address.startsWith('10.1.') || address === 'other addresses');
  expect((await counted()) - before.requests).toBe(1_000);
  expect(rows.length).toBeLessThan(1_000);
  expect(lines().length - before.lines).toBeLessThan(800);
});

test('with stats-service away and no room left for events, every request is counted when it is back', async () => {
  const { client } = stack.redis;
  const { key } = await stack.createKey();
  const generate = (index: number) => {
    const headers = { 'x-api-key': key, 'x-forwarded-for': `10.2.0.${index}` };
    return ask(stack.urls[index % 2] ?? '', '/api/ai', { query: { prompt: 'x' }, headers });
  };
  await stack.stats?.end('SIGKILL');
  expect((await generate(0)).status).toBe(200);
  // As after an hour of waiting.
  await client.set(redisKeys.eventBytes, 60_000_000);
  for (let index = 1; index < 40; index++) expect((await generate(index)).status).toBe(200);
  await flood(300, () => '203.0.113.1', mintApiKey().key);
  expect(await client.xlen(redisKeys.events)).toBeLessThan(10);
  await stack.startStats();
  await untilCounted();
  expect((await counted()) - before.requests).toBe(340);
  // There is room again.
  const { headers } = await generate(1);
  await rowsOf(1, ({ id }) => id === headers['x-request-id']);
});

test('an event of a killed gateway is never missing for an answer that its caller has', async () => {
  await stack.redis.client.set(redisKeys.addressBan('203.0.113.3'), 'operator');
  let [answered, broken, sent] = [0, 0, 0];
  const key = mintApiKey().key;
  const url = stack.urls[1] ?? '';
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (sent < 1_500 && broken < CONNECTIONS) {
        sent++;
        if (sent === 1_000) void stack.gateways[1]?.end('SIGKILL');
        const headers = { 'x-api-key': key, 'x-forwarded-for': '203.0.113.3' };
        await ask(url, '/api/ai', { query: { prompt: 'x' }, headers }).then(
          () => answered++,
          () => broken++,
        );
      }
    }),
  );
  await untilCounted();
  const drift = (await counted()) - before.requests - answered;
  process.stdout.write(`${answered} answered, ${broken} broken, drift ${drift}\n`);
  expect(drift).toBeGreaterThanOrEqual(0);
  expect(drift).toBeLessThanOrEqual(broken);
});
