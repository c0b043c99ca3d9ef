import fc from 'fast-check';

const FIRST_HALF = 0xd800;
const HALVES = 0x800;
const LAST = 0x10ffff;

/**
 * Any code point that is no half of a pair, for `fc.string({ unit: anyCharacter })`. The same characters as fast-check's own
 * unit `binary`, which makes a map of all million of them in each test file, for about a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(LAST - HALVES).map(
  (at) => String.fromCodePoint(at < FIRST_HALF ? at : at + HALVES),
  (character) => {
    const point = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
    const isHalf = point >= FIRST_HALF && point < FIRST_HALF + HALVES;
    if (point < 0 || isHalf || String.fromCodePoint(point) !== character) throw new Error('not one character');
    return point < FIRST_HALF ? point : point - HALVES;
  },
);
