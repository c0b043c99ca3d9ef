import {
  ALNUM,
  BASE64,
  BASE64URL,
  COLON,
  DASH,
  DIGIT,
  DOLLAR,
  DOT,
  EQUALS,
  HEX,
  isIn,
  LETTER,
  LONGEST_RUN,
  LOWER,
  PERCENT,
  PLUS_SLASH,
  TILDE,
  UNDERSCORE,
  UPPER,
  WORD,
} from './characters.ts';
import type { Anchor, Finding, Verify } from './finding.ts';
import { isFiller } from './placeholder.ts';
import { wordiness } from './rules/letter-pairs.ts';
import type { TextWindow } from './text-window.ts';

/**
 * The shape of a vendor's tokens, written as the vendor's documentation shows it: literal text and drawn parts such as
 * `{an36}` (36 letters and digits). What stands before the first drawn part is the anchor, in exactly this case.
 */
export interface TokenShape {
  readonly name: string;
  readonly pattern: string;
  readonly source: string;
  /** The prefix is weak: the drawn parts must have their full length and hold both digits and letters. */
  readonly strict?: boolean;
}

const ALPHABETS: Readonly<Record<string, { bits: number; sample: string }>> = (() => {
  const lower = 'abcdefghijklmnopqrstuvwxyz';
  const upper = lower.toUpperCase();
  const digits = '0123456789';
  return {
    an: { bits: ALNUM, sample: lower + upper + digits },
    let: { bits: LETTER, sample: lower + upper },
    lo: { bits: LOWER | DIGIT, sample: lower + digits },
    up: { bits: UPPER | DIGIT, sample: upper + digits },
    hex: { bits: HEX, sample: 'abcdef0123456789' },
    d: { bits: DIGIT, sample: digits },
    url: { bits: BASE64URL, sample: `${lower}${upper}${digits}-_` },
    b64: { bits: BASE64, sample: `${lower}${upper}${digits}+/` },
    dot: { bits: BASE64URL | DOT, sample: `${lower}${upper}${digits}-_` },
    w: { bits: WORD, sample: `${lower}${upper}${digits}_` },
  };
})();

interface Part {
  readonly literal: string;
  readonly alphabet: string;
  readonly length: number;
}

function partsOf(pattern: string): Part[] {
  return [...pattern.matchAll(/([^{]*)\{(an|let|lo|up|hex|d|url|b64|dot|w):?(\d+)\}|([^{]+)$/g)].map((match) =>
    match[2] === undefined
      ? { literal: match[4] ?? '', alphabet: '', length: 0 }
      : { literal: match[1] ?? '', alphabet: match[2], length: Number(match[3]) },
  );
}

/** A token of this shape, its drawn parts made by `random` (a number in [0, 1)). For tests and documentation. */
export function sampleToken(shape: TokenShape, random: () => number): string {
  return partsOf(shape.pattern)
    .map(({ literal, alphabet, length }) => {
      const characters = ALPHABETS[alphabet]?.sample ?? '';
      return literal + Array.from({ length }, () => characters[Math.floor(random() * characters.length)]).join('');
    })
    .join('');
}

/** The literal beginning of a shape. */
export function prefixOf(shape: TokenShape): string {
  return shape.pattern.slice(0, shape.pattern.indexOf('{'));
}

const LITERAL_BITS: readonly (readonly [string, number])[] = [
  ['.', DOT],
  ['-', DASH],
  ['_', UNDERSCORE],
  [':', COLON],
  ['~', TILDE],
  ['=', EQUALS],
  ['%', PERCENT],
  ['/', PLUS_SLASH],
  ['/', PLUS_SLASH],
  ['$', DOLLAR],
];

interface Body {
  /** Every character a token of the shape may hold after its prefix. */
  readonly bits: number;
  /** How many of them it needs at least. */
  readonly shortest: number;
}

/** The anchor that finds a shape. The rest of the shape is compiled when its prefix is met for the first time. */
export function tokenAnchor(shape: TokenShape): Anchor {
  const prefix = prefixOf(shape);
  let body: Body | undefined;
  const verify: Verify = (window, start, end) => {
    if (!beginsToken(window, start) || !window.text.startsWith(prefix, start)) return undefined;
    body ??= bodyOf(shape);
    return verifyBody(window, start, end, shape, body);
  };
  return { text: prefix.toLowerCase(), verify };
}

function bodyOf(shape: TokenShape): Body {
  const parts = partsOf(shape.pattern);
  const [first] = parts;
  let bits = 0;
  let full = -(first?.literal.length ?? 0);
  let inner = '';
  for (const { alphabet, literal, length } of parts) {
    bits |= ALPHABETS[alphabet]?.bits ?? 0;
    full += literal.length + length;
    inner += literal;
  }
  inner = inner.slice(first?.literal.length ?? 0);
  for (const [character, bit] of LITERAL_BITS) if (inner.includes(character)) bits |= bit;
  if (/[a-zA-Z0-9]/.test(inner)) bits |= ALNUM;
  const shortest = shape.strict === true ? full : Math.max(Math.min(full, 10), Math.floor(full * 0.7));
  return { bits, shortest };
}

function verifyBody(
  window: TextWindow,
  start: number,
  end: number,
  { name, strict }: TokenShape,
  { bits, shortest }: Body,
): Finding | undefined {
  const run = window.run(end, bits);
  if (run - end < shortest) return undefined;
  // A token does not end in a full stop or a colon.
  const stop = window.trim(end, run, '.:~%');
  if (stop - end < shortest) return undefined;
  const body = window.text.slice(end, Math.min(stop, end + 256));
  if (isFiller(body) || isWordy(body) || (strict === true && !isMixed(body))) return undefined;
  return tokenFinding(window, name, start, end, run, stop, bits);
}

/** A finding over a run: when the run was cut off at its limit, the rest is swallowed. */
export function tokenFinding(
  window: TextWindow,
  rule: string,
  start: number,
  from: number,
  run: number,
  stop: number,
  bits: number,
): Finding {
  const open = run - from >= LONGEST_RUN && isIn(window.at(run), bits);
  return open ? { type: 'key', rule, start, end: run, open: bits } : { type: 'key', rule, start, end: stop };
}

/** Nothing that belongs to a longer word stands before `start`; escapes such as `\n` and `%20` do not. */
export function beginsToken(window: TextWindow, start: number): boolean {
  const code = window.before(start - 1);
  if (isIn(code, ALNUM)) {
    if (window.before(start - 2) === 92) return code === 110 || code === 114 || code === 116;
    return isIn(code, HEX) && isIn(window.before(start - 2), HEX) && window.before(start - 3) === 37;
  }
  if (code === 95 || code === 45)
    return !isIn(window.before(start - 2), ALNUM | UNDERSCORE | DASH) || window.before(start - 2) === code;
  return true;
}

/** Words and short numbers joined by hyphens, underscores or dots: a name, not a token. */
function isWordy(body: string): boolean {
  if (/^[A-Za-z]{14,}$/.test(body) && wordiness(body) < 0.6) return false;
  let letters = false;
  for (const part of body.split(/[-_.]/)) {
    if (part === '' || /^\d{1,4}$/.test(part)) continue;
    if (!/^(?:[a-z]{1,18}|[A-Z][a-z]{1,18}|[A-Z]{1,18}|v\d{1,2}|[a-z]{2,14}\d{1,2})$/.test(part)) return false;
    letters = true;
  }
  return letters;
}

function isMixed(body: string): boolean {
  return (/\d/.test(body) && /[a-zA-Z]/.test(body)) || wordiness(body) < 0.5;
}
