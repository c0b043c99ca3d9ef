import { NAMES_PICTURE, SPEAKS_ABOUT } from './lexicon/made-up.ts';
import { hasNounElsewhere } from './lexicon/names-elsewhere.ts';
import { DEFAULT_WORDS, NAMES_STANDARD, TRADE_WORDS } from './lexicon/values.ts';
import { isPlaceholder } from './placeholder.ts';
import { PATH } from './value-grammar.ts';

/**
 * Passwords that a person makes of words: `Mesa/Redonda/8`, `(Lontong)Balap`, `three-old-oak-doors`, and phrases. Their
 * grammar is that of names too; so these are asked only about what is given to a password's name, and a word of forms or
 * code among the words takes it back.
 */

const SHORTEST = 7;
const LONGEST = 64;
const WORDS = /\p{L}+/gu;
/** Words with a capital, and small ones between; marks and digits join them. */
const CAPITALISED = /^\p{Lu}\p{Ll}+$/u;
const SMALL = /^\p{Ll}{1,3}$/u;
const LONGEST_WORD = 16;
/** Joins the words of names too. */
const PLAIN_JOINTS = /^[\p{L}\p{N}._:/\\-]*$/u;
/** Of no bracket alone, and no tag: `<Password>`, `{Word}`. */
const ENCLOSED = /^(?:<.*>|\{.*\}|\[.*\]|\$\w+|%\w+%|@\w+|#\w+|:\w+)$/;
/** A method, a type in name spaces, a path of a site or of a registry of Windows. */
const OF_CODE = /::|->|=>|\(\)|\/\/|^(?:HK|[A-Z]:\\)|\.\.|<\/|\$\{|\{\{/;
/** Three words or more, with hyphens. */
const HYPHENED = /^[A-Za-z][a-z]{1,15}(?:-[A-Za-z][a-z]{1,15}){2,8}(?:-?\d{1,6})?$/;

/** Whether words are joined to one that no name is likely to be: `Sawah(Padi)Hijau`, `Kolak.Pisang`, `kebun-teh-hijau`. */
export function isMadeUp(value: string): boolean {
  return isMadeOfWords(value.includes('\\u') || value.includes('&') ? value.replaceAll(ESCAPES, '+') : value);
}

/** A mark as JSON or XML may write it. */
const ESCAPES = /\\u00[\da-f]{2}|&(?:amp|lt|gt|quot|apos);/gi;

function isMadeOfWords(value: string): boolean {
  if (value.length < SHORTEST || value.length > LONGEST || /\s/.test(value)) return false;
  if (HYPHENED.test(value)) return !speaksAbout(value);
  const words = value.match(WORDS) ?? [];
  const capitals = words.filter((word) => CAPITALISED.test(word));
  if (words.length < 2 || capitals.length < 2 || words.some((word) => word.length > LONGEST_WORD)) return false;
  if (!words.every((word) => CAPITALISED.test(word) || SMALL.test(word))) return false;
  // `FirstSecond` is written without a mark, as names of code are.
  if (!JOINED.test(value) || ENCLOSED.test(value) || OF_CODE.test(value) || PATH.test(value)) return false;
  return !speaksAbout(value) && !isPlaceholder(value.replaceAll(/[<>{}[\]$%]/g, ''));
}

const JOINED = /\p{L}[^\p{L}\s]{1,6}\p{L}/u;

/** Whether marks join the words that those of code, of paths and of headers join as well. */
export function isJoinedAsNames(value: string): boolean {
  return PLAIN_JOINTS.test(value);
}

/** Words of one language or another, with blanks between; `least` of them, and none of a sentence about passwords. */
export function isPassPhrase(value: string, least: number): boolean {
  const text = value.includes('\\u') || value.includes('&') ? value.replaceAll(ESCAPES, '&') : value;
  if (text.length > LONGEST || !/\s/.test(text) || !isPhrase(text)) return false;
  const words = text.match(WORDS) ?? [];
  return words.length >= least && !speaksAbout(text);
}

/** Two to twelve words with blanks, commas, hyphens or an `&` between them. */
function isPhrase(text: string): boolean {
  const [first = '', ...others] = text.replace(/[!?.]$/, '').split(/ [&+/] |[ ,-]{1,2}/);
  if (others.length === 0 || others.length > 11 || !FIRST_OF_PHRASE.test(first)) return false;
  return others.every((word) => WORD_OF_PHRASE.test(word));
}

const FIRST_OF_PHRASE = /^\p{L}{2,16}$/u;
const WORD_OF_PHRASE = /^[\p{L}\d]{1,16}$/u;

/** What stands at the place of a password and nowhere else: a word, or words that a mark joins, and none of forms or code. */
export function isWordGiven(value: string): boolean {
  if (value.length < SHORTEST_AT_PLACE || value.length > LONGEST_AT_PLACE || !WORDS_AT_PLACE.test(value)) return false;
  return (
    !DEFAULT_WORDS.has(value.toLowerCase()) && !isPlaceholder(value) && !speaksAbout(value) && !namesPicture(value)
  );
}

/** An icon, a state or a place: `eye-off-outline`, `stored-externally`. Other languages' nouns are labels. */
function namesPicture(value: string): boolean {
  const words = value.toLowerCase().match(WORDS) ?? [];
  return words.some((word) => NAMES_PICTURE.has(word)) || hasNounElsewhere(value);
}

const SHORTEST_AT_PLACE = 8;
const LONGEST_AT_PLACE = 40;
const WORDS_AT_PLACE = /^[A-Za-z]{3}[A-Za-z]*(?:[-_.&+*!#@~][A-Za-z]+)*[-_.!#]?\d*[!?]?$/;

/** Four groups of four letters, as Google's app passwords are shown (support.google.com/accounts/answer/185833). */
export function isAppPassword(value: string): boolean {
  return APP_PASSWORD.test(value) && !speaksAbout(value);
}

const APP_PASSWORD = /^[a-z]{4}(?: [a-z]{4}){3}$|^[a-z]{4}(?:-[a-z]{4}){3}$/;

function speaksAbout(value: string): boolean {
  if (TRADE_WORDS.test(value) || NAMES_STANDARD.test(value)) return true;
  return (value.toLowerCase().match(WORDS) ?? []).some((word) => SPEAKS_ABOUT.has(word));
}
