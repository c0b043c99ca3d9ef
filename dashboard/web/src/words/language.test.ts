import { afterEach, expect, test } from '@jest/globals';
import { catalog, counted, language } from './language.ts';
import { shell } from './shell.ts';

afterEach(() => {
  language.value = 'en';
});

test('a catalog gives the words of the language of now', () => {
  const words = catalog({
    en: { keys: (count: number) => `${count} keys`, state: { live: 'Live' } },
    id: { keys: (count) => `${count} kunci`, state: { live: 'Langsung' } },
  });
  expect([words().keys(2), words().state.live]).toEqual(['2 keys', 'Live']);
  language.value = 'id';
  expect([words().keys(2), words().state.live]).toEqual(['2 kunci', 'Langsung']);
  expect(shell().retry).toBe('Coba lagi');
});

test('English tells one from many', () => {
  expect(['0', '1', '2', '1,000'].map((count) => counted(count, 'request'))).toEqual([
    '0 requests',
    '1 request',
    '2 requests',
    '1,000 requests',
  ]);
});
