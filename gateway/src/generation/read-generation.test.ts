import { describe, expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { identify } from '../caller/identify.ts';
import { gatherFields } from './given-fields.ts';
import { readGeneration } from './read-generation.ts';

const { id, key } = mintApiKey();
/** Deeper than the stack of a function that would walk it. */
const NESTED: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
const limits = {
  models: { current: namesOfVariables() },
  maxPromptChars: 10,
  maxContextChars: 10,
  maxOutputTokens: 100,
};
const read = (query: string, body?: Record<string, unknown>, headers = {}) =>
  readFrom({ query: new URLSearchParams(query), body, headers });
const readFrom = (places: Parameters<typeof identify>[0]) =>
  readGeneration(gatherFields(places.query, places.body), identify(places), limits);

describe('readGeneration', () => {
  test('fills in defaults, capped by the configured most', () => {
    expect(read(`prompt=hi&apikey=${key}`)).toEqual({
      kind: 'ask',
      ask: { prompt: 'hi', model: 'ai-2.5-flash', temperature: 0.7, maxOutputTokens: 100, isDefaultOutput: true },
      key: { text: key, id },
    });
  });

  test('keeps the prompt exactly as it was given', () => {
    expect(read('', { prompt: '  hi\n ', apikey: key })).toMatchObject({ ask: { prompt: '  hi\n ' } });
  });

  test.each([
    ['temperature=0.1', { temperature: 0.1 }],
    ['temperature=2', { temperature: 2 }],
    ['temperature=.5', { temperature: 0.5 }],
    ['maxOutputTokens=1', { maxOutputTokens: 1 }],
    ['maxOutputTokens=100', { maxOutputTokens: 100 }],
    ['model=ai-2.5-pro', { model: 'ai-2.5-pro' }],
    ['prompt2=ignored', {}],
  ])('takes %s', (query, ask) => {
    expect(read(`prompt=hi&apikey=${key}&${query}`)).toMatchObject({ kind: 'ask', ask });
  });

  test('counts characters, not UTF-16 units', () => {
    expect(read('', { prompt: '🌴'.repeat(10), apikey: key }).kind).toBe('ask');
    expect(read('', { prompt: '🌴'.repeat(11), apikey: key })).toMatchObject({
      kind: 'invalid',
      message: 'prompt must have at most 10 characters; 11 were given. Shorten it.',
    });
  });

  test('distinguishes a malformed key from a well-formed one, and leaves the rest to admission', () => {
    expect(read('prompt=hi&apikey=nonsense')).toMatchObject({ kind: 'ask', key: { text: 'nonsense' } });
    expect(read('prompt=hi', undefined, { authorization: `bearer ${key}` })).toMatchObject({ key: { id } });
    expect(read('prompt=hi', undefined, { authorization: `Basic ${key}` })).toEqual({
      kind: 'missing',
      missing: { key: true, prompt: false },
    });
  });

  test('refuses one field from two places', () => {
    expect(read(`prompt=hi&apikey=${key}`, { prompt: 'ho' })).toMatchObject({
      kind: 'invalid',
      message: 'prompt was given 2 times; give it once.',
    });
    expect(read(`prompt=hi&apikey=${key}`, undefined, { 'x-api-key': key })).toMatchObject({ kind: 'invalid' });
  });

  test('refuses what is nested deeper than the stack', () => {
    const invalid = (message: RegExp) => ({ kind: 'invalid', message: expect.stringMatching(message) });
    const object = { deep: NESTED };
    expect(read('', { prompt: object, apikey: key })).toMatchObject(
      invalid(/prompt must be text; an object was given/),
    );
    const temperature = { prompt: 'hi', temperature: NESTED, apikey: key };
    expect(read('', temperature)).toMatchObject(invalid(/temperature must be .*; a list was given/));
  });

  test('shows a bad value cut short and well-formed', () => {
    const reading = read('', { prompt: 'hi', apikey: key, model: `\ud800${'x'.repeat(500)}` });
    expect(reading).toMatchObject({ kind: 'invalid', message: expect.stringMatching(/\ufffdx+…" was given\.$/u) });
  });

  test.each([
    [{ prompt: 'hi', apikey: 5 }, /apikey must be text/],
    [{ prompt: ['hi'], apikey: key }, /prompt must be text; a list was given/],
    [{ prompt: 'hi', apikey: key, temperature: Number.NaN }, /temperature must be a number/],
    [{ prompt: 'hi', apikey: key, maxOutputTokens: '1e2' }, /maxOutputTokens must be a whole number/],
  ])('refuses %j', (body, message) => {
    expect(read('', body)).toMatchObject({ kind: 'invalid', message: expect.stringMatching(message) });
  });
});
