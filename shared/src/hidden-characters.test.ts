import { describe, expect, test } from '@jest/globals';
import { findHidden, showHidden, withoutHidden } from './hidden-characters.ts';

describe('hidden characters', () => {
  test.each([
    ['a tab', '\t', 'U+0009'],
    ['a line break', '\n', 'U+000A'],
    ['ESC, which begins a command to a terminal', '\u001b', 'U+001B'],
    ['DEL', '\u007f', 'U+007F'],
    ['CSI, the same in one character', '\u009b', 'U+009B'],
    ['a soft hyphen', '\u00ad', 'U+00AD'],
    ['an Arabic letter mark', '\u061c', 'U+061C'],
    ['a space without width', '\u200b', 'U+200B'],
    ['a left-to-right mark', '\u200e', 'U+200E'],
    ['a line separator', '\u2028', 'U+2028'],
    ['a right-to-left override', '\u202e', 'U+202E'],
    ['a right-to-left isolate', '\u2067', 'U+2067'],
    ['a byte-order mark', '\ufeff', 'U+FEFF'],
    ['a tag', '\u{e0041}', 'U+E0041'],
  ])('has %s', (_what, character, name) => {
    expect(findHidden(`a${character}b`)).toBe(name);
    expect(withoutHidden(`a${character}b${character}`)).toBe('ab');
    expect(showHidden(`a${character}b${character}`)).toBe(`a<${name}>b<${name}>`);
  });

  test.each([
    ['words of many scripts', 'Größe 価格 سعر מחיר'],
    ['Persian, with the joiner that keeps letters apart', 'می\u200cخواهم'],
    ['emoji, with the joiner that makes one of two', '👩\u200d💻 ❤\ufe0f'],
  ])('has none of %s', (_what, text) => {
    expect(findHidden(text)).toBeUndefined();
    expect(withoutHidden(text)).toBe(text);
    expect(showHidden(text)).toBe(text);
  });
});
