import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { readAdminTokenId } from '@lontar/shared/admin/admin-token.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { runInProcess } from '../../testing/run-in-process.ts';

let redis: TestRedis;
let folder: string;

beforeAll(async () => {
  redis = await startTestRedis();
  folder = await mkdtemp(join(tmpdir(), 'lontar-cli-'));
});
afterAll(async () => {
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => redis.client.flushall());

const lontar = (...args: string[]) =>
  runInProcess(
    folder,
    { REDIS_URL: redis.url, KEY_PEPPER: 'a pepper of this test, longer than 32 characters', SUDO_USER: 'anna' },
    args,
  );

test('a token is made, shown once, listed and ended; each change stands in the audit log', async () => {
  expect((await lontar('admin-tokens', 'list')).out).toMatch(/^There are no admin tokens yet/);
  const made = await lontar('admin-tokens', 'create', '--name', 'shop', '--role', 'support', '--expires', '30d');
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining('cannot be shown again') });
  const token = made.out.trim().split('\n').at(-1) ?? '';
  const id = readAdminTokenId(token) ?? '';
  const listed = await lontar('admin-tokens', 'list', '--json');
  expect(listed.out).not.toContain(token.slice(20));
  expect(JSON.parse(listed.out)).toMatchObject([
    { id, name: 'shop', role: 'support', state: 'active', lastUsedAt: null },
  ]);
  expect((await lontar('admin-tokens', 'revoke', id)).code).toBe(0);
  expect((await lontar('admin-tokens', 'list')).out).toMatch(new RegExp(`${id} +support +revoked .* shop$`, 'm'));

  const { out } = await lontar('audit', '--json');
  expect(JSON.parse(out)).toMatchObject([
    { action: 'admin-token.revoke', target: id, actor: { by: 'cli', id: 'anna', from: hostname() } },
    { action: 'admin-token.create', target: id, after: { name: 'shop', role: 'support' } },
  ]);
  const table = (await lontar('audit', '--action', 'admin-token.revoke')).out.split('\n');
  expect(table).toHaveLength(3);
  expect(table[1]).toMatch(
    new RegExp(`^\\S+ +cli anna +${hostname()} +admin-token.revoke +${id} +state active → revoked$`),
  );
});

test.each([
  ['without a role', ['create', '--name', 'x'], 2],
  ['of another role', ['create', '--name', 'x', '--role', 'emperor'], 2],
  ['with a name that hides something', ['create', '--name', 'x\u202Ey', '--role', 'viewer'], 2],
  ['that has expired', ['create', '--name', 'x', '--role', 'viewer', '--expires', '2020-01-01'], 2],
  ['that is not there', ['revoke', '0123456789'], 3],
  ['whose id is none', ['revoke', 'shop'], 2],
])('a token %s changes nothing', async (_what, args, code) => {
  expect((await lontar('admin-tokens', ...args)).code).toBe(code);
  expect(await redis.client.dbsize()).toBe(0);
});

test('what was written into the log by others is shown without its escapes', async () => {
  const head = JSON.stringify({
    actor: { by: 'token', id: 'A1b2C3d4E5', name: '\u001b[31mred\u202e', from: '192.0.2.1' },
    action: 'key.update',
    target: 'k',
    outcome: 'done',
  });
  const facts = JSON.stringify({ name: '\u001b[2J' });
  await redis.client.xadd(redisKeys.audit, '*', 'head', head, 'before', facts, 'after', '{}');
  const { out } = await lontar('audit');
  for (const hidden of ['\u001b', '\u202e']) expect(out).not.toContain(hidden);
  expect(out).toContain('<U+001B>[31mred<U+202E>');
});
