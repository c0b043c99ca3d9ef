import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { hashApiKey } from '../api-key.ts';
import type { Actor } from '../keys/actor.ts';
import { redisKeys } from '../redis-keys.ts';
import {
  type AdminToken,
  createAdminToken,
  listAdminTokens,
  MOST_ADMIN_TOKENS,
  revokeAdminToken,
} from './admin-tokens.ts';
import { noteAction, noteRefused, readAudit, readAuditEntry } from './audit.ts';

const PEPPER = 'a pepper of this test, longer than 32 characters';
const ANNA: Actor = { by: 'cli', id: 'anna', from: 'host-1' };
const TOKEN: Actor = { by: 'token', id: 'A1b2C3d4E5', name: 'shop', from: '192.0.2.1' };
const DAY_MS = 86_400_000;

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(() => redis.client.flushall());

async function create(name: string, role: AdminToken['role'] = 'viewer', expiresAt?: number) {
  const made = await createAdminToken(redis.client, PEPPER, { name, role, ...(expiresAt ? { expiresAt } : {}) }, ANNA);
  if (made === 'full') throw new Error(made);
  return made;
}

test('what is stored of a token is its hash under the pepper, with its entry in the audit log', async () => {
  const { token, record } = await create('ci', 'support');
  expect(record).toMatchObject({ name: 'ci', role: 'support', state: 'active' });
  const stored = await redis.client.hget(redisKeys.adminTokens, record.id);
  expect(JSON.parse(stored ?? '')).toMatchObject({ hash: hashApiKey(token, PEPPER), role: 'support' });
  const { entries } = await readAudit(redis.client, {}, 10);
  expect(entries).toEqual([
    expect.objectContaining({
      actor: ANNA,
      action: 'admin-token.create',
      target: record.id,
      outcome: 'done',
      before: null,
      after: { name: 'ci', role: 'support' },
    }),
  ]);
  const everything = JSON.stringify([stored, await redis.client.xrange(redisKeys.audit, '-', '+')]);
  expect(everything).not.toContain(token.slice(20, -6));
  expect(JSON.stringify(entries)).not.toContain(hashApiKey(token, PEPPER));
});

test('a revoked token stays listed, and is revoked once', async () => {
  const { record } = await create('ci');
  expect(await revokeAdminToken(redis.client, record.id, ANNA)).toBe(true);
  expect(await revokeAdminToken(redis.client, record.id, ANNA)).toBe(true);
  expect(await revokeAdminToken(redis.client, '0123456789', ANNA)).toBe(false);
  expect(await listAdminTokens(redis.client)).toMatchObject([{ id: record.id, state: 'revoked' }]);
  const { entries } = await readAudit(redis.client, { action: 'admin-token.revoke' }, 10);
  expect(entries).toHaveLength(1);
});

test('there are so many at most: those that ended first give way, none that is good does', async () => {
  const now = Date.now();
  const fill = redis.client.pipeline();
  for (let index = 0; index < MOST_ADMIN_TOKENS; index += 1) {
    const ended = index < 2 ? { expiresAt: now - (2 - index) * DAY_MS } : {};
    const record = { hash: 'h', name: `n${index}`, role: 'viewer', createdAt: now, ...ended };
    fill.hset(redisKeys.adminTokens, `id${String(index).padStart(8, '0')}`, JSON.stringify(record));
  }
  await fill.exec();
  await create('one more');
  expect(await redis.client.hexists(redisKeys.adminTokens, 'id00000000')).toBe(0);
  expect(await redis.client.hexists(redisKeys.adminTokens, 'id00000001')).toBe(1);
  await create('and one');
  expect(await createAdminToken(redis.client, PEPPER, { name: 'too many', role: 'viewer' }, ANNA)).toBe('full');
  expect(await redis.client.hlen(redisKeys.adminTokens)).toBe(MOST_ADMIN_TOKENS);
});

test('a record that is none is left out of lists', async () => {
  await redis.client.hset(redisKeys.adminTokens, { broken: '{', strange: '{"role":"emperor"}' });
  const { record } = await create('ci');
  expect((await listAdminTokens(redis.client)).map(({ id }) => id)).toEqual([record.id]);
});

test('refusals of one token for one action are noted once an hour, those of others by themselves', async () => {
  for (let index = 0; index < 5; index += 1) {
    await noteRefused(redis.client, TOKEN, 'key.revoke', `key${index}`, { role: 'viewer' });
  }
  await noteRefused(redis.client, TOKEN, 'key.create', '', { role: 'viewer' });
  await noteRefused(redis.client, { ...TOKEN, id: 'Z1b2C3d4E5' }, 'key.revoke', 'key9', { role: 'viewer' });
  const { entries } = await readAudit(redis.client, {}, 10);
  expect(entries.map(({ action, target, outcome, after }) => [action, target, outcome, after])).toEqual([
    ['key.revoke', 'key9', 'refused', { role: 'viewer' }],
    ['key.create', '', 'refused', { role: 'viewer' }],
    ['key.revoke', 'key0', 'refused', { role: 'viewer' }],
  ]);
  expect(await redis.client.pttl(redisKeys.adminRefused(TOKEN.id, 'key.revoke'))).toBeGreaterThan(0);
});

test('the log is read page by page, and by what was done, to what and by whom', async () => {
  for (let index = 0; index < 7; index += 1) {
    await noteAction(redis.client, 'begun', index % 2 === 0 ? ANNA : TOKEN, 'queue.pause', `t${index}`);
  }
  const seen: string[] = [];
  let before: string | undefined;
  do {
    const page = await readAudit(redis.client, { before }, 3);
    seen.push(...page.entries.map(({ target }) => target));
    before = page.next;
  } while (before !== undefined);
  expect(seen).toEqual(['t6', 't5', 't4', 't3', 't2', 't1', 't0']);
  const of = async (filter: Parameters<typeof readAudit>[1]) =>
    (await readAudit(redis.client, filter, 10)).entries.map(({ target }) => target);
  expect(await of({ by: 'anna' })).toEqual(['t6', 't4', 't2', 't0']);
  expect(await of({ target: 't3' })).toEqual(['t3']);
  expect(await of({ action: 'queue.resume' })).toEqual([]);
  expect((await readAudit(redis.client, { by: 'anna' }, 2)).entries.map(({ target }) => target)).toEqual(['t6', 't4']);
});

test('entries older than 90 days are neither shown nor kept', async () => {
  const old = `${Date.now() - 91 * DAY_MS}-0`;
  const head = JSON.stringify({ actor: ANNA, action: 'queue.pause', target: '', outcome: 'done' });
  await redis.client.xadd(redisKeys.audit, old, 'head', head, 'before', '', 'after', '');
  expect((await readAudit(redis.client, {}, 10)).entries).toEqual([]);
  await noteAction(redis.client, 'done', ANNA, 'queue.resume', '');
  expect(await redis.client.xlen(redisKeys.audit)).toBe(1);
});

test.each([
  ['nothing', []],
  ['no JSON', ['head', '{', 'before', '', 'after', '']],
  ['another form', ['head', '{"actor":{}}', 'before', '', 'after', '']],
  [
    'facts that are a list',
    ['head', '{"actor":{"by":"cli","id":"a"},"action":"x","target":"","outcome":"done"}', 'before', '[]'],
  ],
])('%s is no entry', (_what, fields) => {
  expect(readAuditEntry('1-1', fields)).toBeUndefined();
});
