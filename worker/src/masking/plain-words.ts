import { isCommonWord } from './common-words.ts';
import { NAMES_PICTURE, SPEAKS_ABOUT } from './lexicon/made-up.ts';
import { hasNounElsewhere } from './lexicon/names-elsewhere.ts';
import { PASSWORD_WORDS } from './lexicon/secret-names.ts';
import { DEFAULT_WORDS, NAMES_STANDARD, TRADE_WORDS } from './lexicon/values.ts';
import { isPlaceholder } from './placeholder.ts';

/**
 * Passwords that are words and nothing else: `pisanggoreng`, `kebun teh`, `Sonnenblume`. Labels, states and types stand at
 * the same places; so a word is taken only if texts about programs do not hold it, and none beside it speaks of forms or code.
 */

const [SHORTEST, LONGEST] = [5, 48];
const SHAPE = /^\p{L}{2,24}(?:(?: [&+] |[ _.&+*!#@~-])\p{L}{1,24}){0,5}(?:[ _.!#@-]?\d{1,6})?[!?]?$/u;
/** `tooShort`: words of code. */
const IN_CAPITALS = /\p{Ll}\p{Lu}/u;
const WORDS = /\p{L}+/gu;
const WORDS_OF_CODE = /\p{Lu}?\p{Ll}+|\p{Lu}+/gu;
/** A shorter word says nothing. */
const TELLING = 4;

/** Whether `value` is made of words that no text about programs is made of. */
export function isUncommonWords(value: string): boolean {
  if (value.length < SHORTEST || value.length > LONGEST || IN_CAPITALS.test(value)) return false;
  // Most are common words: to look them up costs less than the patterns of `mayBeWords`.
  return isTellingEnough(value.toLowerCase().match(WORDS) ?? []) && mayBeWords(value);
}

function isTellingEnough(words: readonly string[]): boolean {
  const uncommon = words.filter((word) => word.length >= TELLING && !isCommonWord(word));
  return uncommon.length > 0 && uncommon.length * 2 >= words.length;
}

/** `concealed`, `strongly`, `unguessable`: what English says of a thing. */
const SAID_OF_SOMETHING = /(?:[^aeioun]ed|ly|able|ible|less|ory)$/;

/** Whether `value` is made of words, none of them one of forms, code or passwords: asked where nothing but a password can stand. */
export function mayBeWords(written: string): boolean {
  const value = written.replace('&amp;', '&');
  if (value.length < SHORTEST || value.length > LONGEST || !SHAPE.test(value)) return false;
  const folded = value.toLowerCase();
  if (DEFAULT_WORDS.has(folded) || TRADE_WORDS.test(value) || NAMES_STANDARD.test(value) || isPlaceholder(value))
    return false;
  const words = value.match(WORDS_OF_CODE) ?? [];
  if (words.length === 1 && SAID_OF_SOMETHING.test(folded)) return false;
  return !words.some((word) => speaksAbout(word.toLowerCase())) && !isNoun(folded);
}

function speaksAbout(word: string): boolean {
  return SPEAKS_ABOUT.has(word) || NAMES_PICTURE.has(word);
}

/** `Passwort`, `newPassword`, `localhost`: a name for a password, or words that label a field or name a type. */
export function isLabel(value: string): boolean {
  if (isNoun(value.toLowerCase())) return true;
  const words = value.match(WORDS_OF_CODE) ?? [];
  return words.every(
    (word) => word.length < TELLING - 1 || SAID_OF_SOMETHING.test(word) || isCommonWord(word.toLowerCase()),
  );
}

function isNoun(folded: string): boolean {
  return hasNounElsewhere(folded) || PASSWORD_WORDS.includes(folded);
}
