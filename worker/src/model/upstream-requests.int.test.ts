import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '@lontar/shared/config/read-config.ts';
import { fixedSource } from '@lontar/shared/models/catalog.ts';
import { catalogOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { secretsIn } from '@lontar/shared/models/secrets.ts';
import { WRONG_CHARSET_TEXT } from '@lontar/shared/testing/fake-performance.ts';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import { workerSettings } from '../config.ts';
import { firstRoute } from '../upstreams/first-route.ts';
import { type OpenUpstreams, openUpstreams } from '../upstreams/open-upstreams.ts';
import type { ModelRequest } from './language-model.ts';

const KEY = ['key', 'of', 'the', 'operator', '0123456789'].join('-');

let upstream: FakeUpstream;
const opened: OpenUpstreams[] = [];
beforeAll(async () => {
  upstream = await startFakeUpstream();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((upstreams) => upstreams.close()));
  upstream.reset();
  upstream.behave({ kind: 'answer', text: 'An answer.' });
});
afterAll(() => upstream.stop());

function choose(provider: 'gemini' | 'openai', more: Record<string, string> = {}) {
  const urls =
    provider === 'gemini' ? { GEMINI_BASE_URL: upstream.geminiUrl } : { OPENAI_BASE_URL: upstream.openAiUrl };
  const keys = provider === 'gemini' ? { GEMINI_API_KEY: KEY } : { OPENAI_API_KEY: KEY };
  const environment = { REDIS_URL: 'redis://127.0.0.1:6379', MODEL_PROVIDER: provider, ...urls, ...keys, ...more };
  const config = readConfig(workerSettings, environment);
  const catalog = fixedSource(catalogOfVariables(config));
  const settings = { timeoutMs: 60_000, maxAnswerBytes: config.MAX_ANSWER_BYTES, secretOf: secretsIn(environment) };
  const upstreams = openUpstreams(catalog, settings);
  opened.push(upstreams);
  const [name = ''] = catalog.current.upstreams.keys();
  const model = upstreams.languageModel(name);
  if (model === undefined) throw new Error('The upstream is not open.');
  return {
    model,
    upstreamName: (publicName: string) => firstRoute({ catalog, upstreams }, publicName)?.route.model ?? '',
  };
}

const QUESTION = { role: 'user', content: 'What is a lontar?' } as const;

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  requestId: 'req_test',
  model: 'some-model',
  chat: {
    messages: [{ role: 'system', content: 'You are a test.' }, QUESTION],
    temperature: 1.3,
  },
  maxOutputTokens: 9_000,
  ...more,
});

const signal = new AbortController().signal;

describe('the request to Gemini', () => {
  test('holds path, key, persona, prompt, temperature and token limit', async () => {
    const { model, upstreamName } = choose('gemini');
    await model.generate(request({ model: upstreamName('ai-2.5-pro') }), signal);
    const call = await upstream.nextCall();
    expect(call.path).toBe('/v1beta/models/gemini-2.5-pro:generateContent');
    expect(call.headers['x-goog-api-key']).toBe(KEY);
    expect(call.headers.authorization).toBeUndefined();
    expect(call.body).toEqual({
      systemInstruction: { parts: [{ text: 'You are a test.' }] },
      contents: [{ role: 'user', parts: [{ text: 'What is a lontar?' }] }],
      generationConfig: { temperature: 1.3, maxOutputTokens: 9_000 },
    });
  });

  test('goes to the model that MODEL_MAP names', async () => {
    const { model, upstreamName } = choose('gemini', { MODEL_MAP: '{"ai-2.5-flash":"gemini-mapped"}' });
    await model.generate(request({ model: upstreamName('ai-2.5-flash') }), signal);
    expect((await upstream.nextCall()).path).toBe('/v1beta/models/gemini-mapped:generateContent');
  });

  test('bounds the thinking under a small token limit', async () => {
    await choose('gemini').model.generate(request({ model: 'gemini-2.5-flash', maxOutputTokens: 300 }), signal);
    expect((await upstream.nextCall()).body).toMatchObject({
      generationConfig: { maxOutputTokens: 300, thinkingConfig: { thinkingBudget: 0 } },
    });
  });

  test('works with a base URL that ends in a slash', async () => {
    await choose('gemini', { GEMINI_BASE_URL: `${upstream.geminiUrl}/` }).model.generate(request(), signal);
    expect((await upstream.nextCall()).path).toBe('/v1beta/models/some-model:generateContent');
  });
});

describe('the request to an OpenAI-compatible server', () => {
  test('holds path, key, persona, prompt, model, temperature and token limit', async () => {
    const { model, upstreamName } = choose('openai', { MODEL_MAP: '{"ai-2.5-flash":"local/llama"}' });
    await model.generate(request({ model: upstreamName('ai-2.5-flash') }), signal);
    const call = await upstream.nextCall();
    expect(call.path).toBe('/v1/chat/completions');
    expect(call.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(call.body).toEqual({
      model: 'local/llama',
      messages: [
        { role: 'system', content: 'You are a test.' },
        { role: 'user', content: 'What is a lontar?' },
      ],
      temperature: 1.3,
      max_tokens: 9_000,
      max_completion_tokens: 9_000,
    });
  });

  test('without a key has no Authorization header', async () => {
    await choose('openai', { OPENAI_API_KEY: '' }).model.generate(request(), signal);
    expect((await upstream.nextCall()).headers.authorization).toBeUndefined();
  });

  test('without a persona has no system message', async () => {
    await choose('openai').model.generate(request({ chat: { messages: [QUESTION] } }), signal);
    expect((await upstream.nextCall()).system).toBeUndefined();
  });

  test('keeps the query of the base URL', async () => {
    const base = `${upstream.openAiUrl}/?api-version=2026-01-01`;
    await choose('openai', { OPENAI_BASE_URL: base }).model.generate(request(), signal);
    expect((await upstream.nextCall()).path).toBe('/v1/chat/completions?api-version=2026-01-01');
  });

  test('gives a reasoning model of OpenAI only what it takes', async () => {
    await choose('openai').model.generate(request({ model: 'gpt-5-mini' }), signal);
    const { body } = await upstream.nextCall();
    expect(body).toMatchObject({ max_completion_tokens: 9_000 });
    expect(body).not.toHaveProperty('max_tokens');
    expect(body).not.toHaveProperty('temperature');
  });
});

describe.each(['gemini', 'openai'] as const)('the answer of %s', (provider) => {
  test('is its text, its tokens and how it ended', async () => {
    upstream.behave({ kind: 'answer', text: 'Sebuah **lontar**.\n', usage: { input: 5, output: 3 } });
    await expect(choose(provider).model.generate(request(), signal)).resolves.toEqual({
      text: 'Sebuah **lontar**.\n',
      usage: { input: 5, output: 3 },
      finishReason: 'stop',
    });
  });

  test.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['something_new', 'other'],
  ])('that ended by %s with text is an answer', async (finishReason, expected) => {
    upstream.behave({ kind: 'answer', text: 'As far as', finishReason });
    const answer = await choose(provider).model.generate(request(), signal);
    expect(answer).toMatchObject({ text: 'As far as', finishReason: expected });
  });

  test('is waited for', async () => {
    upstream.behave({ kind: 'answer', text: 'At last.', delayMs: 50 });
    await expect(choose(provider).model.generate(request(), signal)).resolves.toMatchObject({ text: 'At last.' });
  });

  test('may be written in the charset that it names', async () => {
    upstream.behave('wrong-charset');
    const answer = await choose(provider).model.generate(request(), signal);
    expect(answer.text).toBe(WRONG_CHARSET_TEXT);
  });

  test('is well-formed Unicode, whatever the upstream sent', async () => {
    upstream.behave({ kind: 'answer', text: 'half \ud83d of a pair' });
    const answer = await choose(provider).model.generate(request(), signal);
    expect(answer.text).toBe('half \ufffd of a pair');
  });

  test('may be as large as the cap', async () => {
    const text = 'x'.repeat(60_000);
    upstream.behave({ kind: 'answer', text });
    const answer = await choose(provider, { MAX_ANSWER_BYTES: '65536' }).model.generate(request(), signal);
    expect(answer.text).toBe(text);
  });

  test('leaves a connection for the next one', async () => {
    const { model } = choose(provider);
    for (let calls = 0; calls < 10; calls += 1) await model.generate(request(), signal);
    // An answer is complete a moment before its connection is free, so that two take turns.
    expect(new Set(upstream.calls.map((call) => call.clientPort)).size).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 20 }, () => model.generate(request(), signal)));
    expect(upstream.calls).toHaveLength(30);
  });
});

test('an answer that Gemini sends in endless pieces has one cap for all of them', async () => {
  const piece = {
    content: { parts: [{ text: 'x'.repeat(10_000) }] },
    finishReason: 'CONTINUATION',
    continuationToken: 'c',
  };
  upstream.behave({ kind: 'status', status: 200, body: { candidates: [piece] } });
  const { model } = choose('gemini', { MAX_ANSWER_BYTES: '65536' });
  await expect(model.generate(request(), signal)).rejects.toMatchObject({ kind: 'too_large' });
  expect(upstream.calls).toHaveLength(7);
});
