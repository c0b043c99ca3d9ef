import { ASCII, CODE, isDigit, isIn, LOWER, lowerCase, UPPER } from './characters.ts';

/**
 * How usual each pair of letters is in English, Indonesian and code, 0 to 9: one row per first letter, a to z. Counted
 * over technical documentation and Indonesian prose; a logarithm of the ratio to chance, squashed into one digit.
 */
const ROWS = `
36772473714879060889553350 62327200550500500530600040 72327208606500900538500020 73269230705430600352500030
84885642372779365998255740 61226400700300700523500030 50008033800514300451500000 80009000600010600428700000
55776661003779850589150503 40005002100000300080100000 50006100400001200030200000 72158001841810730065521050
84038030720460660040330010 74787490523414950088430030 36692650324799670956766310 80058012600640750887600010
00000000000000000000600000 83549351804456810677631050 60659215702322760379630040 80639219900330880878602060
48336240501757060777000000 60008020600000200000000000 60004005600003400330004000 30203000200000050004000020
50102000200224460032000000 20003000100000000000000001`;

const PAIRS = Uint8Array.from(ROWS.replace(/\s/g, ''), Number);

const LETTERS = 26;
const CASE_CHANGE = 4;
const DIGIT_CHANGE = 2;

/** The kinds of characters that matter to how a value was made. */
export const KINDS = { none: 0, lower: 1, upper: 2, digit: 3 } as const;

const KIND_OF = Uint8Array.from({ length: ASCII }, (_, code) => {
  if (isIn(code, LOWER)) return KINDS.lower;
  if (isIn(code, UPPER)) return KINDS.upper;
  return isDigit(code) ? KINDS.digit : KINDS.none;
});

export function kindOf(code: number): number {
  return code < ASCII ? (KIND_OF[code] ?? KINDS.none) : KINDS.none;
}

/** How much `value` reads like words, 0 (drawn at random) to 1. Case changes and digits among letters lower it. */
export function wordiness(value: string): number {
  let sum = 0;
  let pairs = 0;
  let first = value.charCodeAt(0);
  let before = kindOf(first);
  const length = Math.min(value.length, 256);
  for (let index = 1; index < length; index++) {
    const second = value.charCodeAt(index);
    const after = kindOf(second);
    if (before !== KINDS.none && after !== KINDS.none) {
      if (before !== KINDS.digit && after !== KINDS.digit) {
        pairs++;
        sum +=
          before === KINDS.lower && after === KINDS.upper
            ? CASE_CHANGE
            : (PAIRS[(lowerCase(first) - CODE.a) * LETTERS + lowerCase(second) - CODE.a] ?? 0);
      } else if (before !== after) {
        pairs++;
        sum += DIGIT_CHANGE;
      }
    }
    first = second;
    before = after;
  }
  return pairs === 0 ? 0 : sum / pairs / 9;
}
