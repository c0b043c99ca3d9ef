import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, expectSuccess } from './harness/client.ts';
import { dumpRedis } from './harness/redis-dump.ts';
import { type Stack, startStack } from './harness/stack.ts';

// Made at run time, so that no token-shaped text stands in the sources.
const PROMPT_CANARY = ['prompt', 'canary', String(Date.now())].join('-');
const ANSWER_SECRET = ['ghp', 'aB3dE6gH9'.repeat(4)].join('_');

let stack: Stack;
let key: string;

beforeAll(async () => {
  stack = await startStack({ settings: { LOG_LEVEL: 'trace', LOG_CONTENT: 'off' } });
  ({ key } = await stack.createKey());
}, 60_000);
afterAll(() => stack.stop());

test('no key, pepper, upstream key, prompt or unmasked answer stays in a log or in Redis', async () => {
  stack.upstream.behave({ kind: 'answer', text: `Your token is ${ANSWER_SECRET} and it is secret.` });
  const first = await ask(stack.url, '/api/ai', { query: { prompt: PROMPT_CANARY, apikey: key } });
  expect(expectSuccess(first)).toContain('***API_KEY***');
  await ask(stack.url, '/api/ai', { method: 'POST', body: { prompt: PROMPT_CANARY, apikey: key, model: 'unknown' } });
  await ask(stack.url, '/api/ai', { query: { prompt: PROMPT_CANARY, apikey: `${key}x` } });
  stack.upstream.queue({ kind: 'status', status: 500 }, { kind: 'status', status: 400, body: `echo ${PROMPT_CANARY}` });
  await ask(stack.url, '/api/ai2', { query: { prompt: PROMPT_CANARY }, headers: { authorization: `Bearer ${key}` } });
  await ask(stack.url, `/nothing?apikey=${key}`);

  const places = { logs: stack.logs(), redis: await dumpRedis(stack.redis.client) };
  for (const [place, text] of Object.entries(places)) {
    expect(text.length).toBeGreaterThan(100);
    for (const secret of [key, PROMPT_CANARY, ANSWER_SECRET, ...Object.values(stack.secrets)]) {
      for (const form of [
        secret,
        Buffer.from(secret).toString('base64').slice(0, -4),
        Buffer.from(secret).toString('hex'),
      ]) {
        expect({ place, found: text.includes(form) }).toEqual({ place, found: false });
      }
    }
  }
});
