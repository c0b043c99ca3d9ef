import { beforeEach, describe, expect, test } from '@jest/globals';
import { ask, expectSuccess } from '../harness/client.ts';
import type { GetService } from './service.ts';

/** What limits count and say; that they hold over several gateways and kills is tested elsewhere. */
export function testLimits(service: GetService): void {
  beforeEach(() => service().upstream.behave({ kind: 'answer', text: 'fine' }));

  const generate = (key: string) =>
    ask(service().url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } });

  describe('a limit', () => {
    test.each([
      ['hour', '--per-hour'],
      ['day', '--per-day'],
      ['credits', '--credits'],
    ])('on the %s of a key lets exactly that many of a burst in', async (_what, option) => {
      const { key } = await service().createKey(option, '5');
      const replies = await Promise.all(Array.from({ length: 12 }, () => generate(key)));
      const answered = replies.filter(({ status }) => status === 200);
      answered.forEach(expectSuccess);
      expect(answered).toHaveLength(5);
      for (const { status, headers, body } of replies.filter((reply) => !answered.includes(reply))) {
        expect({ status, body }).toMatchObject({ status: 429, body: { used: 5, remaining: 0, limit: 5 } });
        expect(headers).toMatchObject({ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0' });
        // Credits never come back by waiting.
        if (option === '--credits') expect(headers).not.toHaveProperty('retry-after');
        else expect(headers['retry-after']).toMatch(/^\d+$/);
      }
    });

    test('on requests in flight refuses the one too many, and takes it when there is room', async () => {
      const { key } = await service().createKey('--concurrency', '2');
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      service().upstream.reset();
      service().upstream.behave(async () => {
        await released;
        return { kind: 'answer', text: 'fine' };
      });
      const held = [generate(key), generate(key)];
      await service().upstream.nextCall();
      await service().upstream.nextCall();
      expect((await generate(key)).status).toBe(429);
      release();
      for (const reply of await Promise.all(held)) expectSuccess(reply);
      expectSuccess(await generate(key));
    });

    test('stands in every answer: how many, how many are left, until when', async () => {
      const { key } = await service().createKey('--per-hour', '3');
      const now = Math.floor(Date.now() / 1000);
      for (const left of ['2', '1', '0']) {
        const { headers } = await generate(key);
        expect(headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': left });
        // Another machine's clock may differ by some seconds.
        expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(now + 3_000);
        expect(headers['ratelimit-policy']).toContain('3600');
      }
    });
  });
}
