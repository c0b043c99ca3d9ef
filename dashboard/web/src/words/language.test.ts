import { afterEach, expect, test } from '@jest/globals';
import { catalog, language } from './language.ts';
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
