import { describe, expect, test } from '@jest/globals';
import { expectSuccess } from '../harness/client.ts';
import { useKey } from './key-of-tests.ts';
import type { GetService } from './service.ts';

/** What a good request gets, and what of it reaches the model. */
export function testGeneration(service: GetService): void {
  const caller = useKey(service);

  const { generate } = caller;
  const withKey = (query: Record<string, string | string[]>) => generate({ query: { apikey: caller.key, ...query } });

  describe('a generation', () => {
    test.each([
      ['query', () => generate({ query: { apikey: caller.key, prompt: 'hi' } })],
      ['Bearer', () => generate({ query: { prompt: 'hi' }, headers: { authorization: `Bearer ${caller.key}` } })],
      ['X-API-Key', () => generate({ query: { prompt: 'hi' }, headers: { 'x-api-key': caller.key } })],
      ['JSON body', () => generate({ method: 'POST', body: { apikey: caller.key, prompt: 'hi' } })],
      [
        'JSON body and header',
        () => generate({ method: 'POST', body: { prompt: 'hi' }, headers: { 'x-api-key': caller.key } }),
      ],
    ])('takes the key by %s', async (_way, send) => {
      expect(expectSuccess(await send())).toBe('Halo! **Here** is an answer.');
    });

    test('reaches the upstream with persona, mapped model and parameters', async () => {
      const systems = new Set<string | undefined>();
      for (const path of ['/api/ai', '/api/ai2', '/api/ai3']) {
        const query = {
          apikey: caller.key,
          prompt: 'Apa kabar?',
          model: 'ai-2.5-pro',
          temperature: '1.5',
          maxOutputTokens: '77',
        };
        expectSuccess(await generate({ query }, path));
        const call = await service().upstream.nextCall();
        expect(call).toMatchObject({ prompt: 'Apa kabar?', model: 'upstream-large' });
        expect(call.body).toMatchObject({ temperature: 1.5, max_tokens: 77 });
        expect(call.headers['authorization']).toBe(`Bearer ${service().secrets.upstreamKey}`);
        systems.add(call.system);
      }
      expect(systems.size).toBe(3);
    });

    test('fills in the documented defaults', async () => {
      const reply = await withKey({ prompt: 'hi', unknown: 'ignored', temprature: '9' });
      expectSuccess(reply);
      expect(reply.headers['x-ignored-parameters']).toBe('unknown, temprature (did you mean temperature?)');
      const call = await service().upstream.nextCall();
      expect(call.model).toBe('upstream-small');
      expect(call.body).toMatchObject({ temperature: 0.7, max_tokens: 8192 });
    });

    test('carries a prompt of 32,000 characters by POST, astral ones included', async () => {
      const prompt = '🌴'.repeat(32_000);
      expectSuccess(await generate({ method: 'POST', body: { apikey: caller.key, prompt } }));
      expect((await service().upstream.nextCall()).prompt).toBe(prompt);
    });

    test('masks the answer and says so', async () => {
      service().upstream.behave({ kind: 'answer', text: 'The server is 203.0.113.77, call it.' });
      const reply = await withKey({ prompt: 'where' });
      expect(expectSuccess(reply)).toBe('The server is ***IP_ADDRESS***, call it.');
      expect(reply.headers['x-masked']).toBe('1');
    });

    test('gives each of 100 concurrent callers its own answer', async () => {
      service().upstream.behave((call) => ({ kind: 'answer', text: `echo ${call.prompt}`, delayMs: 20 }));
      const nonces = Array.from({ length: 100 }, (_, index) => `nonce-${index}-of-a-caller`);
      const replies = await Promise.all(nonces.map((prompt) => withKey({ prompt })));
      expect(replies.map(expectSuccess)).toEqual(nonces.map((nonce) => `echo ${nonce}`));
      expect(new Set(replies.map((reply) => reply.headers['x-request-id'])).size).toBe(100);
    });

    test('carries security headers, and nothing of Express', async () => {
      const { headers } = await withKey({ prompt: 'hi' });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'content-type': 'application/json; charset=utf-8',
      });
      expect(headers).not.toHaveProperty('etag');
      expect(headers).not.toHaveProperty('x-powered-by');
    });
  });
}
