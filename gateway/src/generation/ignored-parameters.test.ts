import { describe, expect, test } from '@jest/globals';
import { anyCharacter } from '@lontar/shared/testing/any-character.ts';
import fc from 'fast-check';
import { ignoredParameters } from './ignored-parameters.ts';
import { missingMessage } from './near-misses.ts';

const ignored = (query: string, body?: Record<string, unknown>) =>
  ignoredParameters({ query: new URLSearchParams(query), body });

describe('parameters that are ignored', () => {
  test.each([
    ['prompt=x&model=y&temperature=1&maxOutputTokens=2&apikey=k', undefined],
    ['prompt=x&user=me', 'user'],
    ['stream=true', 'stream (did you mean the header Accept: text/event-stream?)'],
    ['max_tokens=5', 'max_tokens (did you mean maxOutputTokens?)'],
    ['max_OutputTokens=5', 'max_OutputTokens (did you mean maxOutputTokens?)'],
    ['temprature=1', 'temprature (did you mean temperature?)'],
    ['Model=x', 'Model (did you mean model?)'],
    ['promt=x&prompt=y', 'promt (did you mean prompt?)'],
    ['a%0d%0ab=1', 'a__b'],
    ['=1', '_'],
  ])('%s: %s', (query, listed) => {
    expect(ignored(query)).toBe(listed);
  });

  test('of the body are listed beside those of the query, each once', () => {
    expect(ignored('user=1', { user: 2, top_p: 1, prompt: 'x' })).toBe('user, top_p');
  });

  test('are ten at most', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`extra${index}`, 1]));
    expect(ignored('', many)?.split(', ')).toHaveLength(11);
    expect(ignored('', many)).toMatch(/extra9, and more$/);
  });

  test('make a header that can be sent, of bounded length, whatever they are called', () => {
    const names = fc.array(fc.string({ unit: anyCharacter }), { maxLength: 30 });
    fc.assert(
      fc.property(names, (given) => {
        const value = ignored('', Object.fromEntries(given.map((name) => [name, 1]))) ?? '';
        expect(value).toMatch(/^[\x20-\x7e]{0,1000}$/);
      }),
    );
  });
});

describe('what is missing', () => {
  const said = (missing: { key: boolean; prompt: boolean }, query = '', headers = {}, body?: Record<string, unknown>) =>
    missingMessage({ query: new URLSearchParams(query), headers, body }, missing);
  const both = { key: true, prompt: true };
  const key = { key: true, prompt: false };
  const prompt = { key: false, prompt: true };

  test.each([
    [both, '', {}, 'apikey and prompt are required'],
    [key, '', {}, 'apikey is required: send your API key in the header X-API-Key.'],
    [prompt, '', {}, 'prompt is required: the text to answer, not blank.'],
    [both, 'q=x', {}, 'apikey and prompt are required. q was given: call it prompt.'],
    [prompt, 'text=x', {}, /text was given: call it prompt\.$/],
    [key, 'api_key=x', {}, /api_key was given: call it apikey, or better send the header X-API-Key\.$/],
    [key, '', { authorization: 'Basic dXNlcjpwYXNz' }, /Basic was given: send Authorization: Bearer YOUR_KEY/],
    [key, '', { authorization: 'lt_live_x' }, /does not begin with Bearer/],
    [key, '', { 'api-key': 'x' }, /The header api-key was given: call it X-API-Key\.$/],
  ] as const)('%j of %s %j', (missing, query, headers, message) => {
    if (typeof message === 'string') expect(said(missing, query, headers)).toBe(message);
    else expect(said(missing, query, headers)).toMatch(message);
  });

  test('names messages, and tells no value', () => {
    const message = said(both, 'key=hidden-word', {}, { messages: [{ content: 'hidden-word' }] });
    expect(message).toContain('messages was given: send it to POST /v1/chat/completions');
    expect(message).not.toContain('hidden-word');
  });
});
