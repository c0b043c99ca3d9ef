import { describe, expect, test } from '@jest/globals';
import { expandScript } from './expand-script.ts';

const MAIN = new URL('file:///app/gateway/src/main.lua');

/** Expands main.lua of these files, named from its folder. */
function expanded(files: Readonly<Record<string, string>>): string {
  const texts = new Map(Object.entries(files).map(([name, text]) => [new URL(name, MAIN).href, text]));
  return expandScript(MAIN, (file) => {
    const text = texts.get(file.href);
    if (text === undefined) throw new Error('ENOENT');
    return text;
  });
}

describe('a script', () => {
  test('without includes is its file', () => {
    expect(expanded({ 'main.lua': '-- Says what it does.\nreturn 1\n' })).toBe('-- Says what it does.\nreturn 1');
  });

  test('has what it includes in the place of the line', () => {
    const files = { 'main.lua': 'a\n--- @include "parts/one"\nb\n', 'parts/one.lua': '1\n' };
    expect(expanded(files)).toBe('a\n1\nb');
  });

  test('finds includes of includes from the folder of the file that names them, and each of them once', () => {
    const files = {
      'main.lua': '--- @include "parts/one"\n--- @include "parts/two"\n--- @include "parts/one"\nend',
      'parts/one.lua': '--- @include "two"\n--- @include "../three"\n1',
      'parts/two.lua': '2',
      'three.lua': '3',
    };
    expect(expanded(files)).toBe('2\n3\n1\nend');
  });

  test('finds what all services share by its bare name', () => {
    const shared = new URL('./script-includes/clock.lua', import.meta.url);
    expect(expandScript(MAIN, (file) => (file.href === shared.href ? 'time' : '--- @include <clock>'))).toBe('time');
  });

  test.each([
    ['itself', { 'main.lua': 'a\n--- @include "main"' }, '/app/gateway/src/main.lua:2: /app/gateway/src/main.lua'],
    [
      'itself by way of others',
      { 'main.lua': '--- @include "x"', 'x.lua': '--- @include "y"', 'y.lua': '\n\n--- @include "x"' },
      '/app/gateway/src/y.lua:3: /app/gateway/src/x.lua',
    ],
  ])('that includes %s is refused', (_what, files, chain) => {
    expect(() => expanded(files)).toThrow(`${chain} includes itself.`);
  });

  test('that includes what is not there is refused, naming both files', () => {
    const files = { 'main.lua': '--- @include "x"', 'x.lua': 'a\n--- @include "nowhere"' };
    const message = '/app/gateway/src/x.lua:2: /app/gateway/src/nowhere.lua cannot be read.';
    expect(() => expanded(files)).toThrow(message);
  });

  test.each([
    '  --- @include "x"',
    '-- @include "x"',
    '--- @include x',
    '--- @include "x" and more',
    "--- @include 'x'",
    '--- @include <../x>',
    '--- @include "https://x"',
    '--- @includes "x"',
  ])('that includes otherwise is refused: %s', (line) => {
    expect(() => expanded({ 'main.lua': line, 'x.lua': '1' })).toThrow(
      '/app/gateway/src/main.lua:1: an include is a line',
    );
  });
});
