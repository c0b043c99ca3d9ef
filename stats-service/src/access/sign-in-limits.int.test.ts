import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { MOST_SESSIONS, operatorKeys, readSession } from '@lontar/shared/operator-sessions.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { cookieOf, HOME, type RunningService, runService } from '../../testing/running-service.ts';

let redis: TestRedis;
let service: RunningService;

beforeAll(async () => {
  redis = await startTestRedis();
  service = await runService(redis);
});
beforeEach(async () => {
  const old = [redisKeys.stats('sign-in-tries'), ...(await redis.client.keys(redisKeys.stats('sign-in-*:*')))];
  await redis.client.del(...old);
});
afterAll(async () => {
  await service.stop();
  await redis.stop();
});

const statusesOf = async (answers: readonly Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status);
const statusOf = async (cookie: string, at = service) =>
  (await at.ask('/dashboard/log', { headers: { cookie } })).status;
const sessions = async () =>
  Object.entries(await redis.client.hgetall(operatorKeys.sessions)).map(([digest, text]) => readSession(digest, text));

test('an address may sign in sixty times in ten minutes, whatever comes of it', async () => {
  const from = '198.51.100.10';
  for (let round = 0; round < 6; round++) {
    const tries = Array.from({ length: 10 }, () => service.guess(service.token, from));
    expect(new Set(await statusesOf(tries))).toEqual(new Set([204]));
  }
  const refused = await service.guess(service.token, from);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(300);
  expect(await refused.json()).toMatchObject({ code: 429, used: 60, remaining: 0, limit: 60 });
  // Those that are refused are not counted: the ten minutes end.
  expect(await redis.client.get(redisKeys.stats(`sign-in-tries:${from}`))).toBe('60');
  expect((await service.guess(service.token)).status).toBe(204);
});

test('all addresses together may try 120 times a minute; a link signs in all the same', async () => {
  for (let round = 0; round < 12; round++) {
    const tries = Array.from({ length: 10 }, (_, index) => service.guess('wrong', `203.0.${round}.${index}`));
    expect(new Set(await statusesOf(tries))).toEqual(new Set([401]));
  }
  const refused = await service.guess(service.token);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(cookieOf(await service.ask(`/?code=${await service.makeCode()}`))).not.toBe('');
});

test('while Redis hangs, sign-ins do not pile up', async () => {
  redis.process().kill('SIGSTOP');
  const of = (address: (index: number) => string, count: number) =>
    Array.from({ length: count }, (_, index) => service.guess(service.token, address(index)));
  const one = statusesOf(of(() => '198.51.100.20', 60));
  const many = statusesOf(of((index) => `203.0.113.${index}`, 60));
  const statuses = [await one, await many];
  redis.process().kill('SIGCONT');
  const count = (index: number, wanted: number) => statuses[index]?.filter((status) => status === wanted).length;
  // The rest has waited for Redis.
  expect([count(0, 429), count(0, 503)]).toEqual([28, 32]);
  expect([count(1, 429), count(1, 503)]).toEqual([28, 32]);
  while ((await service.guess(service.token)).status !== 204) await new Promise((resolve) => setTimeout(resolve, 50));
});

test('another token ends all sessions and links at once, and the list no longer shows them', async () => {
  const [cookie, code] = [await service.signIn(), await service.makeCode()];
  const changed = await runService(redis);
  expect(await statusOf(cookie, changed)).toBe(401);
  expect(await sessions()).toEqual([]);
  expect((await changed.ask(`/?code=${code}`)).headers.get('location')).toBe('/?link=used');

  const after = await changed.signIn();
  const again = await runService(redis, { DASHBOARD_TOKEN: changed.token });
  expect([await statusOf(after, changed), await statusOf(after, again)]).toEqual([200, 200]);
  // A record that an attacker wrote into Redis opens nothing, as it is known by the token.
  await redis.client.hset(operatorKeys.sessions, 'f'.repeat(64), `${HOME} 1 1 ${Date.now() + 60_000} token`);
  expect(await statusOf(`lontar_session=${'f'.repeat(43)}`, again)).toBe(401);
  const kept = (await redis.client.get(redisKeys.stats('sessions-token'))) ?? '';
  expect(kept).toMatch(/^[\w-]{22} [\w-]{43}$/);
  await Promise.all([changed.stop(), again.stop()]);
});

test('a session is known by where it is from, since when, how, and when it was last seen', async () => {
  await redis.client.del(operatorKeys.sessions);
  const begun = Date.now();
  const cookie = await service.signIn();
  await service.ask(`/?code=${await service.makeCode()}`, { from: '198.51.100.30' });
  const [byLink, byToken] = (await sessions()).toSorted((one, two) => (one?.by ?? '').localeCompare(two?.by ?? ''));
  expect(byToken).toMatchObject({ address: HOME, by: 'token', id: expect.stringMatching(/^[0-9a-f]{12}$/) });
  expect(byLink).toMatchObject({ address: '198.51.100.30', by: 'link' });
  expect(Math.abs((byToken?.signedInAt ?? 0) - begun)).toBeLessThan(60_000);

  // An hour later.
  const [digest = ''] = Object.entries(await redis.client.hgetall(operatorKeys.sessions)).find(([, text]) =>
    text.startsWith(HOME),
  ) ?? [''];
  const ends = byToken?.expiresAt ?? 0;
  await redis.client.hset(operatorKeys.sessions, digest, `${HOME} ${begun} ${begun - 3_600_000} ${ends} token`);
  expect(await statusOf(cookie)).toBe(200);
  const seen = readSession(digest, (await redis.client.hget(operatorKeys.sessions, digest)) ?? '');
  expect(seen).toMatchObject({ signedInAt: begun, expiresAt: ends, by: 'token' });
  expect(seen?.seenAt).toBeGreaterThanOrEqual(begun);
});

test('there is a most of sessions; the one that was not seen for the longest gives way', async () => {
  await redis.client.del(operatorKeys.sessions);
  const ends = Date.now() + 600_000;
  const old = Array.from({ length: MOST_SESSIONS }, (_, index) => [`old-${index}`, `${HOME} 1 ${index} ${ends} token`]);
  await redis.client.hset(
    operatorKeys.sessions,
    ...old.flat(),
    'over',
    `${HOME} 1 999 ${Date.now() - 1} token`,
    'x',
    'y',
  );
  const cookie = await service.signIn();
  const left = await redis.client.hkeys(operatorKeys.sessions);
  expect(left).toHaveLength(MOST_SESSIONS);
  expect(left).toEqual(expect.not.arrayContaining(['old-0', 'over', 'x']));
  expect(left).toContain('old-1');
  expect(await statusOf(cookie)).toBe(200);
});

test('a Redis that takes no writes shows the dashboard all the same', async () => {
  const cookie = await service.signIn();
  const [digest = ''] = await redis.client.hkeys(operatorKeys.sessions);
  const record = (await redis.client.hget(operatorKeys.sessions, digest)) ?? '';
  await redis.client.hset(operatorKeys.sessions, digest, record.replace(/^(\S+ \d+) \d+/, '$1 1'));
  await redis.client.config('SET', 'maxmemory', '1');
  expect(await statusOf(cookie)).toBe(200);
  await redis.client.config('SET', 'maxmemory', '0');
});
