import { describe, expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { expectSuccess } from '../harness/client.ts';
import { useKey } from './key-of-tests.ts';
import type { GetService } from './service.ts';

/** Where the tests call from: this machine, or a container's way to it. */
const PRIVATE = '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16';

/** Whom a key lets in, and what it may. */
export function testKeys(service: GetService): void {
  const caller = useKey(service);

  const { generate } = caller;

  describe('a key', () => {
    test('that is unknown gets 401', async () => {
      const reply = await generate({ query: { apikey: mintApiKey().key, prompt: 'hi' } });
      expect(reply).toMatchObject({ status: 401, body: { error: 'Invalid API key' } });
    });

    test('that is malformed or mistyped gets 401', async () => {
      const { key } = caller;
      const mistyped = key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21);
      for (const apikey of ['nonsense', mistyped, `${key}x`, 'lt_live_']) {
        expect(await generate({ query: { apikey, prompt: 'hi' } })).toMatchObject({ status: 401 });
      }
      expect(service().upstream.calls).toHaveLength(0);
    });

    test('that is revoked gets 403 from the next request on', async () => {
      const revoked = await service().createKey();
      expectSuccess(await generate({ query: { apikey: revoked.key, prompt: 'hi' } }));
      await service().lontar('keys', 'revoke', revoked.id);
      const reply = await generate({ query: { apikey: revoked.key, prompt: 'hi' } });
      expect(reply).toMatchObject({ status: 403, body: { error: 'API key not active' } });
    });

    test('may be limited to a model and an address', async () => {
      const flash = await service().createKey('--models', 'ai-2.5-flash');
      const query = { apikey: flash.key, prompt: 'hi' };
      expectSuccess(await generate({ query }));
      expect(await generate({ query: { ...query, model: 'ai-2.5-pro' } })).toMatchObject({ status: 403 });
      const elsewhere = await service().createKey('--addresses', '198.51.100.0/24');
      expect(await generate({ query: { apikey: elsewhere.key, prompt: 'hi' } })).toMatchObject({ status: 403 });
      const here = await service().createKey('--addresses', `198.51.100.0/24,${PRIVATE}`);
      expectSuccess(await generate({ query: { apikey: here.key, prompt: 'hi' } }));
    });

    test('that the operator changes follows its new limits from the next request on', async () => {
      const { id, key: apikey } = await service().createKey();
      const query = { apikey, prompt: 'hi' };
      const change = (...options: string[]) => service().lontar('keys', 'update', id, ...options);
      expectSuccess(await generate({ query }));
      await change('--credits', '2');
      expect((await generate({ query })).headers['x-ratelimit-remaining']).toBe('0');
      await change('--credits', '9', '--models', 'ai-2.5-flash');
      expectSuccess(await generate({ query }));
      expect(await generate({ query: { ...query, model: 'ai-2.5-pro' } })).toMatchObject({ status: 403 });
      await change('--credits', '3', '--models', 'none');
      expect(await generate({ query: { ...query, model: 'ai-2.5-pro' } })).toMatchObject({
        status: 429,
        body: { used: 3, limit: 3 },
      });
      await change('--credits', 'none', '--per-hour', '1');
      expectSuccess(await generate({ query }));
      expect(await generate({ query })).toMatchObject({ status: 429, body: { used: 1, limit: 1 } });
    });

    test('pays one credit for an answer, and none for a failure of ours', async () => {
      const paid = await service().createKey('--credits', '2');
      const query = { apikey: paid.key, prompt: 'hi' };
      expect((await generate({ query })).headers['x-ratelimit-remaining']).toBe('1');
      service().upstream.behave({ kind: 'status', status: 400 });
      // Its headers say that the credit is back.
      expect(await generate({ query })).toMatchObject({
        status: 502,
        body: { error: 'Upstream error' },
        headers: { 'x-ratelimit-remaining': '1' },
      });
      service().upstream.behave({ kind: 'answer', text: 'fine' });
      expect((await generate({ query })).headers['x-ratelimit-remaining']).toBe('0');
      const refused = await generate({ query });
      expect(refused).toMatchObject({ status: 429, body: { used: 2, remaining: 0, limit: 2 } });
      expect(refused.headers).not.toHaveProperty('retry-after');
      expect(refused.body['message']).toMatch(/credits .* 2 of 2.* only the operator/);
    });
  });
}
