import { describe, expect, test } from '@jest/globals';
import { createCatalog } from '@lontar/shared/models/catalog.ts';
import { catalogOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { callableUrl } from '../processes/ports.ts';
import { checkSettings } from '../settings/check-settings.ts';
import { curlLine, type ReadyFacts, readyMessage } from './ready-message.ts';

const settings = checkSettings({});
const facts: ReadyFacts = {
  baseUrls: ['http://127.0.0.1:8080'],
  signInLink: 'http://127.0.0.1:8080/?code=c',
  selfTest: { outcome: 'answered', tookMs: 12, masked: 3 },
  settings,
  catalog: catalogOfVariables(settings),
  logs: '/srv/.lontar/logs',
};

describe('readyMessage', () => {
  test('the first time: the key, also in the line to paste', () => {
    const text = readyMessage({ ...facts, firstKey: 'the-key' });
    expect(text).toContain('\n  the-key\n');
    expect(text).toContain("-H 'X-API-Key: the-key'");
    expect(text).toContain(facts.signInLink);
  });

  test('later: a placeholder, and how to get a key', () => {
    const text = readyMessage(facts);
    expect(text).toContain('X-API-Key: YOUR_KEY');
    expect(text).toContain('keys create --name NAME');
  });

  test('says plainly who answers', () => {
    expect(readyMessage(facts)).toContain('DEMO');
    const withGemini = checkSettings({ GEMINI_API_KEY: 'hidden-word' });
    const gemini = readyMessage({ ...facts, settings: withGemini, catalog: catalogOfVariables(withGemini) });
    expect(gemini).toContain('Model: gemini at generativelanguage.googleapis.com');
    expect(gemini).not.toContain('hidden-word');
    const file = createCatalog('file', [...facts.catalog.upstreams.values()], [...facts.catalog.models.values()]);
    const named = readyMessage({
      ...facts,
      settings: checkSettings({ MODELS_FILE: '/srv/models.yaml' }),
      catalog: file,
    });
    expect(named).toContain('Models: 2 models over 1 upstream (/srv/models.yaml;');
  });

  test('says when the test request failed', () => {
    const text = readyMessage({ ...facts, selfTest: { outcome: 'failed', problem: 'HTTP 502: no' } });
    expect(text).toContain('Test request: FAILED. HTTP 502: no\n');
    expect(text).not.toContain('_PROXY');
    const known = { outcome: 'failed', problem: 'HTTP 502: no', cause: 'unauthorized. Set it.' } as const;
    expect(readyMessage({ ...facts, selfTest: known })).toContain('Why: unauthorized. Set it.');
    expect(readyMessage({ ...facts, selfTest: known, proxy: 'HTTPS_PROXY' })).toContain(
      'HTTPS_PROXY is set, but calls',
    );
  });
});

test.each([
  ['0.0.0.0', 'http://127.0.0.1:8080'],
  ['::', 'http://127.0.0.1:8080'],
  ['::1', 'http://[::1]:8080'],
  ['ai.example.org', 'http://ai.example.org:8080'],
])('a listener on %s is called at %s', (host, url) => {
  expect(callableUrl(host, 8080)).toBe(url);
});

test('the line to paste survives a shell', () => {
  expect(curlLine('http://h', 'k').match(/'/g)).toHaveLength(4);
});
