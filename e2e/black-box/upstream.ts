import { describe, expect, test } from '@jest/globals';
import { UPSTREAM_CANARY } from '@lontar/shared/testing/fake-upstream.ts';
import { expectSuccess } from '../harness/client.ts';
import { madeUpSecrets } from '../harness/made-up-secrets.ts';
import { useKey } from './key-of-tests.ts';
import type { GetService } from './service.ts';

const fine = { kind: 'answer', text: 'It works again.' } as const;

/** What becomes of a model's answers: masked, tried again, or a documented error with nothing of the upstream in it. */
export function testUpstream(service: GetService): void {
  const caller = useKey(service, fine);

  const generate = () => caller.generate({ query: { prompt: 'hi' }, headers: { 'x-api-key': caller.key } }, '/api/ai2');

  describe('an upstream that', () => {
    test.each([
      ['answers 400', { kind: 'status', status: 400 }, 502, 'Upstream error'],
      ['answers 401', { kind: 'status', status: 401 }, 502, 'Upstream error'],
      ['sends garbage', 'garbage', 502, 'Upstream error'],
      ['sends no text', 'empty', 502, 'Upstream error'],
      ['blocks the prompt', 'blocked', 422, 'Content blocked'],
    ] as const)('%s: the documented error, after one call', async (_what, behaviour, status, label) => {
      service().upstream.behave(behaviour);
      const reply = await generate();
      expect(reply).toMatchObject({ status, body: { error: label } });
      expect(service().upstream.calls).toHaveLength(1);
      const all = reply.text + JSON.stringify(reply.headers);
      expect(all).not.toContain(UPSTREAM_CANARY);
      expect(all).not.toContain(service().secrets.upstreamKey);
    });

    test.each([
      ['answers 500', { kind: 'status', status: 500 }],
      ['answers 429', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }],
      ['resets the connection', 'reset'],
    ] as const)('%s, once: it is asked again', async (_what, behaviour) => {
      service().upstream.queue(behaviour);
      expect(expectSuccess(await generate())).toBe(fine.text);
      expect(service().upstream.calls).toHaveLength(2);
    });

    test('gives secrets away: each is masked, and counted', async () => {
      const secrets = Object.values(madeUpSecrets(11));
      service().upstream.behave({ kind: 'answer', text: secrets.map(({ text }) => text).join('\n') });
      const reply = await generate();
      const result = expectSuccess(reply);
      expect(Number(reply.headers['x-masked'])).toBeGreaterThanOrEqual(secrets.length);
      for (const { value } of secrets) expect(result).not.toContain(value);
    });
  });
}
