import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { fillWindows } from '@lontar/shared/testing/windows.ts';
import { lastDays } from '@lontar/shared/usage/read-usage.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';
import { envelope } from '../reference/answer-schemas.ts';
import { ownKeySchema } from './own-key-schema.ts';

const DAY_MS = 86_400_000;
const GB = 1_073_741_824;
const NOTHING = {
  requests: 0,
  successes: 0,
  errors: 0,
  masked: 0,
  left: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  estimated_tokens: 0,
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ RATE_LIMIT_PER_HOUR: '40' });
});
afterAll(() => gateway.stop());

const ask = (headers: Record<string, string>) => fetch(new URL('/api/key', gateway.url), { headers });
const show = async (key: string) => {
  const response = await ask({ 'x-api-key': key });
  expect(response.status).toBe(200);
  return {
    headers: response.headers,
    result: envelope(200, ownKeySchema)
      .strict()
      .parse(await response.json()).result,
  };
};

describe('a key', () => {
  test('without limits of its own says so', async () => {
    const { id, key } = await gateway.createKey({ name: 'plain', owner: 'secret owner', note: 'secret note' });
    const { result, headers } = await show(key);
    expect(result).toEqual({
      id,
      name: 'plain',
      created_at: '1970-01-01T00:00:00.000Z',
      expires_at: null,
      limits: {
        requests_per_hour: null,
        requests_per_day: null,
        credits: null,
        concurrency: { limit: 10, used: 0, remaining: 10 },
        upload_bytes: { limit: GB, used: 0, remaining: GB },
        address_requests_per_hour: { limit: 40, used: 1, remaining: 39, reset: expect.any(Number) },
      },
      models: ['ai-2.5-flash', 'ai-2.5-pro'],
      max_output_tokens: null,
      masking: { types: ['url', 'key', 'ip', 'connection'], keep_own: false },
      on_disconnect: 'abort',
      old_key_until: null,
      usage: { timezone: 'UTC', today: NOTHING, last_30_days: NOTHING },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-ratelimit-remaining')).toBe('39');
  });

  test('with limits says what is left of each, as the next request will find it', async () => {
    const { client } = gateway.redis;
    const now = Date.now();
    const day = Math.floor(now / DAY_MS);
    const { id, key } = await gateway.createKey({
      ...{ perHour: '20', perDay: '30', credits: '5', charged: '7', concurrency: '4', storage: '1000' },
      ...{ models: 'ai-2.5-pro', maxOutputTokens: '100', mask: 'key', keepOwn: '1', noAddressLimit: '1' },
      ...{ dayCount: String(day * 10_000_000_000 + 12), expiresAt: String(now + DAY_MS), onDisconnect: 'finish' },
    });
    await fillWindows(client, [redisKeys.keyHour(id)], 3);
    await client.zadd(redisKeys.keyFlight(id), now + 60_000, 'req_a', now - 1_000, 'req_ended');
    await client.hset(redisKeys.uploadStorage, `key:${id}`, 250);
    const { result } = await show(key);
    expect(result.limits).toEqual({
      requests_per_hour: { limit: 20, used: 3, remaining: 17, reset: expect.any(Number) },
      requests_per_day: { limit: 30, used: 12, remaining: 18, reset: (day + 1) * 86_400 },
      credits: { limit: 5, used: 7, remaining: 0 },
      concurrency: { limit: 4, used: 1, remaining: 3 },
      upload_bytes: { limit: 1_000, used: 250, remaining: 750 },
      address_requests_per_hour: null,
    });
    expect(result).toMatchObject({
      expires_at: new Date(now + DAY_MS).toISOString(),
      models: ['ai-2.5-pro'],
      max_output_tokens: 100,
      masking: { types: ['key'], keep_own: true },
      on_disconnect: 'finish',
    });
    // Asked again it has counted nothing of the key.
    expect((await show(key)).result.limits).toEqual(result.limits);
  });

  test('tells its usage of today and of the last 30 days, and nothing of others', async () => {
    const { client } = gateway.redis;
    const { id, key } = await gateway.createKey({ noAddressLimit: '1' });
    const other = await gateway.createKey();
    const use = (of: string, daysAgo: number, counts: string) => {
      const date = lastDays(1, Date.now() - daysAgo * DAY_MS).to;
      return client.hset(redisKeys.keyUsage(of, date.slice(0, 7)), `${date.slice(8)} ai-2.5-pro`, counts);
    };
    await use(id, 0, '3,2,100,200,1,50,1,1');
    await use(id, 29, '10,10');
    await use(id, 30, '1000,1000');
    await use(other.id, 0, '500,500');
    const { usage } = (await show(key)).result;
    const today = {
      requests: 3,
      successes: 2,
      errors: 1,
      masked: 1,
      left: 1,
      prompt_tokens: 100,
      completion_tokens: 200,
    };
    expect(usage.today).toEqual({ ...today, estimated_tokens: 50 });
    expect(usage.last_30_days).toEqual({ ...today, estimated_tokens: 50, requests: 13, successes: 12 });
  });
});

describe('a caller without a good key', () => {
  test('learns nothing', async () => {
    const { key, id } = await gateway.createKey({ name: 'hidden name' });
    const revoked = await gateway.createKey({ state: 'revoked', name: 'hidden name' });
    const wrong = `${key.slice(0, 30)}${key[30] === 'x' ? 'y' : 'x'}${key.slice(31)}`;
    const answers: [Record<string, string>, number][] = [
      [{}, 400],
      [{ 'x-api-key': id }, 401],
      [{ 'x-api-key': wrong }, 401],
      [{ 'x-api-key': revoked.key }, 403],
      [{ 'x-api-key': key, authorization: `Bearer ${key}` }, 400],
    ];
    for (const [headers, status] of answers) {
      const response = await ask(headers);
      expect(response.status).toBe(status);
      expect(await response.text()).not.toMatch(/hidden name|limits|usage/);
    }
    expect((await fetch(new URL('/api/key', gateway.url), { method: 'POST' })).status).toBe(405);
  });

  test('is limited as everywhere, and told where to look', async () => {
    const { key } = await gateway.createKey();
    let last = await ask({ 'x-api-key': key });
    for (let tries = 0; last.status === 200 && tries < 50; tries += 1) last = await ask({ 'x-api-key': key });
    expect(last.status).toBe(429);
    const body = (await last.json()) as { message: string; limit: number };
    expect(body).toMatchObject({
      message: expect.stringMatching(/\/me, or GET \/api\/key\.$/),
      limit: 40,
      remaining: 0,
    });
  });
});
