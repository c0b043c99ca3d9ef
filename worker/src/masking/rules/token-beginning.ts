import { ALNUM, CODE, DASH, HEX, isIn, LOWER, UNDERSCORE } from '../characters.ts';
import type { TextWindow } from '../text-window.ts';

/** The end of a colour code of a terminal, as it is or as strings write it (ECMA-48). */
const COLOUR = /\[[\d;]{1,12}m$/;
const LONGEST_COLOUR = 20;
/** Words in lower case with marks between, from their beginning on: so many, of so many letters each. */
const MOST_WORDS = 4;
const LONGEST_WORD = 16;

/** Nothing that belongs to a longer word stands before `start`; escapes such as `\n` and `%20` do not. */
export function beginsToken(window: TextWindow, start: number): boolean {
  const code = window.before(start - 1);
  if (isIn(code, ALNUM)) {
    if (code === CODE.m && COLOUR.test(window.left(start, LONGEST_COLOUR))) return true;
    if (window.before(start - 2) === CODE.backslash) return code === CODE.n || code === CODE.r || code === CODE.t;
    return isIn(code, HEX) && isIn(window.before(start - 2), HEX) && window.before(start - 3) === CODE.percent;
  }
  if (code === CODE.underscore || code === CODE.hyphen)
    return !isIn(window.before(start - 2), ALNUM | UNDERSCORE | DASH) || window.before(start - 2) === code;
  // In the middle of base64.
  return code !== CODE.plus || !isIn(window.before(start - 2), ALNUM);
}

/** `backup_ghp_…`, `keyAIza…`: words in lower case that a token is glued to. */
export function followsGlue(window: TextWindow, start: number): boolean {
  let at = start - 1;
  if (!isIn(window.before(at), LOWER | UNDERSCORE | DASH)) return false;
  for (let words = 0; words < MOST_WORDS; words++) {
    const end = at;
    while (end - at < LONGEST_WORD && isIn(window.before(at), LOWER)) at--;
    window.steps += end - at + 1;
    const code = window.before(at);
    if (!isIn(code, ALNUM | UNDERSCORE | DASH)) return true;
    // Two marks in a row, or a word that is too long or no word.
    if (!isIn(code, UNDERSCORE | DASH) || (end === at && words > 0)) return false;
    at--;
  }
  return false;
}
