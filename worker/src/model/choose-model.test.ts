import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '@lontar/shared/config/read-config.ts';
import { workerSettings } from '../config.ts';
import { chooseModel } from './choose-model.ts';
import { thinkingBudgetOf } from './gemini-model.ts';
import { suitReasoningModels } from './openai/write-request.ts';

const GEMINI_KEY = ['gemini', 'key', '0123456789'].join('-');
const OPENAI_KEY = ['openai', 'key', '0123456789'].join('-');
const PASSWORD = ['pass', 'word'].join('-');
const LOCAL = 'http://localhost:11434/v1';

const choose = (environment: Record<string, string> = {}) =>
  chooseModel(readConfig(workerSettings, { REDIS_URL: 'redis://127.0.0.1:6379', ...environment }));

describe('who answers', () => {
  test.each<[string, Record<string, string>, string]>([
    ['nothing set', {}, 'demo'],
    ['a key for Gemini', { GEMINI_API_KEY: GEMINI_KEY }, 'gemini'],
    ['a URL', { OPENAI_BASE_URL: LOCAL }, 'openai'],
    ['both', { GEMINI_API_KEY: GEMINI_KEY, OPENAI_BASE_URL: LOCAL }, 'gemini'],
    ['both, and openai', { MODEL_PROVIDER: 'openai', GEMINI_API_KEY: GEMINI_KEY, OPENAI_BASE_URL: LOCAL }, 'openai'],
    ['both, and demo', { MODEL_PROVIDER: 'demo', GEMINI_API_KEY: GEMINI_KEY, OPENAI_BASE_URL: LOCAL }, 'demo'],
    ['a key for OpenAI alone', { OPENAI_API_KEY: OPENAI_KEY }, 'demo'],
  ])('with %s', async (_, environment, provider) => {
    const { model } = choose(environment);
    expect(model.provider).toBe(provider);
    await model.close();
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['gemini without a key', { MODEL_PROVIDER: 'gemini' }, /GEMINI_API_KEY is not set/],
    ['openai without a URL', { MODEL_PROVIDER: 'openai' }, /OPENAI_BASE_URL is not set.*Example/],
    ['a key with a line break', { GEMINI_API_KEY: `${GEMINI_KEY}\nx` }, /GEMINI_API_KEY holds a space/],
    [
      'a URL with a password',
      { OPENAI_BASE_URL: `http://me:${PASSWORD}@example.org/v1` },
      /OPENAI_BASE_URL holds a user/,
    ],
  ])('%s is refused, without naming a secret', (_, environment, message) => {
    expect(() => choose(environment)).toThrow(ConfigError);
    expect(() => choose(environment)).toThrow(message);
    expect(() => choose(environment)).not.toThrow(/pass-word|0123456789/);
  });
});

describe('the names of the models', () => {
  const map = { MODEL_MAP: '{"ai-2.5-pro":"mapped"}' };
  test.each<[string, Record<string, string>, string, string]>([
    ['gemini', { GEMINI_API_KEY: GEMINI_KEY }, 'gemini-2.5-flash', 'gemini-2.5-pro'],
    ['gemini with a map', { GEMINI_API_KEY: GEMINI_KEY, ...map }, 'gemini-2.5-flash', 'mapped'],
    ['openai', { OPENAI_BASE_URL: LOCAL }, 'ai-2.5-flash', 'ai-2.5-pro'],
    ['openai with a map', { OPENAI_BASE_URL: LOCAL, ...map }, 'ai-2.5-flash', 'mapped'],
    ['demo', {}, 'ai-2.5-flash', 'ai-2.5-pro'],
  ])('of %s', (_, environment, flash, pro) => {
    const { upstreamName } = choose(environment);
    expect([upstreamName('ai-2.5-flash'), upstreamName('ai-2.5-pro')]).toEqual([flash, pro]);
  });
});

describe('what the operator and the masker get', () => {
  test('the notice names who answers, in one sentence, without secrets or hosts', () => {
    expect(choose().notice).toMatch(/demo model.*GEMINI_API_KEY/);
    expect(choose({ GEMINI_API_KEY: GEMINI_KEY }).notice).toMatch(/^Gemini answers.*ai-2.5-pro is gemini-2.5-pro/);
    const { notice } = choose({ OPENAI_BASE_URL: LOCAL, OPENAI_API_KEY: OPENAI_KEY });
    expect(notice).toMatch(/OPENAI_BASE_URL.*MODEL_MAP/);
    expect(notice).not.toMatch(/localhost|0123456789/);
  });

  test('all configured keys and hosts are known, also of who does not answer', () => {
    const chosen = choose({
      MODEL_PROVIDER: 'demo',
      GEMINI_API_KEY: GEMINI_KEY,
      OPENAI_API_KEY: OPENAI_KEY,
      OPENAI_BASE_URL: 'https://models.example.org:8443/v1',
    });
    expect(chosen.knownValues).toEqual([GEMINI_KEY, OPENAI_KEY]);
    expect(chosen.hosts).toEqual(['generativelanguage.googleapis.com', 'models.example.org']);
  });

  test('a host of one label is known with its port only', () => {
    expect(choose({ OPENAI_BASE_URL: LOCAL }).hosts).toContain('localhost:11434');
  });
});

test.each<[string, number, number | undefined]>([
  ['gemini-2.5-flash', 8_192, undefined],
  ['gemini-2.5-flash', 4_000, 1_000],
  ['gemini-2.5-flash', 1_000, 0],
  ['gemini-2.5-flash-lite', 2_047, 0],
  ['gemini-2.5-flash-lite', 2_048, 512],
  ['gemini-2.5-pro', 4_000, 1_000],
  ['gemini-2.5-pro', 10, 128],
  ['models/gemini-2.5-pro', 10, 128],
  ['gemini-2.5-flash-image', 10, undefined],
  ['gemini-3-pro', 10, undefined],
])('%s thinks within %d tokens with %p', (model, maxOutputTokens, budget) => {
  expect(thinkingBudgetOf({ model, maxOutputTokens })).toBe(budget);
});

test.each<[string, boolean]>([
  ['gpt-5', true],
  ['openai/gpt-5-mini', true],
  ['o3', true],
  ['gpt-4o', false],
  ['gpt-5-chat-latest', false],
  ['llama3', false],
  ['qwen/o-model', false],
])('%s is a reasoning model of OpenAI: %p', (model, isReasoning) => {
  const body = { model, max_tokens: 5, temperature: 0.7, messages: [] };
  const suited = isReasoning ? { model, max_completion_tokens: 5, messages: [] } : body;
  expect(suitReasoningModels(body)).toEqual(suited);
});
