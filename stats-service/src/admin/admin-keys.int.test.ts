import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readAudit } from '@lontar/shared/admin/audit.ts';
import { hashApiKey, readKeyId } from '@lontar/shared/api-key.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { fillWindows } from '@lontar/shared/testing/windows.ts';
import { lastDays } from '@lontar/shared/usage/read-usage.ts';
import { type AdminReply, type AdminService, runAdminService } from '../../testing/admin-client.ts';

let redis: TestRedis;
let service: AdminService;
let support: { id: string; token: string };
let operator: { id: string; token: string };

beforeAll(async () => {
  redis = await startTestRedis({ durable: true });
  service = await runAdminService(redis);
});
afterAll(async () => {
  await service.stop();
  await redis.stop();
});
beforeEach(async () => {
  await redis.client.flushall();
  support = await service.makeToken('support');
  operator = await service.makeToken('operator');
});

const ask = (request: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.admin(support.token, request, { headers, ...(body === undefined ? {} : { body }) });
const create = (body: unknown = { name: 'shop' }, headers = {}) => ask('POST /keys', body, headers);
const idOf = ({ result }: AdminReply) => String(result['id']);
const noted = async () => (await readAudit(redis.client, { by: support.id }, 50)).entries;

describe('a key', () => {
  test('is made with all its terms, and shown once', async () => {
    const body = {
      ...{ name: 'order 1', owner: 'anna', note: 'paid', perHour: 5, perDay: 50, credits: 500, concurrency: 2 },
      ...{ models: ['ai-2.5-pro'], addresses: ['10.0.0.0/8'], maxOutputTokens: 100, storage: 0 },
      ...{ expiresAt: '2099-01-31T18:00:00+07:00', mask: ['url'], keepOwn: true, addressLimit: false },
      onDisconnect: 'finish',
    };
    const made = await create(body);
    expect(made).toMatchObject({ status: 201, body: { status: true, code: 201, message: 'Sukses' } });
    expect(made.result).toMatchObject({ ...body, expiresAt: '2099-01-31T11:00:00.000Z', version: 1, state: 'active' });
    const key = String(made.result['key']);
    expect(readKeyId(key)).toBe(idOf(made));
    expect(await redis.client.hget(redisKeys.apiKey(idOf(made)), 'hash')).toBe(hashApiKey(key, service.pepper));
    const shown = await ask(`GET /keys/${idOf(made)}`);
    expect(shown.headers.get('etag')).toBe('"1"');
    const { key: _, ...view } = made.result;
    expect(shown.result).toEqual(view);
    expect(JSON.stringify(shown.body)).not.toContain(key.slice(20));
    const [entry] = await noted();
    expect(entry).toMatchObject({
      actor: { by: 'token', id: support.id, name: 'a support', from: '192.0.2.10' },
      ...{ action: 'key.create', target: idOf(made), after: { name: 'order 1', credits: '500' } },
    });
  });

  test('is listed and shown with what it has used, where that is asked for', async () => {
    const id = idOf(await create({ name: 'limited', perHour: 10, perDay: 20 }));
    const free = idOf(await create({ name: 'free' }));
    const { from, to } = lastDays(30, Date.now());
    const count = (date: string, counts: string) =>
      redis.client.hset(redisKeys.keyUsage(id, date.slice(0, 7)), `${date.slice(8)} ai-2.5-pro`, counts);
    await count(to, '3,3,100,20');
    await count(from, '40,40,1000');
    await fillWindows(redis.client, [redisKeys.keyHour(id)], 4);
    await redis.client.hset(redisKeys.apiKey(id), 'dayCount', String(Math.floor(Date.now() / 86_400_000) * 1e10 + 7));
    const use = {
      today: { requests: 3, tokens: 120 },
      last30Days: { requests: 43, tokens: 1_120 },
      ...{ hourUsed: 4, dayUsed: 7 },
    };
    const nothing = { requests: 0, tokens: 0 };
    const listed = (await ask('GET /keys?use=true')).result['keys'] as { id: string; use: unknown }[];
    expect(listed.find((key) => key.id === id)?.use).toEqual(use);
    expect(listed.find((key) => key.id === free)?.use).toEqual({
      ...{ today: nothing, last30Days: nothing },
      ...{ hourUsed: null, dayUsed: null },
    });
    expect((await ask(`GET /keys/${id}?use=true`)).result).toMatchObject({ id, use });
    expect((await ask(`GET /keys/${id}`)).result).not.toHaveProperty('use');
    // The count of an earlier day is none of today's.
    await redis.client.hset(redisKeys.apiKey(id), 'dayCount', String(20_000 * 1e10 + 7));
    expect((await ask(`GET /keys/${id}?use=true`)).result).toMatchObject({ use: { dayUsed: 0 } });
  });

  test('is made once however often a shop repeats its request, by one after the other or at once', async () => {
    const headers = { 'idempotency-key': 'order-1042' };
    const replies = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'a', credits: 5 }, headers)));
    replies.push(await create({ credits: 5, name: 'a' }, headers));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ result }) => result['key'])).size).toBe(1);
    expect(await redis.client.zcard(redisKeys.apiKeyIndex)).toBe(1);
    expect(await noted()).toHaveLength(1);
    const everything = JSON.stringify(await redis.client.hgetall(redisKeys.apiKey(idOf(replies[0]!))));
    expect(everything).not.toContain('order-1042');
  });

  test('of a repeated request that asks for something else is refused, and not made', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    await create({ name: 'a', credits: 5 }, headers);
    const other = await create({ name: 'a', credits: 50 }, headers);
    expect(other).toMatchObject({ status: 422, body: { error: 'Idempotency-Key reused' } });
    expect(other.body).not.toHaveProperty('result');
    expect(await redis.client.zcard(redisKeys.apiKeyIndex)).toBe(1);
  });

  test('is not given again a day later, nor when it was rotated or deleted since; another token makes its own', async () => {
    const headers = { 'idempotency-key': 'order-2' };
    const made = await create({ name: 'a' }, headers);
    const others = await service.admin(operator.token, 'POST /keys', { body: { name: 'a' }, headers });
    expect(others.status).toBe(201);
    expect(others.result['key']).not.toBe(made.result['key']);
    const record = redisKeys.apiKey(idOf(made));
    await redis.client.hset(record, 'createdAt', Date.now() - 25 * 3_600_000);
    const late = await create({ name: 'a' }, headers);
    expect([late.status, late.body['error']]).toEqual([409, 'Conflict']);
    expect(JSON.stringify(late.body)).not.toContain('lt_live_');
    await redis.client.hset(record, 'createdAt', Date.now());
    await ask(`POST /keys/${idOf(made)}/rotate`, { overlapSeconds: 0 });
    expect((await create({ name: 'a' }, headers)).status).toBe(409);
  });

  test.each([
    ['without a name', {}, ['name']],
    ['of a list', [], ['body']],
    ['with a name that hides something', { name: 'gpj\u202eexe' }, ['name']],
    ['with a name of 10,000 characters', { name: 'x'.repeat(10_000) }, ['name']],
    ['with many wrong fields', { name: 'a', perHour: 0, credits: 1.5, models: [] }, ['perHour', 'credits', 'models']],
    ['that has expired', { name: 'a', expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt']],
    ['with a field that is none', { name: 'a', admin: true }, ['"admin"']],
    ['with the hash of another key', { name: 'a', hash: 'x' }, ['"hash"']],
  ])('%s is refused with every problem, and not made', async (_what, body, fields) => {
    const refused = await create(body);
    expect(refused.status).toBe(400);
    expect((refused.body['problems'] as { field: string }[]).map(({ field }) => field)).toEqual(fields);
    expect(await redis.client.exists(redisKeys.apiKeyIndex)).toBe(0);
  });

  test.each([
    '<img src=x onerror=alert(1)>',
    '=cmd|"/c calc"!A1',
    '{{7*7}}',
    "'; DROP TABLE keys; --",
    '\u{1f334} 日本語',
  ])('may be called %j, which is kept and given back as it is', async (name) => {
    const made = await create({ name });
    const shown = await ask(`GET /keys/${idOf(made)}`);
    expect(shown.result['name']).toBe(name);
    expect(shown.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each([
    ['that is no JSON', '{', undefined],
    ['that is too long', JSON.stringify({ name: 'x'.repeat(20_000) }), undefined],
    ['under a bad Idempotency-Key', { name: 'x' }, 'with a blank'],
    ['under a long Idempotency-Key', { name: 'x' }, 'x'.repeat(201)],
  ])('%s is refused', async (_what, body, idempotencyKey) => {
    const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    expect((await create(body, headers)).status).toBe(400);
  });
});

test('keys are listed by pages, found by name, owner and state, and none is told of that is deleted', async () => {
  for (const [name, owner] of [
    ['order one', 'anna'],
    ['order two', 'bert'],
    ['other', 'anna'],
  ] as const)
    await create({ name, owner });
  const names = ({ result }: AdminReply) => (result['keys'] as { name: string }[]).map(({ name }) => name);
  expect(names(await ask('GET /keys'))).toEqual(['order one', 'order two', 'other']);
  const first = await ask('GET /keys?limit=2&sort=name&descending=true');
  expect(names(first)).toEqual(['other', 'order two']);
  const cursor = encodeURIComponent(String(first.result['cursor']));
  const second = await ask(`GET /keys?limit=2&sort=name&descending=true&cursor=${cursor}`);
  expect([names(second), second.result['cursor']]).toEqual([['order one'], null]);
  expect(names(await ask('GET /keys?owner=anna'))).toEqual(['order one', 'other']);
  expect(names(await ask('GET /keys?search=TWO'))).toEqual(['order two']);
  const [{ id }] = (await ask('GET /keys?search=two')).result['keys'] as [{ id: string }];
  await ask(`POST /keys/${id}/revoke`);
  expect(names(await ask('GET /keys?state=revoked'))).toEqual(['order two']);
  expect(names(await ask('GET /keys?state=active'))).toEqual(['order one', 'other']);
  await service.admin(operator.token, `DELETE /keys/${id}`);
  expect(names(await ask('GET /keys'))).toEqual(['order one', 'other']);
  expect(JSON.stringify((await ask('GET /keys')).body)).not.toMatch(/hash/i);
  for (const query of [
    'limit=0',
    'limit=201',
    'state=odd',
    'sort=id',
    'cursor=x',
    `search=${'x'.repeat(201)}`,
    'descending=1',
  ]) {
    expect([query, (await ask(`GET /keys?${query}`)).status]).toEqual([query, 400]);
  }
});

describe('a change', () => {
  test('takes the version that was read, and gives the next one', async () => {
    const id = idOf(await create({ name: 'a', credits: 5, perDay: 9 }));
    expect(await ask(`PATCH /keys/${id}`, { credits: 10 })).toMatchObject({ status: 428 });
    const changed = await ask(`PATCH /keys/${id}`, { credits: 10, perDay: null }, { 'if-match': '"1"' });
    expect(changed).toMatchObject({ status: 200, result: { credits: 10, perDay: null, name: 'a', version: 2 } });
    expect(changed.headers.get('etag')).toBe('"2"');
    const same = await ask(`PATCH /keys/${id}`, { credits: 10 }, { 'if-match': '"2"' });
    expect(same.result['version']).toBe(2);
    expect((await ask(`PATCH /keys/${id}`, { credits: 11 }, { 'if-match': '*' })).status).toBe(200);
    for (const bad of ['2', 'W/"2"', '"1", "2"', '""']) {
      expect((await ask(`PATCH /keys/${id}`, { credits: 1 }, { 'if-match': bad })).status).toBe(400);
    }
  });

  test('made from an old version is refused and tells what has changed since', async () => {
    const id = idOf(await create({ name: 'a', credits: 5 }));
    await ask(`PATCH /keys/${id}`, { credits: 6 }, { 'if-match': '"1"' });
    await service.admin(operator.token, `PATCH /keys/${id}`, { body: { name: 'b' }, headers: { 'if-match': '"2"' } });
    const refused = await ask(`PATCH /keys/${id}`, { credits: 7 }, { 'if-match': '"1"' });
    expect(refused).toMatchObject({ status: 412, body: { error: 'Precondition Failed', version: 3 } });
    expect(new Set(refused.body['changed'] as string[])).toEqual(new Set(['name', 'credits']));
    expect(refused.headers.get('etag')).toBe('"3"');
    expect((await ask(`GET /keys/${id}`)).result).toMatchObject({ name: 'b', credits: 6 });
  });

  test('of two operators at once is made by one; the other is told', async () => {
    const id = idOf(await create({ name: 'a', credits: 5 }));
    const statuses = await Promise.all(
      [6, 7, 8, 9].map(async (credits) => (await ask(`PATCH /keys/${id}`, { credits }, { 'if-match': '"1"' })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(3);
  });

  test('by rotation gives a new secret once, and does not end an earlier overlap by itself', async () => {
    const made = await create();
    const id = idOf(made);
    const rotated = await ask(`POST /keys/${id}/rotate`, { overlapSeconds: 3_600 }, { 'if-match': '"1"' });
    expect(rotated).toMatchObject({ status: 200, result: { id, version: 2, oldKeyUntil: expect.any(String) } });
    expect(rotated.result['key']).not.toBe(made.result['key']);
    expect((await ask(`POST /keys/${id}/rotate`)).status).toBe(409);
    expect((await ask(`POST /keys/${id}/rotate`, { overlapSeconds: 60 }, { 'if-match': '"1"' })).status).toBe(412);
    expect(
      (await ask(`POST /keys/${id}/rotate`, { overlapSeconds: 0, endOverlap: true })).result['oldKeyUntil'],
    ).toBeNull();
    for (const body of [{ overlapSeconds: -1 }, { overlap: 1 }]) {
      expect((await ask(`POST /keys/${id}/rotate`, body)).status).toBe(400);
    }
  });

  test('by revoking ends a key; by deleting it is gone, from lists too', async () => {
    const id = idOf(await create());
    expect((await ask(`POST /keys/${id}/revoke`, undefined, { 'if-match': '"7"' })).status).toBe(412);
    expect(await ask(`POST /keys/${id}/revoke`)).toMatchObject({ status: 200, result: { state: 'revoked' } });
    expect((await ask(`POST /keys/${id}/revoke`)).status).toBe(200);
    expect((await ask(`POST /keys/${id}/rotate`)).status).toBe(409);
    const remove = () => service.admin(operator.token, `DELETE /keys/${id}`);
    expect(await remove()).toMatchObject({ status: 200, result: { id, deleted: true } });
    expect((await remove()).status).toBe(404);
    expect(await redis.client.zcard(redisKeys.apiKeyIndex)).toBe(0);
  });

  test.each(['0123456789', 'no-id', '..a', 'x'.repeat(300)])('of a key %j that is not there is 404', async (id) => {
    for (const request of [`GET /keys/${id}`, `POST /keys/${id}/revoke`, `POST /keys/${id}/rotate`]) {
      expect([request, (await ask(request)).status]).toEqual([request, 404]);
    }
    expect((await ask(`PATCH /keys/${id}`, { credits: 1 }, { 'if-match': '*' })).status).toBe(404);
  });

  test('of a record that cannot be read says so', async () => {
    const id = idOf(await create());
    await redis.client.hset(redisKeys.apiKey(id), 'perHour', 'many');
    expect(await ask(`GET /keys/${id}`)).toMatchObject({ status: 500, body: { error: 'Internal error' } });
  });
});
