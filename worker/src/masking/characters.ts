/**
 * Character classes as bits, so that an alphabet is a sum and a test is one table look-up. Only ASCII has classes:
 * every other code unit, lone surrogates included, has none and therefore ends a token.
 */
export const DIGIT = 1;
const LOWER_HEX = 2;
const LOWER_REST = 4;
const UPPER_HEX = 8;
const UPPER_REST = 16;
export const UNDERSCORE = 32;
export const DASH = 64;
export const DOT = 128;
export const PLUS_SLASH = 256;
export const EQUALS = 512;
export const TILDE = 1024;
export const COLON = 2048;
export const PERCENT = 4096;
export const BLANK = 8192;
export const LINE_END = 16_384;
export const QUOTE = 32_768;
/** Punctuation that people put into passwords and that no surrounding syntax needs. */
export const SYMBOL = 65_536;
/** What closes a value in prose, Markdown, JSON or code. */
const CLOSER = 131_072;
export const DOLLAR = 262_144;
const PIPE = 524_288;

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
  const classes = new Int32Array(128);
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
  add('!#*@^&?', SYMBOL);
  add('$', DOLLAR);
  add('|', PIPE);
  add('"\'`,;)]}>|<', CLOSER);
  return classes;
}

const CLASSES = table();
const LEFT_STOPS = new Uint8Array(128).map((_, code) => (LEFT_STOP.includes(String.fromCharCode(code)) ? 1 : 0));

/** True when `code` (a UTF-16 code unit, or -1 for "no character") is in the alphabet `bits`. */
export function isIn(code: number, bits: number): boolean {
  return (code & 127) === code && ((CLASSES[code] ?? 0) & bits) !== 0;
}

/** True where an extension to the left has to stop: white space, quotes, brackets, and everything outside ASCII. */
export function stopsLeft(code: number): boolean {
  return (code & 127) !== code || LEFT_STOPS[code] === 1;
}

/** True when nothing, white space or closing punctuation stands here, so that a value may end before it. */
export function closes(code: number): boolean {
  return code > 127 || code < 33 || isIn(code, CLOSER);
}

/** How long a run may grow before it is judged by its beginning and the rest is swallowed. */
export const LONGEST_RUN = 2048;
