import { ALNUM, COLON, classesIn, DOT, isDigit, PLUS_SLASH, tableOf } from './characters.ts';
import { isDrawn, isPublicValue, isShuffled, isVersion, LONG, looksDrawn, measure } from './drawn-value.ts';
import { wordiness } from './letter-pairs.ts';
import {
  DEFAULT_WORDS,
  LIKE_A_TEMPLATE,
  NUMBERED_WORD,
  RULE_OF_FORM,
  TRADE_WORDS,
  WORDS_OF_A_SENTENCE,
} from './lexicon/values.ts';
import { isPlaceholder, isTemplate } from './placeholder.ts';
import { isLabel } from './plain-words.ts';
import {
  DATE,
  IDENTIFIER,
  MODEL_NAME,
  NEGATED,
  NUMBER,
  PARTS_OF_WORDS,
  PATH,
  REFERENCE,
  RESOURCE,
  SEPARATED_WORDS,
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
/** With a mark behind it. */
const LONGEST_DEFAULT = 1 + Math.max(...Array.from(DEFAULT_WORDS, (word) => word.length));

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

/** Decides whether `value`, given to a secret's name, is the secret itself. */
export function isSecretValue(value: string, setting: ValueSetting): boolean {
  return isGivenAs(value, setting) && !isPublicValue(value);
}

/** What a match of NUMBER begins with. */
const BEGINS_NUMBER = tableOf('0123456789+-');

function isGivenAs(value: string, setting: ValueSetting): boolean {
  if (value.length < SHORTEST_SECRET || value.includes('***')) return false;
  if (isPlaceholder(value)) return setting.name === 'password' && LIKE_A_TEMPLATE.test(value) && isThoughtUp(value);
  if (value.length <= LONGEST_DEFAULT && DEFAULT_WORDS.has(withoutMark(value.toLowerCase()))) return false;
  const first = value.charCodeAt(0);
  if (BEGINS_NUMBER[first] === 1 && NUMBER.test(value) && (setting.name !== 'password' || /[a-z%]$/i.test(value)))
    return false;
  const classes = classesIn(value);
  if ((isDigit(first) && DATE.test(value)) || isAddressLike(value, classes) || isVersion(value)) return false;
  if (!setting.quoted && !setting.environment && value.startsWith('!') && NEGATED.test(value)) return false;
  if ((classes & PLUS_SLASH) !== 0 && RESOURCE.test(value) && !value.split('/').some((part) => looksDrawn(part)))
    return false;
  if (isDrawn(value) || (setting.quoted && isShuffled(value))) return true;
  // What is a reference, a path or a URL holds a mark.
  if ((classes & ~ALNUM) !== 0 && isReferenceOrPath(value, setting)) return false;
  if (setting.name === 'weak') return false;
  if (setting.name === 'password') return isPassword(value, setting);
  return isToken(value, setting);
}

/** `admin!` as `admin`. */
function withoutMark(value: string): string {
  return value.endsWith('!') || value.endsWith('?') ? value.slice(0, -1) : value;
}

/** `$ecur3[Ledger]`, `x$3cur7[karang]`: marks and digits among the letters, as no element of a list is named. */
const INDEXED_BY_WORD = /^\$[A-Za-z]+\d\w*\[[A-Z][a-z]+\]$|^[A-Za-z]\w*\$[A-Za-z_]*\d\w*\[[A-Za-z]+\]$/;

function isReferenceOrPath(value: string, { name, quoted, environment }: ValueSetting): boolean {
  if (PATH.test(value)) return true;
  if (environment) return /^https?:/.test(value);
  const isText = (quoted && PARTS_OF_WORDS.test(value)) || INDEXED_BY_WORD.test(value);
  const isNamed = name === 'password' && isText && isThoughtUp(value);
  return !isNamed && REFERENCE.test(value);
}

/** With a number in it and no word of the trade. */
function isThoughtUp(value: string): boolean {
  return /\d/.test(value) && !TRADE_WORDS.test(value);
}

/** What stands in quotes after `PASSWORD` in a statement of SQL: anything but what shows where a password goes. */
export function isGivenInStatement(value: string): boolean {
  return value.length >= SHORTEST_SECRET && !isPlaceholder(value) && !DEFAULT_WORDS.has(value.toLowerCase());
}

/** `Walrus&harbor(66)`: a mark that no name of a function holds stands before the bracket, and nothing but a number in it. */
export const BRACKETED = /^(?=[^(]*[A-Z#@])\w+[#@%&]\w+\(\d+\)$/;

/** `Argon2id`, `base64-encoded`: how it is kept. */
const ALGORITHM = /^(?:sha|md|argon|bcrypt|scrypt|pbkdf|aes|hmac|base)-?\d{1,3}(?:[a-z]{1,8}|-[a-z]{1,12})?$/i;

function isPassword(value: string, { quoted, environment, prose }: ValueSetting): boolean {
  if (ALGORITHM.test(value)) return false;
  if (/\s/.test(value)) return quoted && isPassphrase(value) && !WORDS_OF_A_SENTENCE.test(value);
  if (isTemplate(value.slice(1)) || ((value.includes(':') || value.includes('|')) && RULE_OF_FORM.test(value)))
    return false;
  if (!environment && !quoted && /[(){}<>]/.test(value.replace(/[)}]$/, '')) && !BRACKETED.test(value)) return false;
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
      ? value.length >= SHORTEST_PASSWORD && wordiness(value) < WORDS_QUOTED && !/[ :/]/.test(value) && !isLabel(value)
      : wordiness(value) < WORDS_BARE;
  }
  if (!marked) return environment;
  if (prose && !quoted) return value.length >= SHORTEST_PASSWORD && /[A-Za-z]/.test(value) && /\d/.test(value);
  return environment || quoted || !/^[a-z]+\d?$/i.test(value) || (!prose && isWordWithDigit(value));
}

/** Words in lower case; short ones too where a number ends it, `gajah duduk di kursi 42`. */
function isPassphrase(value: string): boolean {
  return PASSPHRASE.test(value) || NUMBERED_PASSPHRASE.test(value);
}

const PASSPHRASE = /^(?:[a-z]{3,10} ){3,23}[a-z0-9]{2,10}$/;
const NUMBERED_PASSPHRASE = /^(?:[a-z]{2,10} ){3,23}[a-z]{0,10}\d{1,6}[!?.]?$/;

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

function isAddressLike(value: string, classes: number): boolean {
  if ((classes & (COLON | DOT)) === 0) return false;
  return (
    /^[a-z][a-z0-9+.-]*:(?:\/\/|\\\/)/i.test(value) ||
    /^\d{1,3}(?:\.\d{1,3}){3}/.test(value) ||
    (value.includes('@') && /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(value))
  );
}
