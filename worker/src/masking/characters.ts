/**
 * The characters that rules look for, by name, as UTF-16 code units. What a comparison of a single character is meant to
 * hit stands in the rule as a word; a test holds that no rule compares with a bare number.
 */
export const CODE = {
  tab: 9,
  newline: 10,
  carriageReturn: 13,
  /** Below it are control characters; at most it, white space, control characters and NO_CHARACTER. */
  space: 32,
  doubleQuote: 34,
  hash: 35,
  dollar: 36,
  percent: 37,
  ampersand: 38,
  singleQuote: 39,
  openParenthesis: 40,
  closeParenthesis: 41,
  star: 42,
  plus: 43,
  comma: 44,
  hyphen: 45,
  dot: 46,
  slash: 47,
  zero: 48,
  two: 50,
  three: 51,
  eight: 56,
  nine: 57,
  colon: 58,
  semicolon: 59,
  less: 60,
  equals: 61,
  greater: 62,
  question: 63,
  at: 64,
  A: 65,
  D: 68,
  H: 72,
  I: 73,
  Z: 90,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  caret: 94,
  underscore: 95,
  backtick: 96,
  a: 97,
  h: 104,
  m: 109,
  n: 110,
  o: 111,
  p: 112,
  q: 113,
  r: 114,
  s: 115,
  t: 116,
  u: 117,
  v: 118,
  w: 119,
  openBrace: 123,
  pipe: 124,
  closeBrace: 125,
  /** The last printable character of ASCII. */
  tilde: 126,
  delete: 127,
  sectionSign: 0xa7,
  /** Unicode's block of dashes, quotes and ellipses begins here. */
  generalPunctuation: 0x2000,
  enDash: 0x2013,
  emDash: 0x2014,
  ellipsis: 0x2026,
  rightArrow: 0x2192,
  fullwidthColon: 0xff1a,
} as const;

/** Stands for a character where the text has none. */
export const NO_CHARACTER = -1;
/** How many characters ASCII has. */
export const ASCII = 128;
/** The bit that differs between a lower-case letter of ASCII and its capital. */
const CASE_BIT = 32;

/** The lower case of an ASCII capital; every other code unit as it is. */
export function lowerCase(code: number): number {
  return code >= CODE.A && code <= CODE.Z ? code | CASE_BIT : code;
}

export function isDigit(code: number): boolean {
  return code >= CODE.zero && code <= CODE.nine;
}

/** True for the first half of a character outside the basic plane: nothing is cut behind it. */
export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/**
 * Character classes as bits (a class is not a code: `DOT` is an alphabet of one, `CODE.dot` the character), so that an alphabet is a sum and a test is one table look-up. Only ASCII has classes:
 * every other code unit, lone surrogates included, has none and therefore ends a token.
 */
export const DIGIT = 1 << 0;
const LOWER_HEX = 1 << 1;
const LOWER_REST = 1 << 2;
const UPPER_HEX = 1 << 3;
const UPPER_REST = 1 << 4;
export const UNDERSCORE = 1 << 5;
export const DASH = 1 << 6;
export const DOT = 1 << 7;
export const PLUS_SLASH = 1 << 8;
export const EQUALS = 1 << 9;
export const TILDE = 1 << 10;
export const COLON = 1 << 11;
export const PERCENT = 1 << 12;
export const BLANK = 1 << 13;
export const LINE_END = 1 << 14;
export const QUOTE = 1 << 15;
/** Punctuation that people put into passwords and that no surrounding syntax needs. */
export const STAR = 1 << 20;
export const SYMBOL = (1 << 16) | STAR;
/** What closes a value in prose, Markdown, JSON or code. */
const CLOSER = 1 << 17;
export const DOLLAR = 1 << 18;
const PIPE = 1 << 19;
/** ASCII that has no class of its own: opening brackets, the backslash, control characters. */
export const UNCLASSED = 1 << 21;
export const OUTSIDE_ASCII = 1 << 22;

export const LOWER = LOWER_HEX | LOWER_REST;
export const UPPER = UPPER_HEX | UPPER_REST;
export const LETTER = LOWER | UPPER;
export const ALNUM = LETTER | DIGIT;
export const WORD = ALNUM | UNDERSCORE;
export const HEX = DIGIT | LOWER_HEX | UPPER_HEX;
export const BASE64URL = ALNUM | UNDERSCORE | DASH;
export const BASE64 = ALNUM | PLUS_SLASH | EQUALS;
export const HOSTNAME = ALNUM | DASH | DOT | UNDERSCORE;
export const SPACE = BLANK | LINE_END;
/** The characters a bare secret may hold when nothing quotes it. */
export const BARE_VALUE =
  ALNUM | UNDERSCORE | DASH | DOT | PLUS_SLASH | EQUALS | TILDE | COLON | PERCENT | SYMBOL | DOLLAR;

/** Where a token that is extended to the left must stop: nothing masked ever begins before one of these. */
const LEFT_STOP = ' \t\r\n"\'`<>()|,';

function table(): Int32Array {
  const classes = new Int32Array(ASCII);
  const add = (characters: string, bits: number) => {
    for (const character of characters)
      classes[character.charCodeAt(0)] = (classes[character.charCodeAt(0)] ?? 0) | bits;
  };
  add('0123456789', DIGIT);
  add('abcdef', LOWER_HEX);
  add('ghijklmnopqrstuvwxyz', LOWER_REST);
  add('ABCDEF', UPPER_HEX);
  add('GHIJKLMNOPQRSTUVWXYZ', UPPER_REST);
  add('_', UNDERSCORE);
  add('-', DASH);
  add('.', DOT);
  add('+/', PLUS_SLASH);
  add('=', EQUALS);
  add('~', TILDE);
  add(':', COLON);
  add('%', PERCENT);
  add(' \t', BLANK);
  add('\n\r', LINE_END);
  add('"\'`', QUOTE);
  add('!#@^&?', SYMBOL & ~STAR);
  add('*', STAR);
  add('$', DOLLAR);
  add('|', PIPE);
  add('"\'`,;)]}>|<', CLOSER);
  return classes;
}

const CLASSES = table();
const LEFT_STOPS = tableOf(LEFT_STOP);

/** True when `code` (a UTF-16 code unit, or -1 for "no character") is in the alphabet `bits`. */
export function isIn(code: number, bits: number): boolean {
  return (code & 127) === code && ((CLASSES[code] ?? 0) & bits) !== 0;
}

/** The classes of `code`; 0 where it has none. */
export function classesOf(code: number): number {
  return (code & 127) === code ? (CLASSES[code] ?? 0) : 0;
}

/** The classes of all characters of `value`, OUTSIDE_ASCII for those that have none: what it cannot match need not be tried. */
export function classesIn(value: string): number {
  let classes = 0;
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index);
    classes |= code < ASCII ? (CLASSES[code] ?? 0) || UNCLASSED : OUTSIDE_ASCII;
  }
  return classes;
}

/** A table of the ASCII characters that `members` holds, to ask with a code unit. */
export function tableOf(members: string): Uint8Array {
  return new Uint8Array(ASCII).map((_, code) => (members.includes(String.fromCharCode(code)) ? 1 : 0));
}

/** True where an extension to the left has to stop: white space, quotes, brackets, and everything outside ASCII. */
export function stopsLeft(code: number): boolean {
  return (code & 127) !== code || LEFT_STOPS[code] === 1;
}

/** True when nothing, white space or closing punctuation stands here, so that a value may end before it. */
export function closes(code: number): boolean {
  return code > CODE.delete || code <= CODE.space || isIn(code, CLOSER);
}

/** How long a run may grow before it is judged by its beginning and the rest is swallowed. */
export const LONGEST_RUN = 2048;
