import { describe, expect, test } from '@jest/globals';
import { ConfigError, settingNotes, settingsOf } from '@lontar/shared/config/read-config.ts';
import { providerOf } from '@lontar/shared/models/catalog-of-variables.ts';
import { checkSettings } from './check-settings.ts';
import { everySetting, serviceEnvironment } from './services.ts';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    checkSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('checkSettings', () => {
  test('needs nothing: npm start brings what is required', () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ KEY_PEPPER: '', DASHBOARD_TOKEN: '' })).toEqual([]);
  });

  test('reports all problems of all services at once', () => {
    const problems = problemsOf({
      PORT: 'abc',
      REDIS_URL: '',
      WORKER_CONCURRENCY: '0',
      UPLOADS_PER_DAY: '-1',
      KEY_PEPPER: 'short',
      TRUST_PROXY: 'true',
    });
    const names = new Set(problems.map((problem) => problem.split(' ')[0]));
    expect(names).toEqual(
      new Set(['KEY_PEPPER', 'PORT', 'REDIS_URL', 'TRUST_PROXY', 'UPLOADS_PER_DAY', 'WORKER_CONCURRENCY']),
    );
    expect(problems).toHaveLength(names.size);
    expect(problems.join()).not.toContain('short');
  });

  // Files of TLS are judged with the address that they are for.
  const alone = settingsOf(everySetting).filter(([name]) => !/^REDIS_(CA|CERT|KEY)_FILE$/.test(name));
  const refused = alone.filter(([name]) => problemsOf({ [name]: '!' }).length > 0);

  test.each(refused)('says of %s, in words and in a sentence, what it must be', (name, setting) => {
    const [problem = '', ...others] = problemsOf({ [name]: '!' });
    const fault = settingNotes(setting).secret ? 'is not valid' : 'is "!", which is not valid';
    expect(others).toEqual([]);
    expect(problem).toMatch(new RegExp(`^${name} ${fault}: it must (be|have) [^|]+\\. Example: ${name}=`));
  });

  test('an empty REDIS_URL says what to do', () => {
    expect(problemsOf({ REDIS_URL: '' })[0]).toContain('remove it to let npm start bring its own Redis');
  });

  test.each([
    ['gemini', 'GEMINI_API_KEY'],
    ['openai', 'OPENAI_BASE_URL'],
  ])('MODEL_PROVIDER=%s needs %s', (provider, name) => {
    expect(problemsOf({ MODEL_PROVIDER: provider })).toEqual([expect.stringContaining(name)]);
  });
});

test.each([
  [{}, 'demo'],
  [{ GEMINI_API_KEY: 'x', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, 'gemini'],
  [{ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, 'openai'],
  [{ GEMINI_API_KEY: 'x', MODEL_PROVIDER: 'demo' }, 'demo'],
])('%j is answered by %s', (environment, provider) => {
  expect(providerOf(checkSettings(environment))).toBe(provider);
});

describe('serviceEnvironment', () => {
  const environment = {
    PATH: '/bin',
    KEY_PEPPER: 'p',
    DASHBOARD_TOKEN: 'd',
    GEMINI_API_KEY: 'g',
    REDIS_URL_FILE: '/run/redis-url',
    UNRELATED: 'x',
  };

  test('gives a service its own settings only', () => {
    expect(serviceEnvironment('gateway', environment, {})).toEqual({
      PATH: '/bin',
      KEY_PEPPER: 'p',
      REDIS_URL_FILE: '/run/redis-url',
    });
    expect(serviceEnvironment('worker', environment, {})).not.toHaveProperty('KEY_PEPPER');
    expect(serviceEnvironment('stats-service', environment, {})).not.toHaveProperty('GEMINI_API_KEY');
  });

  test("the launcher's choice takes the place of the operator's, and stays with those who know it", () => {
    const own = { REDIS_URL: 'unix:///x', DASHBOARD_TOKEN: 'made' };
    expect(serviceEnvironment('gateway', environment, own)).toEqual({
      PATH: '/bin',
      KEY_PEPPER: 'p',
      REDIS_URL: 'unix:///x',
    });
  });
});
