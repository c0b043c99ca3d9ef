import { SPEAKS_ABOUT } from './lexicon/made-up.ts';
import { DEFAULT_WORDS, TRADE_WORDS } from './lexicon/values.ts';
import { wordSet } from './lexicon/word-set.ts';
import { isPlaceholder } from './placeholder.ts';
import { isLabel, mayBeWords } from './plain-words.ts';
import { isChosenWords } from './words-at-place.ts';

/** Words that speak about passwords in a sentence, and in a phrase about anything: articles, small verbs, things. */
const SOFT = wordSet(`
  the an of with and or for from by as can is it at on in to no not one will has had did was are be been we you my me who how why which what where when then if else
  die das der den ein eine les los las un une el het een oud actual light dark open close off press sign letter letters image circle square star cross eye lock solid box
  bold shadow stream page field fields button cookies last first second above below number numbers`);
/** `too short`, `already used`: what a message says of a password. */
const SAYS_OF_IT =
  /^(?:too|very|not|must|should|already|cannot|missing|needs?|is|are|has|zu|trop|muy|muito|troppo|te|terlalu) /i;
const PHRASE = /^\p{L}[\p{L}\d'’]{0,16}(?:(?:, | & |[ _.-])[\p{L}\d'’]{1,17}){1,8}[!?]?$/u;
const WORDS = /\p{L}+/gu;
const LONGEST = 56;
/** A shorter word tells nothing. */
const TELLING = 3;

/**
 * Whether `value` may be a password where a program is given one and nothing else can stand: words of any kind, as long as
 * they are no label, no message about passwords and no default.
 */
export function isSureWords(value: string): boolean {
  if (SAYS_OF_IT.test(value)) return false;
  if (isChosenWords(value)) return true;
  if (CAMEL.test(value)) return isCamelWords(value);
  if (value.length > LONGEST || !PHRASE.test(value) || isPlaceholder(value) || TRADE_WORDS.test(value)) return false;
  if (DEFAULT_WORDS.has(value.toLowerCase())) return false;
  const words = value.toLowerCase().match(WORDS) ?? [];
  const telling = words.filter((word) => word.length >= TELLING && !SPEAKS_ABOUT.has(word));
  return telling.length > 0 && words.every((word) => SOFT.has(word) || !SPEAKS_ABOUT.has(word));
}

const CAMEL = /^[a-z]{3,16}(?:[A-Z][a-z]{2,16}){1,3}\d{0,4}[!?]?$/;

/** `otterPond`: words that capitals part; `newPassword` and `tooShort` are names of code. */
function isCamelWords(value: string): boolean {
  return !TRADE_WORDS.test(value) && !isLabel(value) && mayBeWords(value);
}
