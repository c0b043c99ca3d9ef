import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { blockAddress } from '@lontar/shared/admin/address-blocks.ts';
import { readAudit } from '@lontar/shared/admin/audit.ts';
import { operatorKeys } from '@lontar/shared/operator-sessions.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { readStream } from '@lontar/shared/testing/event-stream.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { mixedEvents } from '../../testing/mixed-events.ts';
import { cookieOf, HOME, type RunningService, runService } from '../../testing/running-service.ts';

let redis: TestRedis;
let service: RunningService;
let openService: RunningService;

beforeAll(async () => {
  redis = await startTestRedis();
  service = await runService(redis);
  openService = await runService(redis, { DASHBOARD_PUBLIC: 'true', DASHBOARD_TOKEN: service.token });
  await service.append(mixedEvents(20, [Date.now()]));
});

// All tests sign in from one service.
beforeEach(() => redis.client.del(redisKeys.stats('sign-in-tries')));

afterAll(async () => {
  await service.stop();
  await openService.stop();
  await redis.stop();
});

const PRIVATE = ['/dashboard/log', '/dashboard/log/1-1', '/dashboard/blocked'];

test('without a session nothing is shown', async () => {
  for (const path of [...PRIVATE, '/dashboard/events']) expect((await service.ask(path)).status).toBe(401);
  expect((await service.ask('/dashboard/reset', { method: 'POST' })).status).toBe(401);
  expect(await (await service.ask('/dashboard/session')).json()).toEqual({ signedIn: false, public: false });
});

test('DASHBOARD_PUBLIC opens the counters, and never the log, the fleet or the addresses', async () => {
  for (const path of PRIVATE) expect((await openService.ask(path)).status).toBe(401);
  const stream = await readStream(`${openService.url}/dashboard/events`, openService.fromHome);
  const snapshot = await stream.next('snapshot');
  expect(snapshot.data).toMatchObject({ signedIn: false, tiles: { ok: true } });
  expect(Object.keys(snapshot.data)).toEqual(expect.not.arrayContaining(['log', 'fleet']));
  await openService.append(mixedEvents(5, [Date.now()], 2));
  expect(Object.keys((await stream.next('stats')).data).sort()).toEqual(['at', 'moments', 'tiles']);
  stream.close();
});

test('a block is listed with its end, and lifted in the name of the session', async () => {
  const actor = { by: 'cli', id: 'tester' } as const;
  await blockAddress(redis.client, '198.51.100.1', 0, actor);
  await redis.client.zadd(redisKeys.blockedAddresses, Date.now() + 60_000, '198.51.100.2');
  const lift = (body: object, headers: Record<string, string>) =>
    service.ask('/dashboard/unblock', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  expect((await lift({ address: '198.51.100.1' }, {})).status).toBe(401);
  const cookie = { cookie: await service.signIn() };
  const listed = async () => (await (await service.ask('/dashboard/blocked', { headers: cookie })).json()) as object[];
  expect(await listed()).toEqual([
    { address: '198.51.100.1', until: null, reason: 'blocked by the operator' },
    { address: '198.51.100.2', until: expect.any(Number), reason: 'over the hourly limit' },
  ]);
  expect((await lift({ address: '198.51.100.1' }, cookie)).status).toBe(204);
  // The hour of an address is no block, and ends by itself.
  expect((await lift({ address: '198.51.100.2' }, cookie)).status).toBe(404);
  expect((await lift({ address: 5 }, cookie)).status).toBe(400);
  expect(await listed()).toHaveLength(1);
  const [entry] = await redis.client.xrevrange(redisKeys.audit, '+', '-', 'COUNT', 1);
  expect(JSON.stringify(entry)).toMatch(/session.*address\.unblock.*198\.51\.100\.1/);
});

test('the token signs in with a cookie that scripts and other sites cannot use', async () => {
  const answer = await service.ask('/dashboard/session', {
    method: 'POST',
    body: JSON.stringify({ token: service.token }),
  });
  const header = answer.headers.get('set-cookie') ?? '';
  expect(header).toMatch(/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
  const cookie = cookieOf(answer);
  expect(await (await service.ask('/dashboard/session', { headers: { cookie } })).json()).toMatchObject({
    signedIn: true,
  });
  for (const path of ['/dashboard/log', '/dashboard/blocked']) {
    expect((await service.ask(path, { headers: { cookie } })).status).toBe(200);
  }
  const kept = JSON.stringify(await redis.client.hgetall(operatorKeys.sessions));
  const value = cookie.split('=')[1] ?? '';
  expect(kept).toContain(HOME);
  for (const text of [value, createHash('sha256').update(value).digest('hex'), service.token]) {
    expect(kept).not.toContain(text);
  }
});

test('over TLS the cookie is for TLS alone', async () => {
  const answer = await service.ask('/dashboard/session', {
    method: 'POST',
    body: JSON.stringify({ token: service.token }),
    headers: { 'x-forwarded-proto': 'https' },
  });
  expect(answer.headers.get('set-cookie')).toMatch(/; Secure$/);
});

test('a one-time code works once, and the page that it opens does not show it', async () => {
  const code = await service.makeCode();
  const ahead = await service.ask(`/?code=${code}`, { headers: { 'sec-purpose': 'prefetch' } });
  expect(ahead.headers.get('set-cookie')).toBeNull();
  const [first, second] = await Promise.all([service.ask(`/?code=${code}`), service.ask(`/?code=${code}`)]);
  const [won, lost] = cookieOf(first) ? [first, second] : [second, first];
  expect([won.status, won.headers.get('location')]).toEqual([303, '/']);
  expect([lost.status, lost.headers.get('location'), lost.headers.get('set-cookie')]).toEqual([
    303,
    '/?link=used',
    null,
  ]);
  const session = await service.ask('/dashboard/session', { headers: { cookie: cookieOf(won) } });
  expect(await session.json()).toMatchObject({ signedIn: true });
  const never = await service.ask('/?code=never-made-0000000');
  expect(never.headers.get('location')).toBe('/?link=used');
});

test('invented links, opened by a client or by other sites, lock no operator out', async () => {
  const from = '198.51.100.98';
  for (let index = 0; index < 12; index += 1) {
    const invented = await service.ask(`/?code=never-made-00000${index}`, { from });
    expect(invented.headers.get('location')).toBe('/?link=used');
  }
  await service.signIn(from);
  for (let index = 0; index < 10; index += 1) await service.guess(`wrong-${index}`, from);
  expect((await service.guess(service.token, from)).status).toBe(429);
  expect(cookieOf(await service.ask(`/?code=${await service.makeCode()}`, { from }))).not.toBe('');
});

test('stolen, expired, revoked and invented cookies are refused', async () => {
  const cookie = await service.signIn();
  const status = async (options: { from?: string; cookie: string }) => {
    const { from = HOME } = options;
    return (await service.ask('/dashboard/log', { from, headers: { cookie: options.cookie } })).status;
  };
  expect(await status({ cookie })).toBe(200);
  expect(await status({ cookie, from: '198.51.100.1' })).toBe(401);
  expect(await status({ cookie: `lontar_session=${'A'.repeat(43)}` })).toBe(401);
  expect(await status({ cookie: 'lontar_session=../../x' })).toBe(401);

  expect((await service.ask('/dashboard/sign-out', { method: 'POST', headers: { cookie } })).status).toBe(204);
  expect(await status({ cookie })).toBe(401);

  const expired = await service.signIn();
  for (const digest of await redis.client.hkeys(operatorKeys.sessions)) {
    await redis.client.hset(operatorKeys.sessions, digest, `${HOME} 1 1 ${Date.now() - 1} token`);
  }
  expect(await status({ cookie: expired })).toBe(401);
});

test('signing out ends the live stream at once', async () => {
  const cookie = await service.signIn();
  const stream = await readStream(`${service.url}/dashboard/events`, { cookie, ...service.fromHome });
  await stream.next('snapshot');
  await service.ask('/dashboard/sign-out', { method: 'POST', headers: { cookie } });
  expect((await stream.next('bye')).data).toEqual({ reason: 'signed_out' });
  await stream.ended();
});

test('other sites cannot change anything with the cookie', async () => {
  const cookie = await service.signIn();
  for (const site of ['cross-site', 'same-site']) {
    const answer = await service.ask('/dashboard/reset', {
      method: 'POST',
      headers: { cookie, 'sec-fetch-site': site },
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: 'Cross-site request' });
  }
});

test('where a browser names only the origin, that has to be this one', async () => {
  const cookie = await service.signIn();
  const { host, hostname, port } = new URL(service.url);
  const reset = async (origin: string, headers: Record<string, string> = {}) =>
    (await service.ask('/dashboard/reset', { method: 'POST', headers: { cookie, origin, ...headers } })).status;
  for (const origin of [
    'null',
    'http://evil.example',
    `http://evil.example:${port}`,
    `http://${hostname}`,
    `http://${hostname}:1`,
    `http://${host}.evil.example`,
    `http://evil.example/${host}`,
    'nonsense',
    host,
  ]) {
    expect([origin, await reset(origin)]).toEqual([origin, 403]);
  }
  // Where a browser names the site, that counts: behind a proxy that rewrites Host the origin is another one.
  expect(await reset('https://llm.example.com', { 'sec-fetch-site': 'same-origin' })).toBe(204);
  for (const site of ['cross-site', 'same-site']) {
    expect(await reset(`http://${host}`, { 'sec-fetch-site': site })).toBe(403);
  }
  // Over TLS the scheme is that of the proxy in front.
  for (const origin of [`http://${host}`, `https://${host}`])
    expect([origin, await reset(origin)]).toEqual([origin, 204]);
  expect(await reset(`http://${host}`, { 'sec-fetch-site': 'same-origin' })).toBe(204);
});

test('guessing the token is slowed down', async () => {
  const from = '198.51.100.99';
  const guess = (token: string) => service.guess(token, from);
  for (let index = 0; index < 10; index += 1) expect((await guess(`wrong-${index}`)).status).toBe(401);
  const refused = await guess(service.token);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await guess('')).status).toBe(429);
  await service.signIn();
});

test('of wrong tokens that come all at once, ten are tried', async () => {
  const guesses = Array.from({ length: 200 }, (_, index) => service.guess(`wrong-${index}`, '198.51.100.97'));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(190);
});

test('right tokens among wrong ones are not counted', async () => {
  const from = '198.51.100.96';
  const tokens = Array.from({ length: 30 }, (_, index) => (index % 4 === 1 ? `wrong-${index}` : service.token));
  const answers = await Promise.all(tokens.map((token) => service.guess(token, from)));
  expect(answers.map(({ status }) => status)).toEqual(tokens.map((token) => (token === service.token ? 204 : 401)));
  for (let index = 8; index < 10; index += 1) expect((await service.guess('wrong', from)).status).toBe(401);
  expect((await service.guess('wrong', from)).status).toBe(429);
});

test('the ten minutes begin with the first wrong token, and end', async () => {
  const from = '198.51.100.95';
  const failures = redisKeys.stats(`sign-in-failures:${from}`);
  await service.guess('wrong', from);
  expect(await redis.client.pttl(failures)).toBeGreaterThan(300_000);
  await redis.client.pexpire(failures, 300_000);
  for (let index = 0; index < 12; index += 1) await service.guess('wrong', from);
  const left = await redis.client.pttl(failures);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(300_000);
  await redis.client.del(failures);
  await service.signIn(from);
});

test('resetting the counter starts it at 0 and leaves the rest', async () => {
  const cookie = await service.signIn();
  const before = (await (await service.ask('/api/usage')).json()) as { result: { total: { requests: number } } };
  expect((await service.ask('/dashboard/reset', { method: 'POST', headers: { cookie } })).status).toBe(204);
  const [noted] = (await readAudit(redis.client, { action: 'counter.reset' }, 1)).entries;
  expect(noted).toMatchObject({ actor: { by: 'session', from: HOME }, after: { subtracted: expect.any(String) } });
  const stream = await readStream(`${service.url}/dashboard/events`, { cookie, ...service.fromHome });
  const { data } = await stream.next('snapshot');
  stream.close();
  expect(data['tiles']).toMatchObject({ data: { requestsSinceReset: 0, requestsToday: before.result.total.requests } });
});
