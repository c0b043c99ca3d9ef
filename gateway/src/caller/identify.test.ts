import { describe, expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { identify, noteBody } from './identify.ts';

const { id, key } = mintApiKey();
const genuine = { kind: 'presented', key: { text: key, id } };
const places = (query: string, headers = {}, body?: Record<string, unknown>) => ({
  query: new URLSearchParams(query),
  headers,
  body,
});

describe('identify', () => {
  test.each([
    ['in the query', places(`apikey=${key}`), genuine],
    ['in the body', places('', {}, { apikey: key }), genuine],
    ['as bearer', places('', { authorization: `bearer  ${key}` }), genuine],
    ['as X-API-Key', places('', { 'x-api-key': key }), genuine],
    ['between blanks', places(`apikey=+${key}+`), genuine],
    ['that is malformed', places('apikey=nonsense'), { kind: 'presented', key: { text: 'nonsense' } }],
    ['of another scheme', places('', { authorization: `Basic ${key}` }), { kind: 'absent' }],
    ['that is nowhere', places('prompt=hi', {}, { prompt: 'hi' }), { kind: 'absent' }],
    ['that is blank', places('apikey=+'), { kind: 'blank' }],
    ['that is null', places('', {}, { apikey: null }), { kind: 'blank' }],
    ['of blanks in a header', places('', { 'x-api-key': ' ' }), { kind: 'absent' }],
    ['that is a number', places('', {}, { apikey: 5 }), { kind: 'not_text' }],
    ['twice in the query', places(`apikey=${key}&apikey=${key}`), { kind: 'repeated', times: 2 }],
    [
      'in every place',
      places(`apikey=${key}`, { 'x-api-key': key, authorization: `Bearer ${key}` }, { apikey: null }),
      { kind: 'repeated', times: 4 },
    ],
  ])('reads a key %s', (_where, given, expected) => {
    expect(identify(given)).toEqual(expected);
  });
});

test('a body that was read may name the key, or name it again', () => {
  const head = (query: string) => ({ ...places(query), key: { kind: 'absent' } }) as RequestContext;
  const nameless = head('');
  noteBody(nameless, { prompt: 'hi' });
  expect(nameless).toMatchObject({ body: { prompt: 'hi' }, key: { kind: 'absent' } });
  const named = head('');
  noteBody(named, { apikey: key });
  expect(named.key).toEqual(genuine);
  const again = head(`apikey=${key}`);
  noteBody(again, { apikey: key });
  expect(again.key).toEqual({ kind: 'repeated', times: 2 });
});
