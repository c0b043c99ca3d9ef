import {
  ALNUM,
  CODE,
  COLON,
  DASH,
  DIGIT,
  DOLLAR,
  DOT,
  EQUALS,
  HEX,
  HOSTNAME,
  isIn,
  PERCENT,
  SYMBOL,
  TILDE,
  tableOf,
  UNDERSCORE,
} from './characters.ts';
import type { TextWindow } from './text-window.ts';

/** `://` as it stands in text, in JSON, percent-encoded and in escaped Unicode. */
export const SCHEME_ENDS = ['://', ':\\/\\/', '%3a%2f%2f', ':\\u002f\\u002f'];
const SCHEME = ALNUM | DASH | DOT | UNDERSCORE;
export const USERINFO = ALNUM | UNDERSCORE | DASH | DOT | TILDE | PERCENT | COLON | SYMBOL | DOLLAR | EQUALS;
const LONGEST_SCHEME = 24;
/** An authority longer than this is no host name: whatever it is, all of it is masked. */
export const LONGEST_AUTHORITY = 2048;
const LONGEST_HOST = 255;
/** How much of the path is read to distinguish an endpoint from a page. */
const LONGEST_PATH = 160;

const ENCODED_SEPARATORS = ['%2f', '%20', '%3f', '%23', '%0a'];

/** What stands between `://` and the path. */
export interface Authority {
  readonly start: number;
  readonly hostStart: number;
  readonly hostEnd: number;
  readonly end: number;
  readonly port: boolean;
  readonly login: boolean;
  /** A template stands where a name should: `${HOST}`, `<host>`, `{host}`. */
  readonly templated: boolean;
}

/** `http` or `https` right before `end` with nothing stuck to it, as almost everywhere; empty for everything else. */
export function plainScheme(window: TextWindow, end: number): string {
  const secure = window.before(end - 1) === CODE.s;
  const from = secure ? end - 5 : end - 4;
  if (
    window.before(from) !== CODE.h ||
    window.code(from + 1) !== CODE.t ||
    window.code(from + 2) !== CODE.t ||
    window.code(from + 3) !== CODE.p
  )
    return '';
  const code = window.before(from - 1);
  return isIn(code, SCHEME) || code === CODE.plus || code === CODE.backslash ? '' : secure ? 'https' : 'http';
}

/** `postgresql%2Basyncpg`: a driver's plus sign, percent-encoded like the rest. */
function withPlus(window: TextWindow, start: number, written: string): string {
  const from = window.runBefore(start - 1, ALNUM, LONGEST_SCHEME);
  return `${window.slice(from, start - 1).toLowerCase()}+${written.slice(2)}`;
}

/** The scheme that ends before `end`, lower case; empty when there is none. */
export function schemeBefore(window: TextWindow, end: number): string {
  const plain = plainScheme(window, end);
  if (plain !== '') return plain;
  let start = end;
  const stop = Math.max(window.floor, end - LONGEST_SCHEME);
  while (start > stop && (isIn(window.code(start - 1), SCHEME) || window.code(start - 1) === CODE.plus)) start--;
  // One letter is a drive, `c:\\`, not a scheme.
  if (end - start < 2) return '';
  const written = window.slice(start, end).toLowerCase();
  if (written === 'https' || written === 'http') return written;
  const scheme =
    written.startsWith('2b') && window.before(start - 1) === CODE.percent ? withPlus(window, start, written) : written;
  // An escape or a name stuck to the scheme is not part of it: `\nhttps`, `url.https`.
  const known = /(?:^|[^a-z]|^[nrt])(https?|wss?|ftps?)$/.exec(scheme)?.[1];
  if (known !== undefined) return known;
  if (window.before(start - 1) === CODE.backslash && /^[nrt][a-z]/.test(scheme)) return scheme.slice(1);
  return scheme.replace(/^[^a-z]+/, '');
}

/** The end of a host that a path, a blank or a closing character follows: no login, no port, no template. Else -1. */
export function plainHost(window: TextWindow, start: number): number {
  const end = window.run(start, HOSTNAME, LONGEST_HOST);
  if (end === start || !isIn(window.code(end - 1), ALNUM)) return -1;
  const code = window.at(end);
  return code === CODE.slash ||
    code === CODE.closeParenthesis ||
    code === CODE.space ||
    code === CODE.newline ||
    code === CODE.greater ||
    code === CODE.closeBracket ||
    code === CODE.doubleQuote
    ? end
    : -1;
}

/** Reads `userinfo@host:port` from `start`. Undefined when there is no host. */
export function readAuthority(window: TextWindow, start: number): Authority | undefined {
  const at = lastAt(window, start);
  const hostStart = at < 0 ? start : at + 1;
  const bracketed = window.at(hostStart) === CODE.openBracket;
  let hostEnd: number;
  if (bracketed) {
    const inside = window.run(hostStart + 1, ALNUM | COLON | DOT | PERCENT, 64);
    if (window.at(inside) !== CODE.closeBracket || inside < hostStart + 3) return undefined;
    hostEnd = inside + 1;
  } else {
    hostEnd = window.trim(hostStart, window.run(hostStart, HOSTNAME, LONGEST_HOST), '-._');
  }
  const end = endOfPort(window, hostEnd);
  const after = window.at(end);
  const templated =
    after === CODE.openBrace ||
    after === CODE.dollar ||
    after === CODE.less ||
    (after === CODE.percent && !isIn(window.at(end + 1), HEX)) ||
    (end > hostEnd && after === CODE.closeBrace);
  if (hostEnd === hostStart && !templated) return undefined;
  return { start, hostStart, hostEnd, end, port: end > hostEnd, login: at >= 0, templated };
}

/** The last @ before the path, so that a password may hold one; -1 when there is none. */
function lastAt(window: TextWindow, start: number): number {
  let at = -1;
  let stop = start + LONGEST_AUTHORITY;
  let encoded = false;
  let colon = -1;
  for (let index = start; index < stop; index++) {
    const code = window.at(index);
    if (code === CODE.at) at = index;
    else if (code === CODE.colon && colon < 0) colon = index;
    else if (code === CODE.percent && !encoded) {
      if (window.matches(index, '%40')) at = index + 2;
      // An encoded separator ends the authority for an encoded @; a password may hold it before a real one.
      encoded = ENCODED_SEPARATORS.some((separator) => window.matches(index, separator));
      if (encoded) stop = Math.min(stop, index + LONGEST_HOST);
    } else if (!isIn(code, USERINFO)) break;
    else if ((code === CODE.question || code === CODE.hash) && !isInLogin(window, colon, index)) break;
  }
  return at;
}

/** `user:pa#ss@`: letters stand between the colon and the mark, so no port does. */
function isInLogin(window: TextWindow, colon: number, mark: number): boolean {
  return colon >= 0 && mark > colon + 1 && /[A-Za-z]/.test(window.slice(colon + 1, mark));
}

/** Reads `:port`, percent-encoded too. `:PORT` and `:${PORT}` are no ports. */
export function endOfPort(window: TextWindow, at: number): number {
  const code = window.at(at);
  const digits = code === CODE.colon ? at + 1 : code === CODE.percent && window.matches(at, '%3a') ? at + 3 : -1;
  if (digits < 0) return at;
  const end = window.run(digits, DIGIT, 5);
  return end > digits && !isIn(window.at(end), ALNUM) ? end : at;
}

/** Printable ASCII but for quotes and what closes a link in prose, Markdown or code. */
const IN_PATH = tableOf(
  Array.from({ length: CODE.tilde - CODE.space }, (_, index) => String.fromCharCode(CODE.space + 1 + index))
    .filter((character) => !'"\'`<>),'.includes(character))
    .join(''),
);

/** The path and query after an authority, lower case, with escaped slashes resolved. */
export function readPath(window: TextWindow, from: number): string {
  const stop = Math.min(from + LONGEST_PATH, window.length);
  let end = from;
  while (end < stop && IN_PATH[window.code(end)] === 1) end++;
  window.looked(from, end - 1);
  // What ends the path is looked at, or waited for.
  if (end < from + LONGEST_PATH) window.at(end);
  const path = window.slice(from, window.trim(Math.max(from, end - 8), end, '.*_;:!')).toLowerCase();
  return path.includes('\\') || path.includes('%2f') ? path.replaceAll('\\/', '/').replaceAll('%2f', '/') : path;
}
