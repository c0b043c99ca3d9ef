import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '@lontar/shared/config/read-config.ts';
import { fixedSource } from '@lontar/shared/models/catalog.ts';
import { catalogOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { secretsIn } from '@lontar/shared/models/secrets.ts';
import { workerSettings } from '../config.ts';
import { firstRoute } from './first-route.ts';
import { maskOptionsOf } from './mask-options.ts';
import { openUpstreams } from './open-upstreams.ts';
import { noticeOf } from './operator-words.ts';

const GEMINI_KEY = ['gemini', 'key', '0123456789'].join('-');
const OPENAI_KEY = ['openai', 'key', '0123456789'].join('-');
const PASSWORD = ['pass', 'word'].join('-');
const LOCAL = 'http://localhost:11434/v1';

function choose(given: Record<string, string> = {}) {
  const environment = { REDIS_URL: 'redis://127.0.0.1:6379', ...given };
  const config = readConfig(workerSettings, environment);
  const catalog = fixedSource(catalogOfVariables(config));
  const secretOf = secretsIn(environment);
  const upstreams = openUpstreams(catalog, { timeoutMs: 1_000, maxAnswerBytes: 1_024, secretOf });
  const { knownValues, maskHosts } = maskOptionsOf(config, catalog.current, secretOf);
  return {
    upstreams,
    routeOf: (model: string) => firstRoute({ catalog, upstreams }, model),
    notice: noticeOf(catalog.current),
    knownValues,
    maskHosts,
  };
}

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
    const { routeOf, upstreams } = choose(environment);
    expect(routeOf('ai-2.5-pro')?.language.provider).toBe(provider);
    await upstreams.close();
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
    const { routeOf } = choose(environment);
    expect(['ai-2.5-flash', 'ai-2.5-pro'].map((name) => routeOf(name)?.route.model)).toEqual([flash, pro]);
    expect(routeOf('ai-2.5')).toBeUndefined();
  });
});

describe('what the operator and the masker get', () => {
  test('the notice names who answers, in one sentence, without secrets or hosts', () => {
    expect(choose().notice).toMatch(/demo model.*README/);
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
    expect(chosen.maskHosts).toEqual(['generativelanguage.googleapis.com', 'models.example.org']);
  });

  test('a host of one label is known with its port only', () => {
    expect(choose({ OPENAI_BASE_URL: LOCAL }).maskHosts).toContain('localhost:11434');
  });
});
