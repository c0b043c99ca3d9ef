import { expect, test } from '@jest/globals';
import { createKeyNames } from './key-names.ts';

test('each name is asked for once, however many want it, and is then there at once', async () => {
  let asked = 0;
  const nameOf = createKeyNames({ hget: () => Promise.resolve(`shop ${++asked}`) });
  expect(await Promise.all([nameOf('a'), nameOf('a')])).toEqual(['shop 1', 'shop 1']);
  expect(nameOf('a')).toBe('shop 1');
  expect(await nameOf('b')).toBe('shop 2');
});

test('without Redis there is none, and it is asked again', async () => {
  let asked = 0;
  const nameOf = createKeyNames({ hget: () => Promise.reject(new Error(String(++asked))) });
  expect([await nameOf('a'), await nameOf('a'), asked]).toEqual([undefined, undefined, 2]);
});
