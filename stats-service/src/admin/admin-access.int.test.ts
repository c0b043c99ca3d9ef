import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AdminOperation } from '@lontar/shared/admin/admin-operation.ts';
import { ADMIN_OPERATIONS, MOST_ADMIN_REQUESTS } from '@lontar/shared/admin/admin-operations.ts';
import { ADMIN_ROLES, mayAs, mintAdminToken } from '@lontar/shared/admin/admin-token.ts';
import { listAdminTokens, revokeAdminToken } from '@lontar/shared/admin/admin-tokens.ts';
import { readAudit } from '@lontar/shared/admin/audit.ts';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { ConfigError, readConfig } from '@lontar/shared/config/read-config.ts';
import { operatorKeys } from '@lontar/shared/operator-sessions.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { type AdminService, runAdminService } from '../../testing/admin-client.ts';
import { HOME } from '../../testing/running-service.ts';
import { statsSettings } from '../config.ts';
import { BAD_TOKENS_ALLOWED } from './identify-operator.ts';

const OPERATIONS = Object.values<AdminOperation>(ADMIN_OPERATIONS);
/** Each operation as a request for something that is not there. */
const requestFor = ({ method, path }: AdminOperation) =>
  `${method} ${path.replace('/admin/v1', '').replace(':id', '0123456789').replace(':address', '192.0.2.99')}`;
const CHANGES = OPERATIONS.filter(({ method }) => method !== 'GET');

let redis: TestRedis;
let service: AdminService;
let open: AdminService;

beforeAll(async () => {
  redis = await startTestRedis();
  service = await runAdminService(redis);
  open = await runAdminService(redis, { DASHBOARD_PUBLIC: 'true' });
});
afterAll(async () => {
  await service.stop();
  await open.stop();
  await redis.stop();
});
beforeEach(async () => {
  await redis.client.flushall();
});

/** Everything that requests may change; what is counted of them, who was seen, and which server tells the time, aside. */
async function state(): Promise<string> {
  const names = (await redis.client.keys('*')).filter(
    (name) => !/:(?:admin-|audit-logged|audit|probe|instances|stats|events|clock$)/.test(name),
  );
  return JSON.stringify(await Promise.all(names.sort().map(async (name) => [name, await redis.client.dump(name)])));
}

test('without a token or a session nothing is told or changed, however open the dashboard is', async () => {
  const before = await state();
  for (const operation of OPERATIONS) {
    for (const [name, asked] of Object.entries({ service, open })) {
      const { status, body, headers } = await asked.admin('', requestFor(operation), {
        body: operation.method === 'GET' ? undefined : {},
      });
      expect([name, operation.path, status, body['error']]).toEqual([name, operation.path, 401, 'Invalid admin token']);
      expect(headers.get('www-authenticate')).toContain('Bearer');
    }
  }
  expect(await state()).toBe(before);
});

test('a service without DASHBOARD_TOKEN does not start, so that none is open by mistake', () => {
  const settings = { REDIS_URL: redis.url, INNER_SECRET: 'x'.repeat(32), DASHBOARD_PUBLIC: 'true' };
  expect(() => readConfig(statsSettings, settings)).toThrow(ConfigError);
  expect(() => readConfig(statsSettings, { ...settings, DASHBOARD_TOKEN: '' })).toThrow(ConfigError);
});

test.each(ADMIN_ROLES)(
  'a %s may what the table says, and no more; refusals are noted and change nothing',
  async (role) => {
    const { id, token } = await service.makeToken(role);
    const before = await state();
    const refused = OPERATIONS.filter((operation) => !mayAs(role, operation.role));
    for (const operation of OPERATIONS) {
      const { status, body } = await service.admin(token, requestFor(operation), {
        ...(operation.method === 'GET' ? {} : { body: { nonsense: true } }),
      });
      if (refused.includes(operation)) {
        expect([operation.path, status, body['error']]).toEqual([operation.path, 403, 'Not allowed']);
      } else expect([operation.path, [401, 403].includes(status)]).toEqual([operation.path, false]);
    }
    const { entries } = await readAudit(redis.client, { by: id }, 50);
    const noted = entries.filter(({ outcome }) => outcome === 'refused').map(({ action }) => action);
    expect(new Set(noted)).toEqual(new Set(refused.map(({ action }) => action)));
    if (role === 'viewer') {
      expect(CHANGES.filter(({ action }) => !noted.includes(action))).toEqual([]);
      expect(await state()).toBe(before);
    }
  },
);

test('an expired or revoked token, an API key and a guess are refused by every route, and change nothing', async () => {
  const [revoked, expired] = [await service.makeToken('operator'), await service.makeToken('operator', Date.now() - 1)];
  await revokeAdminToken(redis.client, revoked.id, { by: 'cli', id: 'tester' });
  const before = await state();
  const told = await Promise.all(
    OPERATIONS.map(async (operation, index) => {
      const body = operation.method === 'GET' ? {} : { body: {} };
      // Guesses of one address are few.
      const ask = (given: string) =>
        service.admin(given, requestFor(operation), { ...body, from: `198.51.100.${index}` });
      const replies = [revoked.token, expired.token, mintApiKey().key, mintAdminToken().token].map(ask);
      return (await Promise.all(replies)).map(({ status, body: refusal }) => `${status} ${String(refusal['reason'])}`);
    }),
  );
  const expected = ['401 token_revoked', '401 token_expired', '401 api_key', '401 unauthorized'];
  expect(told).toEqual(OPERATIONS.map(() => expected));
  expect(await state()).toBe(before);
});

describe('tokens', () => {
  const ask = (token: string, from?: string) => service.admin(token, 'GET /queue', from === undefined ? {} : { from });

  test('that are revoked, expired or of another pepper are refused, and say which', async () => {
    const revoked = await service.makeToken('operator');
    expect((await ask(revoked.token)).status).toBe(200);
    await revokeAdminToken(redis.client, revoked.id, { by: 'cli', id: 'tester' });
    expect((await ask(revoked.token)).body['message']).toContain('revoked');
    const expired = await service.makeToken('operator', Date.now() - 1);
    expect(await ask(expired.token)).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining('expired') },
    });
    const foreign = await open.makeToken('operator');
    expect((await ask(foreign.token)).body['message']).toContain('does not exist');
  });

  test('are noted as used to the minute', async () => {
    const { id, token } = await service.makeToken('viewer');
    await ask(token);
    const [listed] = await listAdminTokens(redis.client);
    expect(listed?.lastUsedAt).toBeGreaterThan(Date.now() - 60_000);
    await redis.client.hset(redisKeys.adminTokenUses, id, 5_000);
    await ask(token);
    expect(Number(await redis.client.hget(redisKeys.adminTokenUses, id))).toBeGreaterThan(5_000);
  });

  test('are no API keys, and API keys are no tokens; neither is a guess', async () => {
    for (let index = 0; index < BAD_TOKENS_ALLOWED + 5; index += 1) {
      const refused = await ask(mintApiKey().key, '198.51.100.1');
      expect(refused).toMatchObject({ status: 401, body: { message: expect.stringContaining('This is an API key') } });
    }
    expect(await redis.client.exists(redisKeys.adminBadTokens('198.51.100.1'))).toBe(0);
  });

  test.each<[string, () => string]>([
    ['invented ones', () => mintAdminToken().token],
    ['the token of the dashboard', () => service.token],
    ['nonsense', () => 'nonsense'],
    ['10,000 characters', () => 'x'.repeat(10_000)],
  ])('%s are guesses: twenty ban the address, from the admin API alone', async (_what, guess) => {
    const from = '198.51.100.2';
    const { token } = await service.makeToken('viewer');
    const statuses: number[] = [];
    for (let index = 0; index < BAD_TOKENS_ALLOWED; index += 1) statuses.push((await ask(guess(), from)).status);
    expect(statuses).toEqual([...Array.from({ length: BAD_TOKENS_ALLOWED - 1 }, () => 401), 403]);
    const banned = await ask(guess(), from);
    expect(banned).toMatchObject({ status: 403, body: { error: 'Address blocked' } });
    expect((await ask(token, from)).status).toBe(200);
    expect((await ask(guess(), '198.51.100.3')).status).toBe(401);
    const left = await redis.client.pttl(redisKeys.adminBan(from));
    expect(left).toBeGreaterThan(3_000_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
    for (const key of [
      redisKeys.addressBan(from),
      redisKeys.addressBadKeys(from),
      redisKeys.stats(`sign-in-failures:${from}`),
    ]) {
      expect(await redis.client.exists(key)).toBe(0);
    }
  });

  test('of guesses that come all at once twenty are judged', async () => {
    const guesses = Array.from({ length: 60 }, () => ask(mintAdminToken().token, '198.51.100.4'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(BAD_TOKENS_ALLOWED - 1);
  });

  test('and addresses may ask so often in a minute', async () => {
    const { id, token } = await service.makeToken('viewer');
    await redis.client.set(redisKeys.adminRequests(id), MOST_ADMIN_REQUESTS.token - 1, 'PX', 30_000);
    expect((await ask(token)).status).toBe(200);
    const limited = await ask(token);
    expect(limited).toMatchObject({ status: 429, body: { used: 600, remaining: 0, limit: 600 } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await service.makeToken('viewer');
    expect((await ask(other.token)).status).toBe(200);
    await redis.client.set(redisKeys.adminRequests(HOME), MOST_ADMIN_REQUESTS.address, 'PX', 30_000);
    for (const given of [other.token, '', 'nonsense']) expect((await ask(given)).status).toBe(429);
    expect((await ask(other.token, '198.51.100.5')).status).toBe(200);
  });

  test('serve on a Redis that takes no writes', async () => {
    const { token } = await service.makeToken('viewer');
    await redis.client.config('SET', 'maxmemory', '1');
    try {
      expect((await ask(token)).status).toBe(200);
      // What cannot be noted is not refused in so many words, nor done.
      expect((await service.admin(token, 'POST /keys', { body: { name: 'x' } })).status).toBe(503);
    } finally {
      await redis.client.config('SET', 'maxmemory', '0');
    }
  });
});

describe('the session of an operator', () => {
  test('may everything, and stands in the log by its id and address', async () => {
    const cookie = await service.signIn();
    const made = await service.admin('', 'POST /keys', { body: { name: 'x' }, headers: { cookie } });
    expect(made.status).toBe(201);
    const [digest = ''] = await redis.client.hkeys(operatorKeys.sessions);
    const { entries } = await readAudit(redis.client, {}, 1);
    expect(entries[0]?.actor).toEqual({ by: 'session', id: digest.slice(0, 12), from: HOME });
    expect((await service.admin('', 'GET /audit', { headers: { cookie } })).status).toBe(200);
    expect((await service.admin('', 'GET /audit', { headers: { cookie }, from: '198.51.100.1' })).status).toBe(401);
  });

  test('does not help a token that is given beside it', async () => {
    const cookie = await service.signIn();
    const { token } = await service.makeToken('viewer');
    expect((await service.admin(token, 'POST /queue/pause', { headers: { cookie } })).status).toBe(403);
    expect((await service.admin('nonsense', 'GET /queue', { headers: { cookie } })).status).toBe(401);
  });

  test('ends by the API, for itself and others', async () => {
    const cookie = await service.signIn();
    const { token } = await service.makeToken('operator');
    const [{ id }] = (await service.admin(token, 'GET /sessions')).result['sessions'] as [{ id: string }];
    expect((await service.admin(token, `DELETE /sessions/${id}`)).result).toEqual({ id, ended: true });
    expect((await service.admin(token, `DELETE /sessions/${id}`)).status).toBe(404);
    expect((await service.admin('', 'GET /queue', { headers: { cookie } })).status).toBe(401);
  });
});

describe('pages of other sites', () => {
  const PAGES: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];

  test('reach no route, with whatever they bring, and guess nothing', async () => {
    const cookie = await service.signIn();
    const { token } = await service.makeToken('operator');
    const before = await state();
    for (const operation of OPERATIONS) {
      for (const page of PAGES) {
        for (const [given, headers] of [
          ['', { ...page, cookie }],
          [token, page],
          ['nonsense', page],
        ] as const) {
          const { status, body } = await service.admin(given, requestFor(operation), { headers: { ...headers } });
          expect([operation.path, status, body['error']]).toEqual([operation.path, 403, 'Cross-site request']);
        }
      }
    }
    expect(await state()).toBe(before);
    expect(await redis.client.exists(redisKeys.adminBadTokens(HOME))).toBe(0);
  });

  test('of this site are served', async () => {
    const cookie = await service.signIn();
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    expect((await service.admin('', 'GET /queue', { headers })).status).toBe(200);
  });
});

test.each([{ ADMIN_API: 'off' }, { KEY_PEPPER: '' }])('with %j there is no admin API', async (settings) => {
  const without = await runAdminService(redis, settings);
  const { token } = await service.makeToken('operator');
  for (const operation of OPERATIONS) expect((await without.admin(token, requestFor(operation))).status).toBe(404);
  await without.stop();
});
