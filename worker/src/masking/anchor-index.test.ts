import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { characterClasses, charactersAlone } from './anchor-classes.ts';
import { AnchorIndex, MOST_SIFTED } from './anchor-index.ts';
import { isDigit, lowerCase } from './characters.ts';
import { ANY_DIGIT, type Anchor } from './finding.ts';
import { ALL_RULES } from './rules/all-rules.ts';
import { Scratch } from './text-window.ts';

const [rule] = ALL_RULES;
const anchor = (text: string, more: Partial<Anchor> = {}): Anchor => ({
  text,
  verify: () => undefined,
  rule: rule!,
  ...more,
});

/** Every text that ends at each place, the longest first, by an index and by comparing each. */
function found(index: AnchorIndex, text: string): string[] {
  const codes = new Scratch().copy(text);
  const all: string[] = [];
  for (let from = 0; from < text.length; from += MOST_SIFTED) {
    const stop = Math.min(text.length, from + MOST_SIFTED);
    const count = index.sift(codes, from, stop, index.sieveFor('table'));
    for (let place = 0; place < count; place++)
      for (let one = index.foundAt(place); one >= 0; one = index.next(codes, place, one))
        all.push(`${index.endOf(place)} ${index.anchorsOf(one)[0]!.text}`);
  }
  return all;
}

function compared(texts: readonly string[], text: string): string[] {
  const longestFirst = [...new Set(texts)].sort((a, b) => b.length - a.length);
  const isAt = (end: number, wanted: string) =>
    end >= wanted.length &&
    Array.from(wanted).every((letter, index) => {
      const code = text.charCodeAt(end - wanted.length + index);
      return lowerCase(code) === letter.charCodeAt(0) || (letter === ANY_DIGIT && isDigit(code));
    });
  return Array.from({ length: text.length }, (_, index) => index + 1).flatMap((end) =>
    longestFirst.filter((wanted) => isAt(end, wanted)).map((wanted) => `${end} ${wanted}`),
  );
}

/** A backslash and a letter, two digits of hexadecimal, a colour of a terminal. */
const ENDS_ESCAPE = /(?:\\[A-Za-z0-9]|[0-9A-Fa-f]{2}|[\d;]m)$/;

describe('the index of anchors', () => {
  const LETTERS = 'aeksv19y:/ .-_=\nÄпж密\0';

  test('finds what comparing each anchor at each place finds, in texts of few characters', () => {
    const random = seededRandom(31);
    const draw = (length: number, letters: string) =>
      Array.from({ length }, () => letters.charAt(Math.floor(random() * letters.length))).join('');
    for (let round = 0; round < 60; round++) {
      const letters = `${LETTERS}${ANY_DIGIT}`;
      const texts = Array.from({ length: 40 }, () => draw(1 + Math.floor(random() * 9), letters).toLowerCase());
      const index = new AnchorIndex(texts.map((text) => anchor(text, random() < 0.2 ? { insideTable: true } : {})));
      const text = draw(1 + Math.floor(random() * 2600), `${LETTERS}AEKSV`);
      expect(found(index, text)).toEqual(compared(texts, text));
    }
  });

  test('finds anchors that begin a word nowhere inside one, and behind escapes', () => {
    const random = seededRandom(32);
    const draw = (length: number, letters: string) =>
      Array.from({ length }, () => letters.charAt(Math.floor(random() * letters.length))).join('');
    let [atWords, insideWords] = [0, 0];
    for (let round = 0; round < 40; round++) {
      const texts = [...new Set(Array.from({ length: 12 }, () => draw(1 + Math.floor(random() * 5), 'amns. ')))];
      const begins = new Set(texts.filter(() => random() < 0.6));
      const index = new AnchorIndex(texts.map((text) => anchor(text, { beginsWord: begins.has(text) })));
      const text = draw(2000, 'amns. AM\\%;19ÄпgG');
      const isMeant = (place: string) => {
        const [end = '', ...wanted] = place.split(' ');
        const one = wanted.join(' ');
        const before = text.slice(0, Number(end) - one.length);
        return !begins.has(one) || !/[A-Za-z0-9]$/.test(before) || ENDS_ESCAPE.test(before);
      };
      const all = compared(texts, text);
      const meant = all.filter(isMeant);
      expect(found(index, text)).toEqual(meant);
      atWords += meant.filter((place) => begins.has(place.slice(place.indexOf(' ') + 1))).length;
      insideWords += all.length - meant.length;
    }
    expect(Math.min(atWords, insideWords)).toBeGreaterThan(3_000);
  });

  test('keeps anchors of tables and of the neighbourhood of names apart', () => {
    const index = new AnchorIndex([
      anchor('one'),
      anchor('two', { nearName: true }),
      anchor('six', { insideTable: true }),
    ]);
    const codes = new Scratch().copy('one two six');
    const ends = (place: 'anywhere' | 'near' | 'table') =>
      [3, 7, 11].filter((end) => index.passes(codes, end, index.sieveFor(place)));
    expect([ends('anywhere'), ends('near'), ends('table')]).toEqual([[3], [3, 7], [3, 7, 11]]);
  });

  test('trusts a class only where one character alone, in both cases, has it', () => {
    const classes = characterClasses();
    const alone = charactersAlone(classes);
    expect(alone.has('a'.charCodeAt(0))).toBe(true);
    for (const letter of 'vwyjqxz059:/=-_|?@(Ä') expect(alone.has(letter.charCodeAt(0))).toBe(false);
    for (const code of alone) {
      const same = [...classes.entries()].filter(([, of]) => of === classes[code]).map(([one]) => one);
      expect(same.every((one) => lowerCase(one) === code || (code === ANY_DIGIT.charCodeAt(0) && isDigit(one)))).toBe(
        true,
      );
    }
  });
});
