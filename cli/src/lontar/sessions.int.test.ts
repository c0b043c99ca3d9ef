import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { MOST_SIGN_IN_CODES, operatorKeys } from '@lontar/shared/operator-sessions.ts';
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

const lontar = (...args: string[]) => runInProcess(folder, { REDIS_URL: redis.url }, args);
const digestOf = (letter: string) => letter.repeat(64);

async function signedIn(): Promise<void> {
  const [now, ends] = [Date.parse('2026-01-31T08:00:00Z'), Date.now() + 60_000];
  await redis.client.hset(operatorKeys.sessions, {
    [digestOf('a')]: `192.0.2.1 ${now} ${now + 60_000} ${ends} token`,
    [digestOf('b')]: `2001:db8::/56 ${now} ${now + 120_000} ${ends} link`,
    [digestOf('c')]: `192.0.2.3 ${now} ${now} ${Date.now() - 10_000} token`,
    [digestOf('d')]: 'what no session looks like',
  });
}

test('lists who is signed in, the last seen first, and not those whose time is over', async () => {
  expect(await lontar('sessions', 'list')).toMatchObject({ code: 0, out: 'No operator is signed in.\n' });
  await signedIn();
  const { code, out } = await lontar('sessions', 'list', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual([
    {
      id: 'b'.repeat(12),
      address: '2001:db8::/56',
      by: 'link',
      signedInAt: '2026-01-31T08:00:00.000Z',
      lastSeenAt: '2026-01-31T08:02:00.000Z',
      expiresAt: expect.any(String),
    },
    expect.objectContaining({ id: 'a'.repeat(12), address: '192.0.2.1', by: 'token' }),
  ]);
  expect((await lontar('sessions', 'list')).out).toMatch(/^ID +FROM +BY +SINCE +LAST SEEN +UNTIL\nb{12} {2}2001:db8::/);
});

test('ends one, or all', async () => {
  await signedIn();
  const one = await lontar('sessions', 'end', 'a'.repeat(12), '--json');
  expect([one.code, JSON.parse(one.out)]).toEqual([0, { ended: 1 }]);
  expect(await redis.client.hexists(operatorKeys.sessions, digestOf('a'))).toBe(0);
  expect(await lontar('sessions', 'end', 'a'.repeat(12))).toMatchObject({ code: 3, out: '' });
  expect((await lontar('sessions', 'end', '--all')).code).toBe(0);
  expect(await redis.client.exists(operatorKeys.sessions)).toBe(0);
  expect(JSON.parse((await lontar('sessions', 'end', '--all', '--json')).out)).toEqual({ ended: 0 });
});

test.each([[], ['a'.repeat(12), '--all'], ['a'], [''], ['../x']])('refuses %j as wrong usage', async (...args) => {
  await signedIn();
  expect(await lontar('sessions', 'end', ...args)).toMatchObject({ code: 2, out: '' });
  expect(await redis.client.hlen(operatorKeys.sessions)).toBe(4);
});

test('of sign-in links, the newest fifty are good', async () => {
  await redis.client.zadd(operatorKeys.signInCodes, Date.now() - 1_000, 'over');
  for (let count = 0; count < MOST_SIGN_IN_CODES + 5; count++) {
    expect((await lontar('dashboard', '--url', 'http://x')).out).toMatch(/^http:\/\/x\/\?code=[\w-]{32}\n$/);
  }
  expect(await redis.client.zcard(operatorKeys.signInCodes)).toBe(MOST_SIGN_IN_CODES);
  expect(await redis.client.zscore(operatorKeys.signInCodes, 'over')).toBeNull();
  expect(await redis.client.ttl(operatorKeys.signInCodes)).toBeGreaterThan(500);
});
