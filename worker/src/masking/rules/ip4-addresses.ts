import { ALNUM, CODE, closes, DIGIT, isIn, LETTER, NO_CHARACTER, WORD } from '../characters.ts';
import { ANY_DIGIT, type Verify } from '../finding.ts';
import { PACKAGE_MANAGERS } from '../lexicon/addresses.ts';
import type { TextWindow } from '../text-window.ts';
import { isVersion } from '../version-evidence.ts';
import { standsBefore } from '../words-before.ts';
import type { Rule } from './rule.ts';

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
    if (length === 0 || length > 3 || Number(window.slice(index, end)) > 255) return undefined;
    if (length === 3) padded++;
    if (length > 1 && window.code(index) === CODE.zero) leadingZero = true;
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
  if (code === CODE.dot) return at + 1;
  if (code !== CODE.openBracket && code !== CODE.openParenthesis) return -1;
  const close = code === CODE.openBracket ? CODE.closeBracket : CODE.closeParenthesis;
  if (window.at(at + 1) === CODE.dot && window.at(at + 2) === close) return at + 3;
  return window.matches(at + 1, 'dot') && window.at(at + 4) === close ? at + 5 : -1;
}

/** Verifies at three dots with numbers between them and a digit before the first, and at defanged dots after a digit. */
const verifyIp4: Verify = (window, anchorStart) => {
  const start = window.runBefore(anchorStart + 1, DIGIT, 4);
  if (window.before(start - 1) === CODE.dot) return undefined;
  if (start > anchorStart || anchorStart + 1 - start > 3) return undefined;
  const quad = readQuad(window, start);
  if (quad === undefined || !endsAsAddress(window, quad.end) || window.touchesMarker(quad.end)) return undefined;
  const left = judgeLeft(window, start);
  if (left === 'keep') return undefined;
  // In the zone that maps addresses to names nothing else stands.
  const isReversed = window.at(quad.end) === CODE.dot && isIn(window.at(quad.end + 1), LETTER);
  if (left === 'open' && !isReversed && (isVersion(window, start, quad.end) || isHeading(window, quad)))
    return undefined;
  return { start, end: quad.end };
};

/** What touches the number on its left: part of a name or a path, certainly an address, or open. */
function judgeLeft(window: TextWindow, start: number): 'keep' | 'mask' | 'open' {
  const code = window.before(start - 1);
  if (isIn(code, WORD)) return afterEscape(window, start) || isEmphasis(window, start) ? 'open' : 'keep';
  // FreeRDP's option of the server.
  if (code === CODE.colon && window.left(start, 4) === ' /v:') return 'mask';
  if (code === CODE.plus && beginsLine(window, start - 1)) return 'open';
  if (code === CODE.dot || code === CODE.plus || code === CODE.caret || code === CODE.tilde) return 'keep';
  if (code === CODE.hyphen)
    return start - 1 === window.floor && start > 1 ? 'mask' : isOption(window, start - 1) ? 'open' : 'keep';
  if (code === CODE.slash) return judgeSlash(window, start - 1);
  if (code === CODE.equals) return /[=<>!~^]/.test(window.left(start - 1, 1)) ? 'keep' : 'open';
  if (code === CODE.less || code === CODE.greater)
    return window.at(readEnd(window, start)) === (code === CODE.less ? CODE.greater : CODE.less) ? 'mask' : 'keep';
  if (code === CODE.at) return isPackage(window, start - 1) ? 'keep' : 'mask';
  if (code === CODE.space && /(?:~>|[<>!~]=|[\^~]) $/.test(window.left(start, 3))) return 'keep';
  return code === CODE.hash ? 'keep' : 'open';
}

/** `v8@3.14.5.9` and what a package manager installs: a name at a version. `root@10.0.0.5` is a login. */
function isPackage(window: TextWindow, at: number): boolean {
  const nameStart = window.runBefore(at, WORD, 32);
  return (
    /^v\d{1,3}$/i.test(window.slice(nameStart, at)) ||
    /pkg:[\w/.%-]+$/.test(window.left(at, 96)) ||
    standsBefore(window.left(nameStart, 80), PACKAGE_MANAGERS, '\n', 60)
  );
}

/** `## 4.2.1.3 Title` and `[11.6.2.2 Title](…)`: the number of a section, whose parts are small. */
function isHeading(window: TextWindow, { start, end }: Quad): boolean {
  if (window.at(end) !== CODE.space || !isIn(window.at(end + 1), LETTER)) return false;
  if (window.before(start - 1) !== CODE.openBracket && !/(?:^|\n)#{1,6} $/.test(window.left(start, 8))) return false;
  const parts = window.slice(start, end).split('.').map(Number);
  return parts.every((part) => part > 0 && part < 40) && parts[0] !== 10 && new Set(parts).size > 1;
}

function readEnd(window: TextWindow, start: number): number {
  return readQuad(window, start)?.end ?? start;
}

/** `\n10.0.0.1` in JSON: the letter belongs to the escape. */
function afterEscape(window: TextWindow, start: number): boolean {
  return window.before(start - 2) === CODE.backslash && /[nrt]/.test(window.text.charAt(start - 1));
}

/** `_10.0.0.1_`: Markdown's emphasis. */
function isEmphasis(window: TextWindow, start: number): boolean {
  return window.before(start - 1) === CODE.underscore && !isIn(window.before(start - 2), WORD);
}

/** `-10.0.0.1` after white space is an odd option, not a name. */
function isOption(window: TextWindow, hyphen: number): boolean {
  return window.before(hyphen - 1) === CODE.space || beginsLine(window, hyphen);
}

/** The marks of a difference, `+10.0.0.1` and `-10.0.0.1`, are the first of their line. */
function beginsLine(window: TextWindow, mark: number): boolean {
  const code = window.before(mark - 1);
  return code === CODE.newline || code === NO_CHARACTER;
}

function judgeSlash(window: TextWindow, slash: number): 'keep' | 'mask' | 'open' {
  const code = window.before(slash - 1);
  if (code === CODE.slash || code === CODE.backslash) return 'mask';
  if (slash === window.floor && slash > 0) return 'mask';
  return isIn(code, WORD) || code === CODE.dot || code === CODE.closeBrace || code === CODE.greater
    ? 'keep'
    : closes(code)
      ? 'keep'
      : 'open';
}

/** What may follow an address: not a longer number, a version suffix or the rest of a file name. */
function endsAsAddress(window: TextWindow, end: number): boolean {
  const code = window.at(end);
  if (code === CODE.underscore) return !isIn(window.at(end + 1), WORD);
  if (isIn(code, WORD) || code === CODE.plus) return false;
  if (code === CODE.dot) {
    if (!isIn(window.at(end + 1), ALNUM)) return true;
    if (isIn(window.at(end + 1), DIGIT)) return false;
    return ['in-addr', 'nip.', 'sslip.', 'xip.'].some((suffix) => window.matches(end + 1, suffix));
  }
  if (code === CODE.hyphen) {
    return !isIn(window.at(end + 1), LETTER);
  }
  return true;
}

/**
 * The three dots, and the numbers between them: most versions and amounts have one dot or two. Up to the first that is
 * defanged, of which the bracket is enough.
 */
const DOT_AND_NUMBER = [1, 2, 3].map((digits) => `.${ANY_DIGIT.repeat(digits)}`);
const DEFANGED = ['[', '('];
const THREE_DOTS = DOT_AND_NUMBER.flatMap((second) =>
  [...DEFANGED, ...DOT_AND_NUMBER.flatMap((third) => ['.', ...DEFANGED].map((last) => `${third}${last}`))].map(
    (rest) => `${ANY_DIGIT}${second}${rest}`,
  ),
);

/** IPv4 addresses. */
export const IP4_RULES: readonly Rule[] = [
  {
    name: 'ipv4',
    type: 'ip',
    anchors: [...THREE_DOTS, `${ANY_DIGIT}[.`, `${ANY_DIGIT}(.`, `${ANY_DIGIT}[d`],
    verify: verifyIp4,
    source: 'https://www.rfc-editor.org/rfc/rfc6943#section-3.1.1',
    masks: ['ping 192.0.2.7', '198.51.100.0/24', '192[.]0[.]2[.]7', '7.2.0.192.in-addr.arpa'],
    keeps: [
      'version 1.2.3.4',
      'Chrome/120.0.0.0',
      'pasal 12.3.1.2',
      'x==4.9.0.80',
      'libx.so.1.2.3.4',
      'Rp 1.250.000.000',
    ],
  },
];
