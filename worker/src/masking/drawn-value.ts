import {
  ALNUM,
  CODE,
  classesIn,
  DASH,
  DOLLAR,
  DOT,
  EQUALS,
  HEX,
  LETTER,
  PERCENT,
  STAR,
  SYMBOL,
  TILDE,
  tableOf,
  UNDERSCORE,
} from './characters.ts';
import { readsAsIdentifier } from './identifier-judge.ts';
import { KINDS, kindOf, wordiness } from './letter-pairs.ts';
import { PUBLIC_VALUE } from './lexicon/public-names.ts';
import {
  BOUNDARY,
  HEX_ONLY,
  MODEL_NAME,
  NAMESPACED,
  PASSWORD_HASH,
  PLAIN_WORD,
  REFERENCE,
  UUID,
  VERSION,
} from './value-grammar.ts';

/** Thresholds as those of `value-judge.ts`, fitted and measured in the same way. */

/** Hexadecimal digits with letters among them. Turned either way: nothing moves. */
const SHORTEST_HEX = 16;
/** Decimal digits alone. Turned either way: nothing moves. */
const SHORTEST_NUMBER = 24;
/** Shorter values are not judged by their letters. Turned to 8: nothing; 12: +39 missed, -3 in documents. */
const SHORTEST_DRAWN = 10;
/** Letters that a drawn value holds. Turned either way: nothing moves. */
const FEWEST_LETTERS = 3;
/** Without digits among the letters a word is more likely. Turned to 10: nothing; 14: +3 missed, +0 in documents. */
const SHORTEST_WITHOUT_DIGITS = 12;
/** Changes between lower case, capitals and digits where nothing else speaks for a drawn value. Turned to 3: -69 missed, +0 in documents; 5: +103 missed, +0 in documents. */
const MANY_CHANGES = 4;
/** The same where digits stand among the letters. Turned to 2: -27 missed, +3 in documents; 4: +52 missed, -15 in documents. */
const SOME_CHANGES = 3;
/** From here on a value may read a little more like words. Turned to 14: -3 missed, +2 in documents; 18: +2 missed, -33 in documents. */
export const LONG = 16;
/** From here on few changes are enough when it reads like nothing. Turned to 12: -20 missed, +0 in documents; 16: +2 missed, +0 in documents. */
const MEDIUM = 14;
/** Drawn letters alone score lower. Turned to 0.45: +35 missed, +0 in documents; 0.55: -13 missed, +0 in documents. */
const WORDS_WITHOUT_DIGITS = 0.5;
/** The shape of a model's name scores higher. Turned either way: nothing moves. */
const WORDS_OF_MODEL = 0.45;
/** Long, with some changes. Turned to 0.57: +1 missed, -51 in documents; 0.67: +0 missed, +76 in documents. */
const WORDS_LONG_MIXED = 0.62;
/** Long, with few changes. Turned to 0.37: +3 missed, +0 in documents; 0.47: +0 missed, +1 in documents. */
const WORDS_LONG = 0.42;
/** Short, with some changes. Turned to 0.45: +8 missed, +0 in documents; 0.55: -3 missed, +0 in documents. */
const WORDS_SHORT_MIXED = 0.5;
/** Short, with few changes. Turned to 0.33: nothing; 0.43: -1 missed, +0 in documents. */
const WORDS_MEDIUM = 0.38;
/** Lower case and digits after the name of a vendor. Turned either way: nothing moves. */
const WORDS_AFTER_VENDOR = 0.5;
/** In quotes, all three kinds changing places often. Turned either way: nothing moves. */
const WORDS_SHUFFLED = 0.6;
/** Digits in a part of `a.b2.c`. Turned either way: nothing moves. */
const MOST_DIGITS_OF_NAME = 2;
/** A part of `a.b2.c` scores higher. Turned either way: nothing moves. */
const WORDS_OF_NAME = 0.4;
/** What a match of PASSWORD_HASH or PUBLIC_VALUE begins with. */
const BEGINS_PUBLIC = tableOf('$pbasmuS1');
/** What a match of VERSION begins with. */
const BEGINS_VERSION = tableOf('0123456789vV^~');
/** Of no blank, bracket, comma or control character, nor a part of a path or a URL. */
const UNBROKEN = ALNUM | DOT | DASH | UNDERSCORE | EQUALS | TILDE | PERCENT | DOLLAR | (SYMBOL & ~STAR);

/** A hash of a password is a digest, not the secret; some ids have a grammar of their own. */
export function isPublicValue(value: string): boolean {
  if (BEGINS_PUBLIC[value.charCodeAt(0)] === 1 && (PASSWORD_HASH.test(value) || PUBLIC_VALUE.test(value))) return true;
  return value.includes('::') ? NAMESPACED.test(value) : value.startsWith('------') && BOUNDARY.test(value);
}

/** Visibly made by a generator: digits among letters without words, long hex, a UUID. */
export function isDrawn(value: string): boolean {
  return looksDrawn(value) && !isPublicValue(value) && (isHexadecimal(value) || !readsAsIdentifier(value));
}

export function isVersion(value: string): boolean {
  return BEGINS_VERSION[value.charCodeAt(0)] === 1 && VERSION.test(value);
}

function isHexadecimal(value: string): boolean {
  return isHexOnly(value, classesIn(value)) || (value.length === LENGTH_OF_UUID && UUID.test(value));
}

/** Hexadecimal digits, `0x` before them or not; `classes` are those of the value. */
function isHexOnly(value: string, classes: number): boolean {
  return (classes & ~HEX) === 0 ? value !== '' : value.charCodeAt(0) === CODE.zero && HEX_ONLY.test(value);
}

export function looksDrawn(value: string): boolean {
  const classes = classesIn(value);
  if (((classes & ~LETTER) === 0 && PLAIN_WORD.test(value)) || isVersion(value)) return false;
  if (value.length === LENGTH_OF_UUID && UUID.test(value)) return true;
  if (isHexOnly(value, classes))
    return (
      value.length >= SHORTEST_HEX && /\d/.test(value) && (/[a-f]/i.test(value) || value.length >= SHORTEST_NUMBER)
    );
  if (value.length < SHORTEST_DRAWN) return false;
  const unbroken = (classes & ~UNBROKEN) === 0;
  if (!unbroken && !/^[\x21-\x7e]+$/.test(value)) return false;
  const { digits, letters, changes } = measure(value);
  if (letters < FEWEST_LETTERS || (!unbroken && BROKEN.test(value))) return false;
  if (digits === 0 && (value.length < SHORTEST_WITHOUT_DIGITS || changes < MANY_CHANGES)) return false;
  if (value.includes('.') && REFERENCE.test(value) && value.split('.').every((part) => isName(part))) return false;
  const score = wordiness(value);
  if (digits === 0) return score < WORDS_WITHOUT_DIGITS;
  if (MODEL_NAME.test(value) && score > WORDS_OF_MODEL) return false;
  if (value.length >= LONG) return (changes >= SOME_CHANGES && score < WORDS_LONG_MIXED) || score < WORDS_LONG;
  return (changes >= SOME_CHANGES && score < WORDS_SHORT_MIXED) || (value.length >= MEDIUM && score < WORDS_MEDIUM);
}

const LENGTH_OF_UUID = 36;
const BROKEN = /[(){}[\]<>,;]|\*\*|(?:^|\/)\.{1,2}\/|:\/\//;

/** Long runs of letters no word has, and two short hexadecimal halves: drawn, beside the name of a vendor. */
export function isDrawnPlainly(value: string): boolean {
  return (
    (/^[a-z0-9]{14,}$/.test(value) && wordiness(value) < WORDS_AFTER_VENDOR) || /^[0-9a-f]{8}:[0-9a-f]{8}$/.test(value)
  );
}

/** Marks of all kinds among letters and digits, as WordPress draws its keys and salts: no text, no pattern and no format. */
export function isNoise(value: string): boolean {
  if (
    value.length < SHORTEST_NOISE ||
    value.length > LONGEST_NOISE ||
    /[a-z]{4}|[A-Z]{4}|a-z|A-Z|0-9|\(\?|%[sd]|\\|\s\s/.test(value)
  )
    return false;
  const marks = new Set(value.match(/[^A-Za-z\d\s]/g));
  return marks.size >= KINDS_OF_MARKS && /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

const [SHORTEST_NOISE, LONGEST_NOISE] = [20, 128];
const KINDS_OF_MARKS = 6;

/** Lower case, capitals and digits that change places often, as a short generated password does. */
export function isShuffled(value: string): boolean {
  if (
    value.length < SHORTEST_DRAWN ||
    !/^[A-Za-z0-9_=-]+$/.test(value) ||
    !/\d/.test(value) ||
    !/[a-z]/.test(value) ||
    !/[A-Z]/.test(value)
  )
    return false;
  return measure(value).changes >= MANY_CHANGES && wordiness(value) < WORDS_SHUFFLED;
}

function isName(part: string): boolean {
  return (
    /^[A-Za-z_$#][\w$]*$/.test(part) && measure(part).digits <= MOST_DIGITS_OF_NAME && wordiness(part) > WORDS_OF_NAME
  );
}

/** Counts digits and letters, and how often lower case, capitals and digits change places, no character counted twice. */
export function measure(value: string): { digits: number; letters: number; changes: number } {
  let digits = 0;
  let letters = 0;
  let changes = 0;
  let counted = -1;
  let before: number = KINDS.none;
  let twoBefore: number = KINDS.none;
  for (let index = 0; index < value.length; index++) {
    const kind = kindOf(value.charCodeAt(index));
    if (kind === KINDS.digit) digits++;
    else if (kind !== KINDS.none) letters++;
    const pair =
      before !== KINDS.none &&
      kind !== KINDS.none &&
      before !== kind &&
      !(before === KINDS.upper && kind === KINDS.lower);
    const capitals = before === KINDS.upper && kind === KINDS.lower && twoBefore === KINDS.upper;
    if ((pair && counted < index - 1) || (capitals && counted < index - 2)) {
      changes++;
      counted = index;
    }
    twoBefore = before;
    before = kind;
  }
  return { digits, letters, changes };
}
