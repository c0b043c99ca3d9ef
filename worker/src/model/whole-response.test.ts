import { createGoogle } from '@ai-sdk/google';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, test } from '@jest/globals';
import { wholeResponse } from '../patches/whole-response.ts';

type Fetch = typeof globalThis.fetch;

const MODELS: Readonly<Record<string, (fetch: Fetch) => LanguageModelV4>> = {
  Gemini: (fetch) => createGoogle({ apiKey: 'k', baseURL: 'http://x/v1', fetch }).languageModel('m'),
};

const ANSWERS: Readonly<Record<string, object>> = {
  Gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello 🌍' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
  },
};

const JSON_TYPE = { 'content-type': 'application/json' };

/** What a model makes of a response, or what it throws, without what differs by nature. */
async function outcome(build: (fetch: Fetch) => LanguageModelV4, response: () => Response): Promise<unknown> {
  const model = build(() => Promise.resolve(response()));
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];
  try {
    const { content, finishReason, usage } = await model.doGenerate({ prompt });
    return { content, finishReason, usage };
  } catch (error) {
    const { name, message, statusCode, responseBody, responseHeaders } = error as Record<string, unknown>;
    return { name, message, statusCode, responseBody, responseHeaders };
  }
}

describe.each(Object.keys(MODELS))('%s makes the same of it as of a real response', (name) => {
  const build = MODELS[name]!;

  test.each<[string, number, Record<string, string>, string]>([
    ['an answer', 200, JSON_TYPE, JSON.stringify(ANSWERS[name])],
    ['an empty body', 200, JSON_TYPE, ''],
    ['what is no JSON', 200, JSON_TYPE, '<html>'],
    ['JSON of another shape', 200, JSON_TYPE, '{}'],
    ['a refusal', 429, { ...JSON_TYPE, 'retry-after': '3', 'retry-after-ms': '2500' }, '{"error":{"message":"slow"}}'],
    ['a failure with a page', 502, { 'content-type': 'text/html' }, '<h1>Bad Gateway</h1>'],
    ['a failure without a word', 500, { 'content-type': 'text/plain' }, ''],
  ])('%s', async (_, status, headers, body) => {
    const real = await outcome(build, () => new Response(body, { status, headers }));
    const whole = await outcome(build, () => wholeResponse(status, headers, new TextEncoder().encode(body)));
    expect(whole).toEqual(real);
  });
});
