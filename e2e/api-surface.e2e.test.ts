import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { fillWindows } from '@lontar/shared/testing/windows.ts';
import { apiDocument, everything } from './harness/api-document.ts';
import { type Ask, ask, type Reply } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { sendBytes } from './harness/raw.ts';
import { type Stack, startStack } from './harness/stack.ts';

const MAX_FILE_BYTES = 10_485_760;
const MODEL = 'ai-2.5-flash';
const WAITING = '{lontar}:generation:wait';
/** An id of the right form that no upload has. */
const NO_FILE = `file_${'0'.repeat(22)}`;

interface Target {
  readonly method: string;
  readonly path: string;
  readonly kind: 'generation' | 'chat' | 'earlier' | 'model' | 'upload' | 'code' | 'file' | 'open' | 'page';
}

const ALL_OF_USAGE = { input: 9, output: 4, cachedInput: 8, reasoning: 2 } as const;

let stack: Stack;
let key: string;
let targets: Target[];
/** Heads and bodies that never come, sent at the start: each waits for the end of the service's patience. */
let slow: { heads: Promise<Reply>[]; bodies: Promise<Reply>[] };

beforeAll(async () => {
  stack = await startStack({
    stats: true,
    settings: {
      REQUEST_TIMEOUT_MS: '8000',
      BAN_AFTER_BAD_KEYS: '0',
      UPLOADS_PER_DAY: '1000',
      MAX_BODY_BYTES: '1000000',
    },
  });
  stack.upstream.behave({ kind: 'answer', text: 'fine', usage: ALL_OF_USAGE });
  ({ key } = await stack.createKey());
  const { paths } = await apiDocument(stack.url);
  // The admin API has a test of its own, admin-api.e2e.test.ts.
  const open = Object.entries(paths).filter(([path]) => !path.startsWith('/admin/'));
  targets = open.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path, kind: kindOf(path) })),
  );
  slow = {
    heads: targets.map((target) => raw(target, 'X-Slow: ')),
    bodies: of('chat').map((target) =>
      raw(target, `Content-Type: application/json\r\nContent-Length: 9\r\nX-API-Key: ${key}\r\n\r\n`),
    ),
  };
  // A failure is one of the test that waits for them.
  for (const reply of [...slow.heads, ...slow.bodies]) reply.catch(() => undefined);
});
afterAll(() => stack.stop());

function kindOf(path: string): Target['kind'] {
  if (path.startsWith('/api/ai')) return 'generation';
  if (path === '/v1/chat/completions') return 'chat';
  // Answers of earlier requests, in both forms.
  if (/^\/(?:api\/requests|v1\/chat\/completions)\/\{id\}$/.test(path)) return 'earlier';
  if (path.startsWith('/v1/models')) return 'model';
  if (path === '/api/upload') return 'upload';
  if (path === '/api/code') return 'code';
  if (path.startsWith('/files/')) return 'file';
  return path.startsWith('/api/') ? 'open' : 'page';
}

/** Ids of the requests that were answered last, by the form of their answers. */
const latest = { generation: '', chat: '' };

function idFor({ kind, path }: Target): string {
  if (kind === 'model') return MODEL;
  if (kind !== 'earlier') return NO_FILE;
  return path.startsWith('/v1/') ? latest.chat.replace('req_', 'chatcmpl-') : latest.generation;
}

/** A good request to a target, but for what the options change. */
async function send(target: Target, options: Ask & { id?: string } = {}): Promise<Reply> {
  const { method, path, kind } = target;
  const { id = idFor(target), ...more } = options;
  const body = options.body ?? bodyOf(kind, method);
  const good = {
    method,
    headers: { 'x-api-key': key },
    ...(kind === 'generation' && method === 'GET' && { query: { prompt: 'hi' } }),
    ...(body !== undefined && { body }),
  };
  const reply = await ask(stack.url, path.replace('{id}', id), { ...good, ...more });
  if (kind === 'generation' || kind === 'chat') latest[kind] = reply.headers['x-request-id'] ?? '';
  return reply;
}

function bodyOf(kind: Target['kind'], method: string, size = 3): FormData | Record<string, unknown> | undefined {
  if (kind === 'generation' && method === 'POST') return { prompt: 'x'.repeat(size) };
  if (kind === 'chat') return { model: MODEL, messages: [{ role: 'user', content: 'x'.repeat(size) }] };
  if (kind === 'code') return { code: 'x'.repeat(size) };
  if (kind !== 'upload') return undefined;
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(size)]), 'a.bin');
  return form;
}

const of = (...kinds: Target['kind'][]) => targets.filter(({ kind }) => kinds.includes(kind));
const statuses = async (replies: Promise<Reply>[]) => [
  ...new Set((await Promise.all(replies)).map(({ status }) => status)),
];
const raw = (target: Target, head: string) =>
  sendBytes(stack.url, `${target.method} ${target.path.replace('{id}', NO_FILE)} HTTP/1.1\r\nHost: x\r\n${head}`, {
    method: target.method,
    target: target.path.replace('{id}', NO_FILE),
  });

test('successes', async () => {
  expect(await statuses(of('generation', 'chat', 'model', 'open', 'page').map((target) => send(target)))).toEqual([
    200,
  ]);
  expect(await statuses(of('earlier').map((target) => send(target)))).toEqual([200]);
  expect(await statuses(of('upload', 'code').map((target) => send(target)))).toEqual([201]);
  const uploaded = await send(of('code')[0]!);
  const { id } = uploaded.body['result'] as { id: string };
  for (const target of of('file')) expect((await send(target, { id })).status).toBe(200);
});

test.each([
  ['refused by the model', 'blocked', 422, 400],
  ['failed by the model', { kind: 'status', status: 404 }, 502, 502],
  ['never answered by the model', 'hang', 504, 504],
] as const)('generations %s', async (_what, behaviour, status, chatStatus) => {
  stack.upstream.behave(behaviour);
  const [generations, chats] = await Promise.all(
    [of('generation'), of('chat')].map((asked) => statuses(asked.map((target) => send(target)))),
  );
  expect(generations).toEqual([status]);
  expect(chats).toEqual([chatStatus]);
  const earlier = await statuses(of('earlier').map((target) => send(target)));
  expect(new Set(earlier)).toEqual(new Set([status, chatStatus]));
  stack.upstream.behave({ kind: 'answer', text: 'fine', usage: ALL_OF_USAGE });
});

/** Asks while the queue is paused, and settles all that was asked. */
async function settled(settlement: Settlement, ...kinds: Target['kind'][]): Promise<number[]> {
  await stack.lontar('queue', 'pause');
  expect((await send(of('open').find(({ path }) => path === '/api/health')!)).body).toMatchObject({
    status: 'degraded',
    queue: { paused: true },
  });
  const replies = of(...kinds).map((target) => send(target));
  const { client } = stack.redis;
  const waiting = () => client.lrange(WAITING, 0, -1);
  await until(async () => (await waiting()).length === replies.length);
  for (const requestId of await waiting()) {
    const data = JSON.parse((await client.hget(WAITING.replace('wait', requestId), 'data')) ?? '{}');
    await settle(client, { requestId, keyId: data.keyId, settlement, replyTo: data.gateway });
  }
  const answered = await statuses(replies);
  await stack.lontar('queue', 'resume');
  return answered;
}

test('generations whose answer could not be masked', async () => {
  const failed = { v: 1, outcome: 'failed', error: 'masking_failed' } as const;
  expect(await settled(failed, 'generation', 'chat')).toEqual([500]);
  expect(await statuses(of('earlier').map((target) => send(target)))).toEqual([500]);
});

test('a completion with all that it may hold', async () => {
  const answered: Settlement = {
    v: 1,
    outcome: 'answered',
    text: 'fine',
    reasoning: 'hm',
    toolCalls: [{ id: 'call_1', name: 'look', arguments: '{}' }],
    masked: { url: 0, key: 0, ip: 0, connection: 0 },
    usage: { ...ALL_OF_USAGE, isEstimated: true },
    work: { attempts: 1, queuedMs: 0, modelMs: 0, maskMs: 0 },
  };
  expect(await settled(answered, 'chat')).toEqual([200]);
  const again = of('earlier').filter(({ path }) => path.startsWith('/v1/'));
  expect(await statuses(again.map((target) => send(target)))).toEqual([200]);
  const { toolCalls: _, reasoning: __, ...plain } = answered;
  expect(await settled({ ...plain, finishReason: 'length' }, 'generation')).toEqual([200]);
  const earlier = of('earlier').filter(({ path }) => path.startsWith('/api/'));
  const [cut] = await Promise.all(earlier.map((target) => send(target)));
  expect(cut?.headers).toMatchObject({ 'x-finish-reason': 'length', 'x-model': MODEL });
});

test('requests without what is required, or given twice', async () => {
  const bare = { headers: {}, query: {} };
  expect(await statuses(of('generation', 'upload', 'code').map((target) => send(target, bare)))).toEqual([400]);
  expect(await statuses(of('chat', 'model').map((target) => send(target, bare)))).toEqual([401]);
  expect((await statuses(of('earlier').map((target) => send(target, bare)))).toSorted((a, b) => a - b)).toEqual([
    400, 401,
  ]);
  const twice = { headers: {}, query: { apikey: ['a', 'b'] } };
  expect(await statuses(of('file', 'chat', 'earlier', 'model').map((target) => send(target, twice)))).toEqual([400]);
});

test('keys that are unknown, and keys that are not active', async () => {
  const bad = { headers: { 'x-api-key': 'nonsense' } };
  const keyed = of('generation', 'chat', 'earlier', 'model', 'upload', 'code', 'file');
  expect(await statuses(keyed.map((target) => send(target, bad)))).toEqual([401]);
  const revoked = await stack.createKey();
  await stack.lontar('keys', 'revoke', revoked.id);
  const ended = { headers: { 'x-api-key': revoked.key } };
  const refused = of('generation', 'chat', 'earlier', 'model', 'upload', 'code');
  expect(await statuses(refused.map((target) => send(target, ended)))).toEqual([403]);
  // Its files are gone with it, and those of others are not there for it; it may remove none.
  const [removals, reads] = [true, false].map((removes) =>
    of('file').filter(({ method }) => (method === 'DELETE') === removes),
  );
  expect(await statuses((removals ?? []).map((target) => send(target, ended)))).toEqual([403]);
  expect(await statuses((reads ?? []).map((target) => send(target, ended)))).toEqual([404]);
});

test('a key with limits of its own, and one that is none, by the key itself', async () => {
  const own = of('open').find(({ path }) => path === '/api/key')!;
  const { id, key: limited } = await stack.createKey('--per-hour', '9', '--per-day', '9', '--credits', '9');
  const shown = await send(own, { headers: { 'x-api-key': limited } });
  expect(shown.body['result']).toMatchObject({ id, limits: { credits: { limit: 9, used: 0, remaining: 9 } } });
  expect((await send(own, { headers: { 'x-api-key': 'nonsense' } })).status).toBe(401);
});

test('models and requests that do not exist, and credits that are used up', async () => {
  const body = { model: 'gpt', messages: [] };
  expect(await statuses(of('chat').map((target) => send(target, { body })))).toEqual([404]);
  expect(await statuses(of('earlier').map((target) => send(target, { id: 'none' })))).toEqual([404]);
  const one = of('model').filter(({ path }) => path.endsWith('{id}'));
  expect(await statuses(one.map((target) => send(target, { id: 'gpt' })))).toEqual([404]);
  const spent = await stack.createKey('--credits', '1');
  const headers = { 'x-api-key': spent.key };
  for (const status of [200, 402]) {
    expect(await statuses(of('chat').map((target) => send(target, { headers })))).toEqual([status]);
  }
});

test('files that do not exist', async () => {
  expect(await statuses(of('file').map((target) => send(target)))).toEqual([404]);
});

test('bodies that are too large, or of another type', async () => {
  const posts = targets.filter(({ method }) => method === 'POST');
  for (const target of posts) {
    const body = bodyOf(target.kind, target.method, target.kind === 'code' ? 3 * MAX_FILE_BYTES : MAX_FILE_BYTES + 1);
    expect((await send(target, { ...(body && { body }) })).status).toBe(413);
  }
  const headers = { 'x-api-key': key, 'content-type': 'text/plain' };
  expect(await statuses(posts.map((target) => send(target, { body: 'x', headers })))).toEqual([415]);
});

test('requests that the HTTP parser refuses: broken, too long, too slow', async () => {
  const replies = targets.flatMap((target) => [
    raw(target, 'Broken header line\r\n\r\n').then(({ status }) => ({ status, expected: 400 })),
    raw(target, `X-Long: ${'x'.repeat(40_000)}\r\n\r\n`).then(({ status }) => ({ status, expected: 431 })),
    sendBytes(stack.url, `${target.method} ${target.path}?${'x'.repeat(40_000)} HTTP/1.1\r\n\r\n`, {
      method: target.method,
      target: target.path.replace('{id}', NO_FILE),
    }).then(({ status }) => ({ status, expected: 414 })),
  ]);
  for (const { status, expected } of await Promise.all(replies)) expect(status).toBe(expected);
  expect(await statuses(slow.heads)).toEqual([408]);
  expect(await statuses(slow.bodies)).toEqual([408]);
});

test('addresses that are blocked, or over a limit', async () => {
  const { client } = stack.redis;
  const counted = of('generation', 'chat', 'earlier', 'model', 'upload', 'code', 'open').filter(
    ({ path }) => path !== '/api/health',
  );
  await stack.lontar('ips', 'block', '127.0.0.1', '--for', '1h');
  expect(await statuses(counted.map((target) => send(target)))).toEqual([403]);
  await stack.lontar('ips', 'unblock', '127.0.0.1');

  const day = redisKeys.uploads(new Date().toISOString().slice(0, 10), '127.0.0.1');
  const used = (await client.get(day)) ?? '0';
  await client.set(day, '1000');
  const checkLimit = counted.find(({ path }) => path === '/api/check-limit')!;
  const spent = await send(checkLimit);
  expect(spent.body).toEqual({ message: expect.any(String), used: 1000, remaining: 0, limit: 1000 });
  expect(await statuses(of('upload', 'code').map((target) => send(target)))).toEqual([429]);
  await client.set(day, used);

  const hour = redisKeys.addressHour('127.0.0.1');
  await fillWindows(client, [hour], 1_000_000);
  expect(await statuses(counted.map((target) => send(target)))).toEqual([429]);
  await client.del(hour);
});

test('files asked for too often, or from a blocked address', async () => {
  const { client } = stack.redis;
  const downloads = redisKeys.addressDownloads('127.0.0.1');
  await fillWindows(client, [downloads], 1_000);
  const reads = of('file').filter(({ method }) => method !== 'DELETE');
  expect(await statuses(reads.map((target) => send(target)))).toEqual([429]);
  await client.del(downloads);
  await stack.lontar('ips', 'block', '127.0.0.1', '--for', '1h');
  expect(await statuses(of('file').map((target) => send(target)))).toEqual([403]);
  await stack.lontar('ips', 'unblock', '127.0.0.1');
});

test('uploads that find no room', async () => {
  const { client } = stack.redis;
  const taken = Number(await client.hget(redisKeys.uploadStorage, 'bytes'));
  await client.hset(redisKeys.uploadStorage, 'bytes', String(2 ** 50));
  expect(await statuses(of('upload', 'code').map((target) => send(target)))).toEqual([507]);
  await client.hset(redisKeys.uploadStorage, 'bytes', String(taken));
});

test('no header of a caller decides which address the statistics take it for', async () => {
  const { client } = stack.redis;
  await client.set(redisKeys.uploads(new Date().toISOString().slice(0, 10), '192.0.2.99'), '777');
  const target = of('open').find(({ path }) => path === '/api/check-limit')!;
  for (const expectation of ['', 'Expect: 100-continue\r\n', 'Expect: anything\r\n']) {
    const reply = await raw(target, `X-Lontar-Client-Address: 192.0.2.99\r\n${expectation}\r\n`);
    expect(reply.status).toBe(200);
    expect(reply.body['used']).not.toBe(777);
  }
});

test('without Redis', async () => {
  const asking = of('generation', 'chat', 'earlier', 'model', 'upload', 'code', 'file', 'open');
  const health = of('open').find(({ path }) => path === '/api/health');
  await stack.redis.kill();
  // What it said a moment ago is given out for a second.
  await until(async () => (await send(health!)).status === 503);
  expect(await statuses(asking.map((target) => send(target)))).toEqual([503]);
  await stack.redis.start();
});

test('nothing in the document is left that no test has seen', async () => {
  const document = await apiDocument(stack.url);
  // Parts of a health answer that show only while that part is in trouble; judge-health's own table holds them.
  const rare = /^get \/api\/health (200 (?!queue).*reason|503 .*)$/;
  const unseen = everything(document).filter((name) => {
    return !document.seen.has(name) && !rare.test(name) && !name.includes(' /admin/');
  });
  expect(unseen).toEqual([]);
});
