import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

/** A body that is never judged good, so that no worker is needed. */
const NO_PROMPT = JSON.stringify({ prompt: 7 });
const MOST = 3;

let gateway: TestGateway;
let exempt: string;
let usual: string;

beforeAll(async () => {
  gateway = await startTestGateway({ RATE_LIMIT_PER_HOUR: String(MOST) });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  await gateway.redis.client.flushdb();
  ({ key: usual } = await gateway.createKey());
  ({ key: exempt } = await gateway.createKey({ noAddressLimit: '1', perHour: '50' }));
});

async function post(path: string, key: string, body = NO_PROMPT): Promise<Response> {
  const headers = { ...(key !== '' && { 'x-api-key': key }), 'content-type': 'application/json' };
  const answer = await fetch(new URL(path, gateway.url), { method: 'POST', headers, body });
  await answer.text();
  return answer;
}

/** What the address has left of its hour, by a request of another key that counts itself. */
async function left(): Promise<number> {
  return Number((await post('/api/ai', usual)).headers.get('x-ratelimit-remaining'));
}

describe('a key that is exempt from the hour of addresses', () => {
  test('goes on behind an address whose hour is used up, which it does not use up itself', async () => {
    for (let turn = 0; turn < 2 * MOST; turn++) expect((await post('/api/ai', exempt)).status).toBe(400);
    expect(await left()).toBe(MOST - 1);
    await left();
    await left();
    expect((await post('/api/ai', usual)).status).toBe(429);
    const answer = await post('/api/ai', exempt);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('ratelimit-policy')).toBeNull();
  });

  test.each(['/api/code', '/api/upload'])('on %s as well, whose day of uploads binds it', async (path) => {
    for (let turn = 0; turn < 2 * MOST; turn++) {
      const answer = await post(path, exempt, '{}');
      expect(answer.status).not.toBe(429);
      expect(answer.headers.get('ratelimit-policy') ?? '').not.toContain('address-hour');
    }
    expect(await left()).toBe(MOST - 1);
  });

  test('is known in a short body too', async () => {
    for (let turn = 0; turn < MOST; turn++) await left();
    const send = async (apikey: string) => (await post('/api/ai', '', JSON.stringify({ apikey, prompt: 7 }))).status;
    expect([await send(usual), await send(exempt)]).toEqual([429, 400]);
  });
});
