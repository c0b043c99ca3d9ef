import { contextBefore } from './address-context.ts';
import { ALNUM, closes, DIGIT, isIn, LETTER, WORD } from './characters.ts';
import type { Verify } from './finding.ts';
import type { TextWindow } from './text-window.ts';

const DOT = 46;
const HYPHEN = 45;
const SLASH = 47;

interface Quad {
  readonly start: number;
  readonly end: number;
}

/** Reads four octets from `start`, joined by dots or by defanged dots such as `[.]`. */
export function readQuad(window: TextWindow, start: number): Quad | undefined {
  let index = start;
  let padded = 0;
  let leadingZero = false;
  for (let octet = 0; octet < 4; octet++) {
    const end = window.run(index, DIGIT, 4);
    const length = end - index;
    if (length === 0 || length > 3 || Number(window.text.slice(index, end)) > 255) return undefined;
    if (length === 3) padded++;
    if (length > 1 && window.code(index) === 48) leadingZero = true;
    if (octet === 3) {
      // A number such as 1.250.000.000 is money; 010.001.002.003 is how old logs pad addresses.
      return leadingZero && padded < 4 ? undefined : { start, end };
    }
    index = skipDot(window, end);
    if (index < 0) return undefined;
  }
  return undefined;
}

function skipDot(window: TextWindow, at: number): number {
  const code = window.at(at);
  if (code === DOT) return at + 1;
  if (code !== 91 && code !== 40) return -1;
  const close = code === 91 ? 93 : 41;
  if (window.at(at + 1) === DOT && window.at(at + 2) === close) return at + 3;
  return window.matches(at + 1, 'dot') && window.at(at + 4) === close ? at + 5 : -1;
}

/** Verifies at `digit dot digit` and at defanged dots after a digit. */
export const verifyIp4: Verify = (window, anchorStart, anchorEnd) => {
  if (!leadsToQuad(window, anchorEnd)) return undefined;
  const start = window.runBefore(anchorStart + 1, DIGIT, 4);
  if (window.before(start - 1) === DOT) return undefined;
  if (start > anchorStart || anchorStart + 1 - start > 3) return undefined;
  const quad = readQuad(window, start);
  if (quad === undefined || !endsAsAddress(window, quad.end) || window.touchesMarker(quad.end)) return undefined;
  const left = judgeLeft(window, start);
  if (left === 'keep') return undefined;
  if (left === 'ask' && (contextBefore(window, start) === 'version' || isHeading(window, quad))) return undefined;
  return { type: 'ip', rule: 'ipv4', start, end: quad.end };
};

/** False when the number after the first dot is the last, as in most versions: nothing else need be read. */
function leadsToQuad(window: TextWindow, from: number): boolean {
  let index = from;
  while (index < from + 3 && isIn(window.at(index), DIGIT)) index++;
  const code = window.at(index);
  return code === DOT || code === 91 || code === 40 || !isIn(window.at(from - 1), DIGIT);
}

/** What touches the number on its left: part of a name or a path, certainly an address, or open. */
function judgeLeft(window: TextWindow, start: number): 'keep' | 'mask' | 'ask' {
  const code = window.before(start - 1);
  if (isIn(code, WORD)) return afterEscape(window, start) || isEmphasis(window, start) ? 'ask' : 'keep';
  if (code === DOT || code === 43 || code === 94 || code === 126) return 'keep';
  if (code === HYPHEN)
    return start - 1 === window.floor && start > 1 ? 'mask' : isOption(window, start - 1) ? 'ask' : 'keep';
  if (code === SLASH) return judgeSlash(window, start - 1);
  if (code === 61) return /[=<>!~^]/.test(window.left(start - 1, 1)) ? 'keep' : 'ask';
  if (code === 60 || code === 62)
    return window.at(readEnd(window, start)) === (code === 60 ? 62 : 60) ? 'mask' : 'keep';
  if (code === 64) return isPackage(window, start - 1) ? 'keep' : 'mask';
  if (code === 32 && /(?:~>|[<>!~]=|[\^~]) $/.test(window.left(start, 3))) return 'keep';
  return code === 35 ? 'keep' : 'ask';
}

const PACKAGE_BEFORE = /\b(?:npm|npx|pnpm|yarn|bun|deno|pip3?|brew|gem|cargo|composer|conan|vcpkg)\b[^\n]{0,60}$/;

/** `v8@3.14.5.9` and what a package manager is asked for: a name at a version. `root@10.0.0.5` is a login. */
function isPackage(window: TextWindow, at: number): boolean {
  const nameStart = window.runBefore(at, WORD, 32);
  return /^v\d{1,3}$/i.test(window.text.slice(nameStart, at)) || PACKAGE_BEFORE.test(window.left(nameStart, 80));
}

/** `## 4.2.1.3 Title` and `[11.6.2.2 Title](…)`: the number of a section, whose parts are small. */
function isHeading(window: TextWindow, { start, end }: Quad): boolean {
  if (window.at(end) !== 32 || !isIn(window.at(end + 1), LETTER)) return false;
  if (window.before(start - 1) !== 91 && !/(?:^|\n)#{1,6} $/.test(window.left(start, 8))) return false;
  const parts = window.text.slice(start, end).split('.').map(Number);
  return parts.every((part) => part > 0 && part < 40) && parts[0] !== 10 && new Set(parts).size > 1;
}

function readEnd(window: TextWindow, start: number): number {
  return readQuad(window, start)?.end ?? start;
}

/** `\n10.0.0.1` in JSON: the letter belongs to the escape. */
function afterEscape(window: TextWindow, start: number): boolean {
  return window.before(start - 2) === 92 && /[nrt]/.test(window.text.charAt(start - 1));
}

/** `_10.0.0.1_`: Markdown's emphasis. */
function isEmphasis(window: TextWindow, start: number): boolean {
  return window.before(start - 1) === 95 && !isIn(window.before(start - 2), WORD);
}

/** `-10.0.0.1` after white space is an odd option, not a name. */
function isOption(window: TextWindow, hyphen: number): boolean {
  const code = window.before(hyphen - 1);
  return code === 32 || code === -1;
}

function judgeSlash(window: TextWindow, slash: number): 'keep' | 'mask' | 'ask' {
  const code = window.before(slash - 1);
  if (code === SLASH || code === 92) return 'mask';
  if (slash === window.floor && slash > 0) return 'mask';
  return isIn(code, WORD) || code === DOT || code === 125 || code === 62 ? 'keep' : closes(code) ? 'keep' : 'ask';
}

/** What may follow an address: not a longer number, a version suffix or the rest of a file name. */
function endsAsAddress(window: TextWindow, end: number): boolean {
  const code = window.at(end);
  if (code === 95) return !isIn(window.at(end + 1), WORD);
  if (isIn(code, WORD) || code === 43) return false;
  if (code === DOT) {
    if (!isIn(window.at(end + 1), ALNUM)) return true;
    if (isIn(window.at(end + 1), DIGIT)) return false;
    return ['in-addr', 'nip.', 'sslip.', 'xip.'].some((suffix) => window.matches(end + 1, suffix));
  }
  if (code === HYPHEN) {
    return !isIn(window.at(end + 1), LETTER);
  }
  return true;
}
