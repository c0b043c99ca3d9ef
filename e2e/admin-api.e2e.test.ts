import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AdminOperation } from '@lontar/shared/admin/admin-operation.ts';
import { ADMIN_OPERATIONS, MOST_ADMIN_REQUESTS } from '@lontar/shared/admin/admin-operations.ts';
import { mintAdminToken, readAdminTokenId } from '@lontar/shared/admin/admin-token.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { apiDocument, everything } from './harness/api-document.ts';
import { type Ask, ask, type Reply } from './harness/client.ts';
import { soon, until } from './harness/eventually.ts';
import { ROOT } from './harness/launch.ts';
import { sendBytes } from './harness/raw.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** The admin API through the gateway, by real processes: every answer as the service's own document says. */

const NO_KEY = '0123456789';
const ADDRESS = '198.51.100.7';

interface Target {
  readonly method: string;
  readonly path: string;
}

let stack: Stack;
let operator: string;
let viewer: string;
let targets: Target[];
/** Heads that never end, sent at the start: each waits for the end of the service's patience. */
let slow: Promise<Reply>[];

beforeAll(async () => {
  stack = await startStack({ stats: true, durable: true });
  [operator, viewer] = await Promise.all([makeToken('operator'), makeToken('viewer')]);
  const { paths } = await apiDocument(stack.url);
  targets = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })));
  slow = targets.map(({ method, path }) => {
    const target = path.replace(/\{\w+\}/, NO_KEY);
    return sendBytes(stack.url, `${method} ${target} HTTP/1.1\r\nHost: x\r\nX-Slow: `, { method, target });
  });
  // A failure is one of the test that waits for them.
  for (const reply of slow) reply.catch(() => undefined);
}, 180_000);
afterAll(() => stack?.stop());

async function makeToken(role: string): Promise<string> {
  const { stdout } = await stack.lontar('admin-tokens', 'create', '--name', 'e2e', '--role', role, '--json');
  return (JSON.parse(stdout) as { token: string }).token;
}

/** Asks with the operator's token unless told otherwise; a path with braces means what is not there. */
function admin(request: string, options: Ask = {}): Promise<Reply> {
  const [method = '', path = ''] = request.split(' ');
  const target = path.replace('{id}', NO_KEY).replace('{address}', '203.0.113.250');
  const whole = target.startsWith('/admin/') ? target : `/admin/v1${target}`;
  return ask(stack.url, whole, {
    method,
    ...options,
    headers: { authorization: `Bearer ${operator}`, ...options.headers },
  });
}

const statuses = async (replies: Promise<Reply>[]) => [
  ...new Set((await Promise.all(replies)).map(({ status }) => status)),
];
const resultOf = ({ body }: Reply) => body['result'] as Record<string, unknown>;
const ofAll = (options: Ask) => targets.map(({ method, path }) => admin(`${method} ${path}`, options));
const withBody = () =>
  targets.filter(({ method, path }) => /^(?:POST|PATCH)$/.test(method) && /(?:keys|bans|\{id\}|rotate)$/.test(path));

test('a key lives: made, listed, shown, changed, rotated, used, revoked and deleted', async () => {
  const headers = { 'idempotency-key': 'order-1' };
  const body = {
    name: 'order 1',
    owner: 'anna',
    note: 'paid',
    perHour: 5,
    perDay: 50,
    credits: 500,
    maxOutputTokens: 90,
  };
  const terms = { ...body, models: ['ai-2.5-flash'], addresses: ['127.0.0.0/8'], expiresAt: '2099-01-01T00:00:00Z' };
  const made = await admin('POST /keys', { body: terms, headers });
  expect(made.status).toBe(201);
  const { id, key } = resultOf(made) as { id: string; key: string };
  expect(resultOf(await admin('POST /keys', { body: terms, headers }))['key']).toBe(key);
  expect((await admin('POST /keys', { body: { ...terms, credits: 1 }, headers })).status).toBe(422);

  const generate = (apiKey: string) =>
    ask(stack.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': apiKey } });
  expect((await generate(key)).status).toBe(200);
  expect(resultOf(await admin('GET /keys?search=order'))).toMatchObject({ keys: [{ id, charged: 1 }], cursor: null });
  const use = { today: { requests: expect.any(Number) }, hourUsed: 1, dayUsed: 1 };
  expect(resultOf(await admin('GET /keys?search=order&use=true'))).toMatchObject({ keys: [{ id, use }] });
  expect(resultOf(await admin(`GET /keys/${id}?use=true`))).toMatchObject({ id, use });
  const shown = await admin(`GET /keys/${id}`);
  const changed = await admin(`PATCH /keys/${id}`, {
    body: { credits: 900 },
    headers: { 'if-match': shown.headers['etag'] ?? '' },
  });
  expect(resultOf(changed)).toMatchObject({ credits: 900, version: 2 });
  const old = { headers: { 'if-match': '"1"' } };
  for (const request of [
    `PATCH /keys/${id}`,
    `POST /keys/${id}/rotate`,
    `POST /keys/${id}/revoke`,
    `DELETE /keys/${id}`,
  ]) {
    expect([request, (await admin(request, old)).status]).toEqual([request, 412]);
  }
  expect((await admin(`PATCH /keys/${id}`, { body: {} })).status).toBe(428);
  const rotated = await admin(`POST /keys/${id}/rotate`, { body: { overlapSeconds: 600 } });
  const renewed = String(resultOf(rotated)['key']);
  for (const good of [key, renewed]) expect((await generate(good)).status).toBe(200);
  expect((await admin(`POST /keys/${id}/rotate`)).status).toBe(409);
  expect((await admin('POST /keys', { body: terms, headers })).status).toBe(409);
  expect(resultOf(await admin(`POST /keys/${id}/revoke`))).toMatchObject({ state: 'revoked' });
  expect((await generate(renewed)).status).toBe(403);
  expect((await admin(`PATCH /keys/${id}`, { body: { credits: 1 }, headers: { 'if-match': '*' } })).status).toBe(409);
  expect((await admin(`DELETE /keys/${id}`)).status).toBe(200);
  expect((await generate(renewed)).status).toBe(401);
});

/** What docs/shop.md shows, as one program. */
interface Shop {
  sell(order: { number: number; customer: string; credits: number }): Promise<{ id: string; key: string }>;
  topUp(id: string, more: number): Promise<number>;
  nightly(day: string): Promise<string>;
  refund(id: string): Promise<string>;
}

test('the shop of the docs sells a key, tops it up, reads what was used, and takes it back', async () => {
  const { shop, close } = await openShop();
  const order = { number: 1_042, customer: '=cmd|anna', credits: 5 };
  const [sold, again] = await Promise.all([shop.sell(order), shop.sell(order)]);
  expect(again).toEqual(sold);
  const { id, key } = sold;
  const generate = () => ask(stack.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } });
  expect((await generate()).status).toBe(200);
  await Promise.all([shop.topUp(id, 10), shop.topUp(id, 100)]);
  expect(resultOf(await admin(`GET /keys/${id}`))).toMatchObject({ credits: 115, charged: 1, owner: order.customer });

  const day = new Date().toISOString().slice(0, 10);
  let csv = '';
  await until(async () => {
    csv = await shop.nightly(day);
    return csv.includes(id);
  });
  const [head = '', ...lines] = csv.trimEnd().split('\r\n');
  const line = lines.find((text) => text.includes(id)) ?? '';
  expect(head).toMatch(/^date,key,name,owner,model,requests,successes,/);
  expect(line).toMatch(new RegExp(`^${day},${id},order 1042,"'=cmd\\|anna",ai-2\\.5-flash,1,1,`));
  const usage = resultOf(await admin(`GET /usage?key=${id}`)) as { rows: { requests: number; owner: string }[] };
  expect(usage).toMatchObject({ rows: [{ requests: 1, successes: 1, owner: order.customer }], cursor: null });

  expect(await shop.refund(id)).toBe('revoked');
  expect((await generate()).status).toBe(403);
  await close();
});

/** Runs the program as it stands in the docs. */
async function openShop(): Promise<{ shop: Shop; close(): Promise<void> }> {
  const text = readFileSync(join(ROOT, 'docs', 'shop.md'), 'utf8');
  const code = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block = '']) => block).join('\n');
  const folder = await mkdtemp(join(tmpdir(), 'lontar-shop-'));
  const file = join(folder, 'shop.mjs');
  const { stdout } = await stack.lontar('admin-tokens', 'create', '--name', 'shop', '--role', 'support', '--json');
  const { token } = JSON.parse(stdout) as { token: string };
  // The program reads the environment of its own process; here it is given what it would find there.
  const given = `const process = { env: ${JSON.stringify({ LONTAR_URL: stack.url, LONTAR_ADMIN_TOKEN: token })} };\n`;
  await writeFile(file, given + code);
  const shop = (await import(pathToFileURL(file).href)) as Shop;
  return { shop, close: () => rm(folder, { recursive: true }) };
}

test('usage is told by key, of all keys page by page, and wrong questions are said', async () => {
  for (const query of ['', '?key=all', '?key=none', '?owner=nobody', '?from=2026-01-01&to=2026-01-31']) {
    for (const path of ['usage', 'usage.csv'])
      expect([query, (await admin(`GET /${path}${query}`)).status]).toEqual([query, 200]);
  }
  // The tests before have just sent requests, which are counted between one question and the next.
  await soon(async () => {
    const requests: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = resultOf(await admin(`GET /usage${cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`}`));
      requests.push(...(page['rows'] as { requests: number }[]).map((row) => row.requests));
      cursor = page['cursor'] as string | null;
    }
    const { rows } = resultOf(await admin('GET /usage?key=all')) as { rows: { requests: number }[] };
    const sum = (counts: readonly unknown[]) => counts.reduce((total: number, count) => total + Number(count), 0);
    expect(sum(requests)).toBe(sum(rows.map((row) => row.requests)));
    expect(sum(requests)).toBeGreaterThan(0);
  });
  for (const query of [
    'from=yesterday',
    'from=2026-02-31',
    'from=2026-02-02&to=2026-02-01',
    'key=x',
    'cursor=x',
    'cursor=deleted.x',
  ]) {
    expect([query, (await admin(`GET /usage?${query}`)).status]).toEqual([query, 400]);
  }
});

test('everything else answers as documented', async () => {
  for (const request of ['GET /counters', 'GET /models', 'GET /queue', 'POST /queue/pause', 'POST /queue/resume']) {
    expect([request, (await admin(request)).status]).toEqual([request, 200]);
  }
  expect((await admin('POST /bans', { body: { address: ADDRESS, seconds: 60 } })).status).toBe(201);
  expect(resultOf(await admin('GET /bans'))).toMatchObject({ bans: [{ address: ADDRESS, reason: 'operator' }] });
  expect((await admin(`DELETE /bans/${ADDRESS}`)).status).toBe(200);
  const signedIn = await fetch(new URL('/dashboard/session', stack.url), {
    method: 'POST',
    body: JSON.stringify({ token: stack.secrets.dashboardToken }),
  });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const own = await ask(stack.url, '/admin/v1/sessions', { headers: { cookie } });
  const [{ id }] = resultOf(own)['sessions'] as [{ id: string }];
  expect((await admin(`DELETE /sessions/${id}`)).status).toBe(200);
  const { entries } = resultOf(await admin('GET /audit')) as { entries: { action: string }[] };
  expect(entries.map(({ action }) => action).slice(0, 3)).toEqual(['session.end', 'address.unblock', 'address.block']);
});

test('a viewer changes nothing by any route of the document, and each try is noted', async () => {
  const changing = targets.filter(({ method }) => method !== 'GET');
  expect(changing.length).toBeGreaterThan(8);
  const before = await redisState();
  const headers = { authorization: `Bearer ${viewer}`, 'if-match': '*' };
  const told = await Promise.all(
    changing.map(async ({ method, path }) => {
      const body = method === 'DELETE' ? {} : { body: {} };
      const { status, body: refusal } = await admin(`${method} ${path}`, { headers, ...body });
      return [method, path, status, refusal['reason']];
    }),
  );
  expect(told).toEqual(changing.map(({ method, path }) => [method, path, 403, 'forbidden']));
  expect(await redisState()).toBe(before);
  const { entries } = resultOf(await admin(`GET /audit?by=${readAdminTokenId(viewer)}&limit=200`)) as {
    entries: { action: string; outcome: string }[];
  };
  const noted = new Set(entries.filter(({ outcome }) => outcome === 'refused').map(({ action }) => action));
  // A route that the table of operations does not know would have no action, and fail here.
  const actions = changing.map(({ method, path }) => [method, path, noted.has(actionOf(method, path))]);
  expect(actions.filter(([, , isNoted]) => isNoted !== true)).toEqual([]);
});

function actionOf(method: string, path: string): string {
  const wanted = path.replaceAll(/\{(\w+)\}/g, ':$1');
  const found = Object.values<AdminOperation>(ADMIN_OPERATIONS).find(
    (operation) => operation.method === method && operation.path === wanted,
  );
  return found?.action ?? `none for ${method} ${path}`;
}

/** What requests to the admin API could change. */
async function redisState(): Promise<string> {
  const { client } = stack.redis;
  const wanted = /:(?:keys?|bans?|sessions|admin-tokens|generation:meta)(?::|$)/;
  const names = (await client.keys('*')).filter((name) => wanted.test(name)).sort();
  return JSON.stringify(await Promise.all(names.map(async (name) => [name, (await client.dump(name)) ?? ''])));
}

test('two operators and the command change one key at once: what was answered as done is there, the rest is told', async () => {
  const made = await admin('POST /keys', { body: { name: 'contended' } });
  const { id } = resultOf(made) as { id: string };
  for (let round = 1; round <= 2; round += 1) {
    const { headers } = await admin(`GET /keys/${id}`);
    const change = (body: Record<string, unknown>) =>
      admin(`PATCH /keys/${id}`, { body, headers: { 'if-match': headers['etag'] ?? '' } });
    const [credits, note] = await Promise.all([
      change({ credits: round }),
      change({ note: `round ${round}` }),
      stack.lontar('keys', 'update', id, '--owner', `command ${round}`),
    ]);
    const shown = resultOf(await admin(`GET /keys/${id}`));
    expect(shown['owner']).toBe(`command ${round}`);
    expect([200, 412]).toContain(credits.status);
    expect([200, 412]).toContain(note.status);
    expect(credits.status + note.status).toBeGreaterThan(400);
    expect([shown['credits'] === round, shown['note'] === `round ${round}`]).toEqual([
      credits.status === 200,
      note.status === 200,
    ]);
    for (const { status, body } of [credits, note])
      if (status === 412) expect(body).toMatchObject({ reason: 'changed' });
  }
  const { entries } = resultOf(await admin(`GET /audit?target=${id}`)) as { entries: { actor: { by: string } }[] };
  expect(entries.filter(({ actor }) => actor.by === 'cli')).toHaveLength(2);
});

test('refusals are as documented, of every operation', async () => {
  // No guess at a token, of which twenty would ban the address.
  expect(await statuses(ofAll({ headers: { authorization: 'Basic nonsense' } }))).toEqual([401]);
  expect(await statuses(ofAll({ headers: { 'sec-fetch-site': 'cross-site' } }))).toEqual([403]);
  const ban = redisKeys.adminBan('127.0.0.1');
  await stack.redis.client.set(ban, '1', 'PX', 60_000);
  const guess = { headers: { authorization: `Bearer ${mintAdminToken().token}` } };
  expect(await statuses(ofAll(guess))).toEqual([403]);
  await stack.redis.client.del(ban);
  expect(await statuses(ofAll({ query: { nonsense: '1' } }))).toEqual([400]);
  expect((await admin('GET /keys?cursor=nonsense')).status).toBe(400);
  const missing = targets.filter(({ path }) => /\{\w+\}/.test(path));
  const headers = { 'if-match': '*' };
  expect(await statuses(missing.map(({ method, path }) => admin(`${method} ${path}`, { headers })))).toEqual([404]);
  const bad = { body: { name: '', address: 'nowhere', overlapSeconds: -1 }, headers };
  expect(
    await statuses(
      withBody()
        .filter(({ path }) => !path.endsWith('revoke'))
        .map(({ method, path }) => admin(`${method} ${path}`, bad)),
    ),
  ).toEqual([400]);
  const long = { body: 'x'.repeat(20_000) };
  expect(
    await statuses(
      withBody()
        .filter(({ path }) => !path.endsWith('revoke'))
        .map(({ method, path }) => admin(`${method} ${path}`, long)),
    ),
  ).toEqual([413]);
  const minute = redisKeys.adminRequests('127.0.0.1');
  await stack.redis.client.set(minute, MOST_ADMIN_REQUESTS.address, 'PX', 60_000);
  expect(await statuses(ofAll({}))).toEqual([429]);
  await stack.redis.client.del(minute);
});

test('so are those of the HTTP parser', async () => {
  const sent = targets.flatMap(({ method, path }) => {
    const target = path.replace(/\{\w+\}/, NO_KEY);
    const raw = (line: string, head: string) =>
      sendBytes(stack.url, `${line} HTTP/1.1\r\nHost: x\r\n${head}`, { method, target });
    return [
      raw(`${method} ${target}`, 'Broken header line\r\n\r\n').then(({ status }) => [status, 400]),
      raw(`${method} ${target}`, `X-Long: ${'x'.repeat(40_000)}\r\n\r\n`).then(({ status }) => [status, 431]),
      raw(`${method} ${target}?${'x'.repeat(40_000)}`, '\r\n').then(({ status }) => [status, 414]),
    ];
  });
  for (const [status, expected] of await Promise.all(sent)) expect(status).toBe(expected);
  expect(await statuses(slow)).toEqual([408]);
});

test('without Redis it says so', async () => {
  await stack.redis.kill();
  expect(await statuses(ofAll({}))).toEqual([503]);
  await stack.redis.start();
});

test('nothing in the document is left that no test has seen', async () => {
  const document = await apiDocument(stack.url);
  // Of a worker that is in trouble, prices that only a file gives, records that make no sense, and keys that many change at
  // once: held by other tests.
  const rare =
    /models 200 result\.(?:workers\[\]\.failing|models\[\]\.price)|unreadable|^delete \/admin\/v1\/keys\/\{id\} 409/;
  const unseen = everything(document).filter((name) => {
    return name.includes(' /admin/') && !document.seen.has(name) && !rare.test(name);
  });
  expect(unseen).toEqual([]);
});
