import { CODE, DASH, DIGIT, DOT, isIn, LOWER, UNDERSCORE, UPPER } from '../characters.ts';
import { wordiness } from '../letter-pairs.ts';
import { isFiller } from '../placeholder.ts';

/** The thresholds; what moves when one is turned by a step was measured as for those of `token-shape.ts`. */

/** Letters alone are judged by their pairs from this length on. Turned to 12 or 16: nothing. */
const SHORTEST_DRAWN_LETTERS = 14;
/** Drawn letters score lower in `wordiness`. Turned to 0.55: nothing; 0.65: +1 name. */
const WORDS_OF_LETTERS = 0.6;
/** A part of a name that is a number: a year, a port. Turned to 3: +81 names; 5: nothing. */
const MOST_DIGITS_ALONE = 4;
/** The number at the end of a word: `utf8`, `node20`. Turned to 1: +72 names; 3: nothing. */
const MOST_DIGITS_AFTER_WORD = 2;
/** Letters of a word that ends in a number. Turned to 12 or 16: nothing. */
const LONGEST_NUMBERED_WORD = 14;
/** Letters of a word. Turned to 16: +12 names; 20: -8 names. */
const LONGEST_WORD = 18;
/** A token with a weak prefix and no digits scores lower in `wordiness`. Turned to 0.45 or 0.55: nothing. */
const WORDS_WITHOUT_DIGITS = 0.5;

/** Not drawn: words, or a shape that shows where a token goes. */
export function isName(body: string): boolean {
  return isWordy(body) || isFiller(body);
}

/** Words and short numbers joined by hyphens, underscores or dots: a name, not a token. Read once, letter by letter. */
function isWordy(body: string): boolean {
  if (body.length >= SHORTEST_DRAWN_LETTERS && /^[A-Za-z]+$/.test(body) && wordiness(body) < WORDS_OF_LETTERS)
    return false;
  let letters = false;
  for (let from = 0; from <= body.length; ) {
    let index = from;
    while (index < body.length && isIn(body.charCodeAt(index), UPPER)) index++;
    const upper = index - from;
    while (index < body.length && isIn(body.charCodeAt(index), LOWER)) index++;
    const lower = index - from - upper;
    while (index < body.length && isIn(body.charCodeAt(index), DIGIT)) index++;
    const digits = index - from - upper - lower;
    if (index < body.length && !isIn(body.charCodeAt(index), DASH | UNDERSCORE | DOT)) return false;
    if (upper + lower > 0) {
      if (!isWord(upper, lower, digits, body.charCodeAt(from))) return false;
      letters = true;
    } else if (digits > MOST_DIGITS_ALONE) return false;
    from = index + 1;
  }
  return letters;
}

/** `word`, `Word`, `WORD`, `v2` and `sha256`'s like, `utf8`: capitals, then lower case, then digits, so many of each. */
function isWord(upper: number, lower: number, digits: number, first: number): boolean {
  if (digits > 0)
    return (
      upper === 0 && digits <= MOST_DIGITS_AFTER_WORD && (lower > 1 ? lower <= LONGEST_NUMBERED_WORD : first === CODE.v)
    );
  return lower === 0 ? upper <= LONGEST_WORD : upper < 2 && lower <= LONGEST_WORD;
}

/** Digits and letters, or letters that no word has. */
export function isMixed(body: string): boolean {
  return (/\d/.test(body) && /[a-zA-Z]/.test(body)) || wordiness(body) < WORDS_WITHOUT_DIGITS;
}
