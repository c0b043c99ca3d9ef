import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { createMasker } from './mask.ts';
import { HEX_DIGITS, LETTERS_DIGITS } from './rules/rule.ts';
import { draw } from './testing/drawn.ts';

const { mask } = createMasker();
const random = seededRandom(22);
const WORDS = ['Gerimis', 'tembakau', 'Monsun', 'pelita', 'Anggrek', 'Walrus', 'trumpet', 'Saffron'];
const word = () => WORDS[Math.floor(random() * WORDS.length)] ?? '';
const number = (digits: number) => draw(random, digits, '0123456789');

/** What stands for a value in a frame, by its letter: made anew each time, so that no credential stands in a file. */
const MAKERS: Readonly<Record<string, readonly (() => string)[]>> = {
  W: [
    () => `${word()}${number(3)}`,
    () => `${word()}_${word()}${number(2)}`,
    () => `${draw(random, 12, LETTERS_DIGITS)}7`,
    () => `${word()}-${word().toLowerCase()}-${number(2)}`,
  ],
  D: [() => `a4W${draw(random, 25, LETTERS_DIGITS)}`],
  H: [() => draw(random, 64, HEX_DIGITS)],
  B: [() => Buffer.from(`budi:${draw(random, 12, LETTERS_DIGITS)}`).toString('base64')],
};

function linesOf(file: string): string[] {
  const text = readFileSync(new URL(`testing/documents/${file}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('# '));
}

function unescaped(line: string): string {
  return line.replaceAll(/\\([nt\\])/g, (_all, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? letter);
}

describe('values in the frames that files, commands, messages and programs give them', () => {
  const frames = linesOf('frames.txt').map((line) => line.split('\t', 2) as [string, string]);

  test('there are many of them', () => {
    expect(frames.length).toBeGreaterThan(200);
  });

  test.each(frames)('%s', (_name, frame) => {
    for (const shape of MAKERS['W']?.keys() ?? []) {
      const secrets: string[] = [];
      const text = unescaped(frame).replaceAll(/@([WDHB])/g, (_all, letter: string) => {
        const makers = MAKERS[letter] ?? [];
        secrets.push(makers[shape % makers.length]?.() ?? '');
        return secrets.at(-1) ?? '';
      });
      const masked = mask(`${text}\n`).text;
      expect(secrets.filter((secret) => masked.includes(secret))).toEqual([]);
      expect(mask(masked).text).toBe(masked);
    }
  });

  test.each(linesOf('frames-clean.txt').map((line) => [unescaped(line)]))('%j stays', (text) => {
    expect(mask(`${text}\n`).text).toBe(`${text}\n`);
  });
});
