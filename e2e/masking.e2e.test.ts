import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generationJobSchema } from '@lontar/shared/generation-job.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import { ask, expectSuccess } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { type MadeUpSecret, madeUpSecrets } from './harness/made-up-secrets.ts';
import { dumpRedis } from './harness/redis-dump.ts';
import { type Stack, startStack } from './harness/stack.ts';

const secrets = madeUpSecrets(Number(process.env['SEED'] ?? Date.now() % 100_000));
let stack: Stack;
let key: string;

beforeAll(async () => {
  stack = await startStack({ stats: true, settings: { LOG_LEVEL: 'trace' } });
  ({ key } = await stack.createKey());
});
afterAll(() => stack.stop());

const prompt = (text: string) => ask(stack.url, '/api/ai', { method: 'POST', body: { apikey: key, prompt: text } });

/** @returns all that the operator's log says of its latest requests, one after the other */
async function readLog(cookie: string): Promise<string> {
  const { body } = await ask(stack.url, '/dashboard/log', { headers: { cookie } });
  const rows = body['rows'] as { cursor: string }[];
  const sheets = await Promise.all(
    rows.map(({ cursor }) => ask(stack.url, `/dashboard/log/${cursor}`, { headers: { cookie } })),
  );
  return sheets.map(({ text }) => text).join('\n');
}

describe('a secret that the model says', () => {
  test.each(Object.entries(secrets))('%s does not reach the caller', async (_family, { value, text }: MadeUpSecret) => {
    stack.upstream.behave({ kind: 'answer', text: `Sure!\n\n${text}\n\nThat is all.` });
    const reply = await prompt('Tell me.');
    const result = expectSuccess(reply);
    expect(result).not.toContain(value);
    expect(result).toMatch(/^Sure!\n\n[^]*\*\*\*[A-Z_]+\*\*\*[^]*\n\nThat is all\.$/);
    expect(Number(reply.headers['x-masked'])).toBeGreaterThan(0);
  });

  test('is masked in the preview of the prompt too', async () => {
    stack.upstream.behave({ kind: 'answer', text: 'Noted.' });
    for (const { text } of Object.values(secrets)) expectSuccess(await prompt(`Remember this: ${text}`));
  });

  test("the service's own upstream key is masked in every form", async () => {
    const { upstreamKey } = stack.secrets;
    const forms = [upstreamKey, encodeURIComponent(upstreamKey), Buffer.from(upstreamKey).toString('base64')];
    for (const form of forms) {
      stack.upstream.behave({ kind: 'answer', text: `I was called with ${form} it seems.` });
      const result = expectSuccess(await prompt('What is your key?'));
      expect(result).not.toContain(form);
      // The last characters of base64 mix the value's last bits with what follows; they reveal nothing.
      expect(result).toMatch(/^I was called with \*\*\*API_KEY\*\*\*[\w+/=]{0,3} it seems\.$/);
    }
  });

  test('stands in no log, no key of Redis, no metric and no page of the statistics', async () => {
    const signIn = await ask(stack.url, '/dashboard/session', {
      method: 'POST',
      body: { token: stack.secrets.dashboardToken },
      headers: { origin: stack.url },
    });
    const cookie = signIn.headers['set-cookie']?.split(';')[0] ?? '';
    let log = '';
    // The statistics gather what has happened for some time.
    await until(async () => {
      log = await readLog(cookie);
      return log.includes('What is your key?');
    });
    expect(log).toMatch(/Remember this: [^]*\*\*\*/);
    const pages = await Promise.all(['/api/usage', '/api/stats', '/api/health'].map((path) => ask(stack.url, path)));
    const places = {
      logs: stack.logs(),
      redis: await dumpRedis(stack.redis.client),
      metrics: (await Promise.all((await stack.metricsUrls()).map(async (url) => (await fetch(url)).text()))).join(
        '\n',
      ),
      log,
      pages: pages.map(({ text }) => text).join('\n'),
    };
    expect(places.metrics).toContain('masking_secrets_masked_total');
    for (const [place, text] of Object.entries(places)) {
      for (const [family, { value }] of Object.entries(secrets)) {
        const forms = [value, JSON.stringify(value).slice(1, -1), Buffer.from(value).toString('hex')];
        expect({ place, family, found: forms.some((form) => text.includes(form)) }).toEqual({
          place,
          family,
          found: false,
        });
      }
    }
  });
});

test('a request whose answer could not be masked fails with 500, without text, and costs nothing', async () => {
  const unworked = await startStack({ workers: 0 });
  try {
    const paid = await unworked.createKey('--credits', '5');
    const reply = ask(unworked.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': paid.key } });
    // The part of the worker is played here; that masking which throws settles like this is proven beside its code.
    const { client } = unworked.redis;
    let requestId = '';
    await until(async () => {
      [requestId = ''] = await client.lrange('{lontar}:generation:wait', 0, 0);
      return requestId !== '';
    });
    const stored = await client.hget(`{lontar}:generation:${requestId}`, 'data');
    const job = generationJobSchema.parse(JSON.parse(stored ?? ''));
    const settlement = { v: 1, outcome: 'failed', error: 'masking_failed' } as const;
    await settle(client, { requestId, keyId: paid.id, settlement, attempt: 1, replyTo: job.gateway });
    expect(await reply).toMatchObject({ status: 500, body: { error: 'Internal error' } });
    expect((await reply).body).not.toHaveProperty('result');
    expect(await client.hget(redisKeys.apiKey(paid.id), 'charged')).toBe('0');
  } finally {
    await unworked.stop();
  }
});
