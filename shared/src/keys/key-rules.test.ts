import { describe, expect, test } from '@jest/globals';
import { InvalidTerms } from './key-refusals.ts';
import { keyTermsSchema, newKeySchema, readTerms } from './key-rules.ts';

const NOW = Date.parse('2026-01-31T08:00:00Z');

const problems = (body: unknown, schema: typeof keyTermsSchema | typeof newKeySchema = keyTermsSchema) => {
  try {
    readTerms(schema, body, NOW);
  } catch (error) {
    if (error instanceof InvalidTerms) return error.problems;
    throw error;
  }
  return [];
};

describe('readTerms', () => {
  test('reads every field', () => {
    const body = {
      name: ' shop ',
      owner: 'Ann',
      note: null,
      perHour: 5,
      perDay: null,
      models: ['ai-2.5-pro', 'ai-2.5-pro'],
      addresses: ['10.0.0.0/8'],
      expiresAt: '2027-01-31T18:00:00+07:00',
      mask: ['ip', 'url'],
      keepOwn: true,
      onDisconnect: 'finish',
    };
    expect(readTerms(newKeySchema, body, NOW)).toEqual({
      ...body,
      name: 'shop',
      models: ['ai-2.5-pro'],
      addresses: [{ text: '10.0.0.0/8', bits: '4:00001010' }],
      expiresAt: Date.parse('2027-01-31T11:00:00Z'),
      mask: ['url', 'ip'],
    });
    expect(readTerms(keyTermsSchema, { mask: 'all' }, NOW)).toEqual({ mask: ['url', 'key', 'ip', 'connection'] });
  });

  const REFUSED: [field: string, rule: string, body: unknown][] = [
    ['name', '1 to 100 characters', { name: '' }],
    ['name', '1 to 100 characters', { name: 'x'.repeat(10_000) }],
    ['name', 'it has U+202E', { name: 'gpj.\u202Eexe' }],
    ['name', 'it has U+0009', { name: 'a\tb' }],
    ['name', '1 to 100 characters', { name: 'half \uD800' }],
    ['owner', 'it has U+200F', { owner: '\u200F' }],
    ['note', '1 to 500 characters', { note: 'x'.repeat(501) }],
    ['perHour', 'whole number from 1 to 1000000', { perHour: 0 }],
    ['perHour', 'whole number', { perHour: 1.5 }],
    ['perHour', 'whole number', { perHour: '5' }],
    ['credits', 'whole number from 1 to 1000000000', { credits: 1e10 }],
    ['models', 'must be a list of names', { models: ['gpt,4'] }],
    ['models', 'must be a list of', { models: [] }],
    ['addresses', '"10.0.0.0/33"', { addresses: ['10.0.0.0/33'] }],
    ['addresses', 'must be addresses', { addresses: [`::1%${'a'.repeat(100)}`] }],
    ['addresses', '1 to 100 addresses', { addresses: Array.from({ length: 101 }, (_, index) => `10.0.0.${index}`) }],
    ['expiresAt', 'must lie in the future', { expiresAt: '2026-01-31T07:00:00Z' }],
    ['expiresAt', 'must be a time', { expiresAt: 'tomorrow' }],
    ['mask', 'must be all, or a list of', { mask: ['password'] }],
    ['mask', 'must be all, or a list of', { mask: [] }],
    ['keepOwn', 'true or false', { keepOwn: 'yes' }],
    ['"hash"', 'no field of a key', { hash: 'x' }],
    ['body', 'must be an object', 'text'],
  ];
  test.each(REFUSED)('refuses %s: %s', (field, rule, body) => {
    expect(problems(body)).toEqual([{ field, rule: expect.stringContaining(rule) }]);
  });

  test('names all that is wrong at once, and a new key needs a name', () => {
    expect(problems({ perHour: 0, note: '' }, newKeySchema).map(({ field }) => field)).toEqual([
      'name',
      'note',
      'perHour',
    ]);
    expect(problems({}, newKeySchema)).toEqual([{ field: 'name', rule: expect.stringContaining('1 to 100') }]);
  });

  test('takes markup as the text that it is', () => {
    expect(readTerms(keyTermsSchema, { name: '<img src=x onerror=alert(1)>' }, NOW).name).toContain('<img');
  });
});
