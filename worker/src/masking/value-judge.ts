import { readsAsIdentifier } from './identifier-judge.ts';
import { KINDS, kindOf, wordiness } from './letter-pairs.ts';
import { PUBLIC_VALUE } from './lexicon/public-names.ts';
import { DEFAULT_WORDS, LIKE_A_TEMPLATE, NUMBERED_WORD, TRADE_WORDS, WORDS_OF_A_SENTENCE } from './lexicon/values.ts';
import { isPlaceholder, isTemplate } from './placeholder.ts';
import {
  BOUNDARY,
  DATE,
  HEX_ONLY,
  IDENTIFIER,
  MODEL_NAME,
  NAMESPACED,
  NEGATED,
  NUMBER,
  PARTS_OF_WORDS,
  PASSWORD_HASH,
  PATH,
  PLAIN_WORD,
  REFERENCE,
  RESOURCE,
  SEPARATED_WORDS,
  UUID,
  VERSION,
} from './value-grammar.ts';

/** How a value was given: it decides how much the value itself must show. */
export interface ValueSetting {
  /** `password`: anything but a word of the trade; `secret`: a token or a drawn word; `weak`: only what is visibly drawn. */
  readonly name: 'password' | 'secret' | 'weak';
  readonly quoted: boolean;
  /** `NAME=value` without spaces, as in an environment file: nothing but a value can stand there. */
  readonly environment: boolean;
  /** The name ends in the secret word itself: `JWT_SECRET`, not `SECRET_STORE`. */
  readonly exact?: boolean;
  /** In a sentence rather than in code. */
  readonly prose: boolean;
}

/**
 * The thresholds. Each was fitted by hand on the cases of the bench and the documentation of the installed packages; scores
 * are of `wordiness`, 0 (drawn) to 1 (words). What moves when one is turned by a step was measured in two ways. "Missed" is how
 * many more values stay of 7,200 that give a drawn value of 10 to 32 characters to a name (12 kinds of value in 4
 * contexts, of which 693 stay). "In documents" is how many more keys are masked in 19 MB of installed documentation and
 * sources, of 150. No step of any of them changes a case of the bench.
 */

/** Shorter values are no secret. Turned either way: nothing moves. */
const SHORTEST_SECRET = 4;
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
const LONG = 16;
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
/** A password in quotes or in a sentence. Turned to 4: +0 missed, +1 in documents; 8: nothing. */
const SHORTEST_PASSWORD = 6;
/** A value of letters in an environment file scores lower. Turned either way: nothing moves. */
const WORDS_IN_ENVIRONMENT = 0.4;
/** A password of letters in quotes scores lower. Turned either way: nothing moves. */
const WORDS_QUOTED = 0.72;
/** A password of letters without quotes scores lower. Turned to 0.25: +9 missed, +0 in documents; 0.35: -16 missed, +0 in documents. */
const WORDS_BARE = 0.3;
/** A token that is not drawn. Turned to 6: -1 missed, +0 in documents; 10: +1 missed, +0 in documents. */
const SHORTEST_TOKEN = 8;
/** In quotes, with MANY_SYMBOLS different marks. Turned either way: nothing moves. */
const LONG_WITH_SYMBOLS = 20;
/** Different marks in a long token. Turned either way: nothing moves. */
const MANY_SYMBOLS = 4;
/** A token of letters and marks scores lower. Turned to 0.37: +13 missed, +0 in documents; 0.47: -7 missed, +0 in documents. */
const WORDS_OF_TOKEN_OF_WORDS = 0.42;
/** A long token with a digit scores lower. Turned to 0.75: nothing; 0.85: +0 missed, +1 in documents. */
const WORDS_OF_LONG_TOKEN = 0.8;
/** With so many digits a long token may read like words. Turned either way: nothing moves. */
const MANY_DIGITS = 4;
/** Digits of a token that is not long. Turned to 1: -37 missed, +0 in documents; 3: +15 missed, +0 in documents. */
const SOME_DIGITS = 2;
/** A token that is not long scores lower. Turned to 0.7: +0 missed, -1 in documents; 0.8: nothing. */
const WORDS_OF_SHORT_TOKEN = 0.75;

/** Decides whether `value`, given to a secret's name, is the secret itself. */
export function isSecretValue(value: string, setting: ValueSetting): boolean {
  return isGivenAs(value, setting) && !isPublicValue(value);
}

/** A hash of a password is a digest, not the secret; some ids have a grammar of their own. */
function isPublicValue(value: string): boolean {
  return PASSWORD_HASH.test(value) || PUBLIC_VALUE.test(value) || NAMESPACED.test(value) || BOUNDARY.test(value);
}

function isGivenAs(value: string, setting: ValueSetting): boolean {
  if (value.length < SHORTEST_SECRET || value.includes('***')) return false;
  if (isPlaceholder(value)) return setting.name === 'password' && LIKE_A_TEMPLATE.test(value) && isThoughtUp(value);
  if (DEFAULT_WORDS.has(value.toLowerCase().replace(/[!?]$/, ''))) return false;
  if (NUMBER.test(value) && (setting.name !== 'password' || /[a-z%]$/i.test(value))) return false;
  if (DATE.test(value) || isAddressLike(value) || VERSION.test(value)) return false;
  if (!setting.quoted && !setting.environment && NEGATED.test(value)) return false;
  if (RESOURCE.test(value) && !value.split('/').some((part) => looksDrawn(part))) return false;
  if (isDrawn(value) || (setting.quoted && isShuffled(value))) return true;
  const named = setting.name === 'password' && setting.quoted && PARTS_OF_WORDS.test(value) && isThoughtUp(value);
  if (!setting.environment && ((REFERENCE.test(value) && !named) || PATH.test(value))) return false;
  if (setting.environment && (PATH.test(value) || /^https?:/.test(value))) return false;
  if (setting.name === 'weak') return false;
  if (setting.name === 'password') return isPassword(value, setting);
  return isToken(value, setting);
}

/** With a number in it and no word of the trade. */
function isThoughtUp(value: string): boolean {
  return /\d/.test(value) && !TRADE_WORDS.test(value);
}

/** What stands in quotes after `PASSWORD` in a statement of SQL: anything but what shows where a password goes. */
export function isGivenInStatement(value: string): boolean {
  return value.length >= SHORTEST_SECRET && !isPlaceholder(value) && !DEFAULT_WORDS.has(value.toLowerCase());
}

/** Visibly made by a generator: digits among letters without words, long hex, a UUID. */
export function isDrawn(value: string): boolean {
  return looksDrawn(value) && !isPublicValue(value) && (isHexadecimal(value) || !readsAsIdentifier(value));
}

function isHexadecimal(value: string): boolean {
  return HEX_ONLY.test(value) || UUID.test(value);
}

function looksDrawn(value: string): boolean {
  if (PLAIN_WORD.test(value) || VERSION.test(value)) return false;
  if (UUID.test(value)) return true;
  if (HEX_ONLY.test(value))
    return (
      value.length >= SHORTEST_HEX && /\d/.test(value) && (/[a-f]/i.test(value) || value.length >= SHORTEST_NUMBER)
    );
  if (value.length < SHORTEST_DRAWN || !/^[\x21-\x7e]+$/.test(value)) return false;
  const { digits, letters, changes } = measure(value);
  if (letters < FEWEST_LETTERS || /[(){}[\]<>,;]|\*\*|(?:^|\/)\.{1,2}\/|:\/\//.test(value)) return false;
  if (digits === 0 && (value.length < SHORTEST_WITHOUT_DIGITS || changes < MANY_CHANGES)) return false;
  if (value.includes('.') && REFERENCE.test(value) && value.split('.').every((part) => isName(part))) return false;
  const score = wordiness(value);
  if (digits === 0) return score < WORDS_WITHOUT_DIGITS;
  if (MODEL_NAME.test(value) && score > WORDS_OF_MODEL) return false;
  if (value.length >= LONG) return (changes >= SOME_CHANGES && score < WORDS_LONG_MIXED) || score < WORDS_LONG;
  return (changes >= SOME_CHANGES && score < WORDS_SHORT_MIXED) || (value.length >= MEDIUM && score < WORDS_MEDIUM);
}

/** Long runs of letters no word has, and two short hexadecimal halves: drawn, beside the name of a vendor. */
export function isDrawnPlainly(value: string): boolean {
  return (
    (/^[a-z0-9]{14,}$/.test(value) && wordiness(value) < WORDS_AFTER_VENDOR) || /^[0-9a-f]{8}:[0-9a-f]{8}$/.test(value)
  );
}

/** Lower case, capitals and digits that change places often, as a short generated password does. */
function isShuffled(value: string): boolean {
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

function isPassword(value: string, { quoted, environment, prose }: ValueSetting): boolean {
  if (/\s/.test(value))
    return quoted && /^(?:[a-z]{3,10} ){3,23}[a-z0-9]{2,10}$/.test(value) && !WORDS_OF_A_SENTENCE.test(value);
  if (isTemplate(value.slice(1)) || (/[(){}<>]/.test(value.replace(/[)}]$/, '')) && !environment && !quoted))
    return false;
  const marked = /\d/.test(value) || (quoted ? /[!#@$%^&*+=~?|]/ : /[!#@$%^&*+=~?]/).test(value);
  if (SEPARATED_WORDS.test(value)) {
    if (environment)
      return (
        !IDENTIFIER.test(value) ||
        /^[a-z]+$/.test(value) ||
        wordiness(value) < WORDS_IN_ENVIRONMENT ||
        (value.includes('_') && !value.startsWith('_') && !TRADE_WORDS.test(value))
      );
    if (prose) return false;
    return quoted
      ? value.length >= SHORTEST_PASSWORD && wordiness(value) < WORDS_QUOTED && !/[ :/]/.test(value)
      : wordiness(value) < WORDS_BARE;
  }
  if (!marked) return environment;
  if (prose && !quoted) return value.length >= SHORTEST_PASSWORD && /[A-Za-z]/.test(value) && /\d/.test(value);
  return environment || quoted || !/^[a-z]+\d?$/i.test(value) || (!prose && isWordWithDigit(value));
}

/** `hunter2`, not `utf8`, `bytes32` or `input1`: a word that names no type and no field. */
function isWordWithDigit(value: string): boolean {
  return /^[a-z]{5,}\d$/i.test(value) && !NUMBERED_WORD.test(value);
}

function isToken(value: string, { quoted, environment, exact = false }: ValueSetting): boolean {
  if (/\s/.test(value) || value.length < SHORTEST_TOKEN) return false;
  if (
    quoted &&
    value.length >= LONG_WITH_SYMBOLS &&
    new Set(value.match(/[!@#$%^&*()+=]/g)).size >= MANY_SYMBOLS &&
    /\d/.test(value)
  )
    return true;
  if (environment && exact && /[a-z]/.test(value) && !/[(){}<>,;]/.test(value)) return true;
  if (SEPARATED_WORDS.test(value) || MODEL_NAME.test(value)) {
    return (quoted || environment) && wordiness(value) < WORDS_OF_TOKEN_OF_WORDS && !/[/ :]/.test(value);
  }
  if (/[(){}<>,;]/.test(value)) return false;
  const { digits } = measure(value);
  if (value.length >= LONG && (quoted || environment))
    return (
      digits > 0 && (wordiness(value) < WORDS_OF_LONG_TOKEN || digits >= MANY_DIGITS) && !/[/:]/.test(value.slice(0, 1))
    );
  return (
    (quoted || environment) &&
    digits >= SOME_DIGITS &&
    /[A-Za-z]/.test(value) &&
    wordiness(value) < WORDS_OF_SHORT_TOKEN
  );
}

function isAddressLike(value: string): boolean {
  return (
    /^[a-z][a-z0-9+.-]*:(?:\/\/|\\\/)/i.test(value) ||
    /^\d{1,3}(?:\.\d{1,3}){3}/.test(value) ||
    /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(value)
  );
}

/** Counts digits and letters, and how often lower case, capitals and digits change places, no character counted twice. */
function measure(value: string): { digits: number; letters: number; changes: number } {
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
