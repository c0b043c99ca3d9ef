import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { CODE } from './characters.ts';

const folder = new URL('./', import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'characters.ts' && !file.includes('testing'),
);
/** What holds one character: a look at the text, or a variable that such a look was given to. */
const LOOK = String.raw`(?:\.(?:at|code|before|charCodeAt)\([^;{}]*?\)|\b(?:code|next|quote|opener|letter|folded|glued)\b)`;
const NUMBER = String.raw`(?:0x[0-9a-f]+|[1-9]\d*)\b`;
const BARE = new RegExp(
  String.raw`${LOOK} (?:[!=]==|[<>]=?) ${NUMBER}|[!=]== (?:0x[0-9a-f]+|3[2-9]|[4-9]\d|1[01]\d|12[0-6])\b`,
);

function bareCodes(source: string): string[] {
  return source.split('\n').filter((line) => BARE.test(line) && !/^\s*(?:\*|\/\/|\/\*)/.test(line));
}

describe('characters', () => {
  test('are compared by name, never as bare numbers', () => {
    expect(sources.length).toBeGreaterThan(20);
    const found = sources.flatMap((file) => bareCodes(readFileSync(new URL(file, folder), 'utf8')));
    expect(found).toEqual([]);
  });

  test.each(['if (code === 58) x;', 'window.at(i + 1) !== 10', 'code < 32', 'x === 61', 'next >= 0x2000'])(
    'the check sees %s',
    (line) => {
      expect(bareCodes(line)).toEqual([line]);
    },
  );

  test('each name stands for the character it says', () => {
    for (const [name, code] of Object.entries(CODE)) {
      if (name.length === 1) expect(String.fromCharCode(code)).toBe(name);
    }
    expect(new Set(Object.values(CODE)).size).toBe(Object.keys(CODE).length);
  });
});
