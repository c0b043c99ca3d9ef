import { isPlaceholder, isTemplate } from './placeholder.ts';
import { KINDS, kindOf, wordiness } from './rules/letter-pairs.ts';
import { DEFAULT_WORDS } from './rules/secret-words.ts';

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

const HEX_ONLY = /^(?:0x)?[0-9a-fA-F]+$/;
/** A password already hashed (crypt's modular format): a digest, not the secret. */
const PASSWORD_HASH = /^\$(?:2[aby]?|argon2\w{0,2}|[156y]|pbkdf2[\w-]{0,12}|scrypt)\$/;
const PLAIN_WORD = /^[A-Za-z]?[a-z]*$/;
const UUID = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
const REFERENCE = /^(?:[A-Za-z_$][\w$]*|this)(?:\??\.[A-Za-z_$#][\w$]*|\[[^\]]*\]|::[A-Za-z_]\w*|->[A-Za-z_]\w*)+$/;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$]*$/;
const SEPARATED_WORDS = /^[A-Za-z]+(?:[-_./: ][A-Za-z]+)*$/;
const PATH =
  /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)[\w.@/\\-]*$|^[\w.-]+\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|txt|env|ts|js|py|go|rb|java|php|md|html?|css|toml|ini|conf|sh|sql|xml|lock|log|png)$/;
const NUMBER = /^[-+]?\d{1,9}(?:[._,]\d+)*(?:ms|s|m|h|d|w|y|kb|mb|gb|k|px|rem|em|%)?$/i;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$/;
const MODEL_NAME = /^[a-z]+(?:[-_.][a-z]*\d{0,3}[a-z]?(?:\.\d+)?[a-z]?)*$/;

/** Decides whether `value`, given to a secret's name, is the secret itself. */
export function isSecretValue(value: string, setting: ValueSetting): boolean {
  if (value.length < 4 || isPlaceholder(value) || value.includes('***')) return false;
  if (DEFAULT_WORDS.has(value.toLowerCase().replace(/[!?]$/, ''))) return false;
  if (NUMBER.test(value) && (setting.name !== 'password' || value.length < 4 || /[a-z%]$/i.test(value))) return false;
  if (DATE.test(value) || isAddressLike(value)) return false;
  if (isDrawn(value) || (setting.quoted && isShuffled(value))) return true;
  if (!setting.environment && (REFERENCE.test(value) || PATH.test(value))) return false;
  if (setting.environment && (PATH.test(value) || /^https?:/.test(value))) return false;
  if (setting.name === 'weak') return false;
  if (setting.name === 'password') return isPassword(value, setting);
  return isToken(value, setting);
}

/** Visibly made by a generator: digits among letters without words, long hex, a UUID. */
export function isDrawn(value: string): boolean {
  if (PLAIN_WORD.test(value)) return false;
  if (UUID.test(value)) return true;
  if (HEX_ONLY.test(value))
    return value.length >= 16 && /\d/.test(value) && (/[a-f]/i.test(value) || value.length >= 24);
  if (value.length < 10 || !/^[\x21-\x7e]+$/.test(value)) return false;
  if (PASSWORD_HASH.test(value)) return false;
  const { digits, letters, changes } = measure(value);
  if (letters < 3 || /[(){}[\]<>,;]|\*\*|(?:^|\/)\.{1,2}\/|:\/\//.test(value)) return false;
  if (digits === 0 && (value.length < 12 || changes < 4)) return false;
  if (value.includes('.') && REFERENCE.test(value) && value.split('.').every((part) => isName(part))) return false;
  const score = wordiness(value);
  if (digits === 0) return score < 0.5;
  if (MODEL_NAME.test(value) && score > 0.45) return false;
  if (value.length >= 16) return (changes >= 3 && score < 0.62) || score < 0.42;
  return (changes >= 3 && score < 0.5) || (value.length >= 14 && score < 0.38);
}

/** Long runs of letters no word has, and two short hexadecimal halves: drawn, beside the name of a vendor. */
export function isDrawnPlainly(value: string): boolean {
  return (/^[a-z0-9]{14,}$/.test(value) && wordiness(value) < 0.5) || /^[0-9a-f]{8}:[0-9a-f]{8}$/.test(value);
}

/** Lower case, capitals and digits that change places often, as a short generated password does. */
function isShuffled(value: string): boolean {
  if (
    value.length < 10 ||
    !/^[A-Za-z0-9_=-]+$/.test(value) ||
    !/\d/.test(value) ||
    !/[a-z]/.test(value) ||
    !/[A-Z]/.test(value)
  )
    return false;
  return measure(value).changes >= 4 && wordiness(value) < 0.6;
}

function isName(part: string): boolean {
  return /^[A-Za-z_$#][\w$]*$/.test(part) && measure(part).digits <= 2 && wordiness(part) > 0.4;
}

function isPassword(value: string, { quoted, environment, prose }: ValueSetting): boolean {
  if (/\s/.test(value))
    return (
      quoted &&
      /^(?:[a-z]{3,10} ){3,23}[a-z0-9]{2,10}$/.test(value) &&
      !/\b(?:your|must|is|the|be|and|or|to|enter|please|not|are|for|anda|harus|wajib|tidak|untuk)\b/.test(value)
    );
  if (isTemplate(value.slice(1)) || (/[(){}<>]/.test(value.replace(/[)}]$/, '')) && !environment && !quoted))
    return false;
  const marked = /\d/.test(value) || /[!#@$%^&*+=~?]/.test(value);
  if (SEPARATED_WORDS.test(value)) {
    if (environment) return !IDENTIFIER.test(value) || /^[a-z]+$/.test(value) || wordiness(value) < 0.4;
    if (prose) return false;
    return quoted ? value.length >= 6 && wordiness(value) < 0.72 && !/[ :/]/.test(value) : wordiness(value) < 0.3;
  }
  if (!marked) return environment;
  if (prose && !quoted) return value.length >= 6 && /[A-Za-z]/.test(value) && /\d/.test(value);
  return environment || quoted || !/^[a-z]+\d?$/i.test(value) || (!prose && isWordWithDigit(value));
}

/** `hunter2`, not `utf8`, `bytes32` or `input1`: a word that names no type and no field. */
function isWordWithDigit(value: string): boolean {
  return (
    /^[a-z]{5,}\d$/i.test(value) &&
    !/^(?:float|double|bytes|string|varchar|nvarchar|bcrypt|argon|scrypt|pbkdf|base|level|field|input|value|param|column|option|version|stage|phase|group|team|user|admin|password|passwd|secret|token|oauth|secp|curve|blake|keccak|crypt|ntlmv|saml|proto|point|vector)\d$/i.test(
      value,
    )
  );
}

function isToken(value: string, { quoted, environment, exact = false }: ValueSetting): boolean {
  if (/\s/.test(value) || value.length < 8) return false;
  if (quoted && value.length >= 20 && new Set(value.match(/[!@#$%^&*()+=]/g)).size >= 4 && /\d/.test(value))
    return true;
  if (environment && exact && /[a-z]/.test(value) && !/[(){}<>,;]/.test(value)) return true;
  if (SEPARATED_WORDS.test(value) || MODEL_NAME.test(value)) {
    return (quoted || environment) && value.length >= 8 && wordiness(value) < 0.42 && !/[/ :]/.test(value);
  }
  if (/[(){}<>,;]/.test(value)) return false;
  const { digits } = measure(value);
  if (value.length >= 16 && (quoted || environment))
    return digits > 0 && (wordiness(value) < 0.8 || digits >= 4) && !/[/:]/.test(value.slice(0, 1));
  return (quoted || environment) && digits >= 2 && /[A-Za-z]/.test(value) && wordiness(value) < 0.75;
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
