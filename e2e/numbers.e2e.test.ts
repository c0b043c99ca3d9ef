import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { CHAT_ENDPOINT, GENERATION_ENDPOINTS } from '@lontar/shared/endpoints.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { sumUsage, type UsageRow } from '@lontar/shared/usage/read-usage.ts';
import { type Ask, ask } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** Ten thousand are what a release is judged by. */
const REQUESTS = Number(process.env['NUMBERS_REQUESTS'] ?? '1500');
const SEED = Number(process.env['SEED'] ?? '5');
const CALLERS = 30;
const FLOOD = 100;
const LEAKY = 'The server is 203.0.113.99, keep it.';

let stack: Stack;
const keys: string[] = [];
let turn = 0;
let spent: string;

beforeAll(async () => {
  stack = await startStack({
    gateways: 2,
    workers: 2,
    stats: true,
    durable: true,
    settings: { TRUST_PROXY: '127.0.0.1', BAN_AFTER_BAD_KEYS: '0', LOG_REQUESTS: 'false', REQUEST_TIMEOUT_MS: '60000' },
  });
  for (let index = 0; index < 3; index++) keys.push((await stack.createKey()).key);
  spent = (await stack.createKey('--credits', '1')).key;
  stack.upstream.behave((call) => {
    if (call.prompt.includes('fail')) return { kind: 'status', status: 400 };
    return { kind: 'answer', text: call.prompt.includes('leak') ? LEAKY : 'Nothing secret.' };
  });
  await call(() => 0.25);
});
afterAll(() => stack.stop());

/** What the callers saw; the statistics must say the same. */
const seen = {
  statuses: {} as Record<string, number>,
  endpoints: Object.fromEntries(GENERATION_ENDPOINTS.map((endpoint) => [endpoint, 0])) as Record<string, number>,
  masked: 0,
  addresses: new Set<string>(),
  /** Connections that broke because their gateway was killed: whether those were answered is unknown. */
  broken: 0,
};

test('usage, statistics and log say exactly what the callers saw, through kills of every process', async () => {
  const random = seededRandom(SEED);
  let sent = 0;
  const faults = [
    { at: 0.2, cause: () => restartStats() },
    { at: 0.4, cause: () => killWorker() },
    { at: 0.55, cause: () => killGateway() },
    { at: 0.75, cause: () => restartRedis() },
    { at: 0.9, cause: () => restartStats() },
  ];
  const caused: Promise<void>[] = [];
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (sent < REQUESTS) {
        sent++;
        if (sent / REQUESTS > (faults[0]?.at ?? 2)) caused.push(faults.shift()?.cause() ?? Promise.resolve());
        await call(random);
      }
    }),
  );
  await Promise.all(caused);
  for (let index = 0; index < 3; index++) await flood();
  await until(async () => (await stack.redis.client.xlen(redisKeys.events)) === 0);

  const { body } = await ask(stack.url, '/api/usage');
  const usage = body['result'] as {
    total: Record<string, number>;
    statuses: object;
    endpoints: Record<string, number>;
  };
  const count = (from: number, to: number) =>
    Object.entries(seen.statuses).reduce((sum, [status, n]) => (+status >= from && +status < to ? sum + n : sum), 0);
  const drift = (usage.total['requests'] ?? 0) - count(0, 600);
  expect(drift).toBeGreaterThanOrEqual(0);
  expect(drift).toBeLessThanOrEqual(seen.broken);
  expect(Object.keys(usage.statuses).sort()).toEqual(Object.keys(seen.statuses).sort());
  if (drift === 0) {
    expect(usage.statuses).toEqual(seen.statuses);
    expect(usage.endpoints).toEqual(seen.endpoints);
    expect(usage.total).toMatchObject({
      requests: count(0, 600),
      successes: count(200, 300),
      client_errors: count(400, 500),
      server_errors: count(500, 600),
      masked: seen.masked,
      unique_ips: seen.addresses.size,
    });
  }
  await expectSameUsage(usage.total);
  process.stdout.write(`seen ${JSON.stringify({ ...seen, addresses: seen.addresses.size })}, drift ${drift}\n`);
}, 600_000);

/** The usage of all keys is what the service has counted, and what each key is told of itself. */
async function expectSameUsage(total: Record<string, number>): Promise<void> {
  const rows = JSON.parse((await stack.lontar('usage', '--json')).stdout) as UsageRow[];
  const csv = (await stack.lontar('usage', '--csv')).stdout.trim().split('\r\n').slice(1);
  const sum = (some: readonly UsageRow[]) => {
    const { requests, successes, masked } = sumUsage(some);
    return { requests, successes, masked };
  };
  const { requests = 0, successes = 0, masked = 0 } = total;
  expect(sum(rows)).toEqual({ requests, successes, masked });
  expect(csv.reduce((all, line) => all + Number(line.split(',')[5]), 0)).toBe(requests);
  const key = keys[0] ?? '';
  const { body } = await ask(stack.url, '/api/key', {
    headers: { 'x-api-key': key, 'x-forwarded-for': '203.0.113.77' },
  });
  const { id, usage } = body['result'] as { id: string; usage: { last_30_days: Record<string, number> } };
  const own = rows.filter(({ key: of }) => of === id);
  expect(own.length).toBeGreaterThan(0);
  expect(usage.last_30_days).toMatchObject(sum(own));
}

/** Refused requests of one address, so many at once that they are sent as numbers. */
async function flood(): Promise<void> {
  const { key } = mintApiKey();
  const headers = { 'x-api-key': key, 'x-forwarded-for': '203.0.113.200' };
  await Promise.all(Array.from({ length: FLOOD }, () => send('/api/ai2', { query: { prompt: 'fine' }, headers })));
}

async function call(random: () => number): Promise<void> {
  const endpoint = GENERATION_ENDPOINTS[Math.floor(random() * GENERATION_ENDPOINTS.length)] ?? '/api/ai';
  const address = `203.0.113.${1 + Math.floor(random() * 40)}`;
  const key = keys[Math.floor(random() * keys.length)] ?? '';
  const kind = random();
  const query: Record<string, string> = { prompt: 'fine' };
  let apikey = key;
  if (kind < 0.1) query['temperature'] = '9';
  else if (kind < 0.2) apikey = mintApiKey().key;
  else if (kind < 0.3) apikey = spent;
  else if (kind < 0.4) query['prompt'] = 'fail';
  else if (kind < 0.6) query['prompt'] = 'leak';
  const headers = { 'x-api-key': apikey, 'x-forwarded-for': address };
  if (endpoint !== CHAT_ENDPOINT) return send(endpoint, { query, headers });
  const { prompt, ...fields } = query;
  const body = { model: 'ai-2.5-flash', messages: [{ role: 'user', content: prompt }], ...fields };
  return send(endpoint, { method: 'POST', headers, body });
}

async function send(endpoint: string, options: Ask & { readonly headers: Record<string, string> }): Promise<void> {
  const alive = stack.urls.filter((_url, index) => {
    const child = stack.gateways[index]?.process;
    return child?.exitCode === null && child.signalCode === null;
  });
  const url = alive[turn++ % alive.length] ?? '';
  const reply = await ask(url, endpoint, options).catch(() => undefined);
  if (reply === undefined) {
    seen.broken++;
    return;
  }
  seen.statuses[reply.status] = (seen.statuses[reply.status] ?? 0) + 1;
  seen.endpoints[endpoint] = (seen.endpoints[endpoint] ?? 0) + 1;
  seen.addresses.add(options.headers['x-forwarded-for'] ?? '');
  if (Number(reply.headers['x-masked'] ?? 0) > 0) seen.masked++;
}

async function restartStats(): Promise<void> {
  await stack.stats?.end('SIGKILL');
  await stack.startStats();
}

async function killWorker(): Promise<void> {
  await stack.workers[0]?.end('SIGKILL');
  await stack.startWorker();
}

async function killGateway(): Promise<void> {
  await stack.gateways[1]?.end('SIGKILL');
  await stack.startGateway();
}

async function restartRedis(): Promise<void> {
  await stack.redis.kill();
  await stack.redis.start();
}
