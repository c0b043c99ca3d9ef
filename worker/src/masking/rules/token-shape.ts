import {
  ALNUM,
  BASE64,
  BASE64URL,
  BLANK,
  CODE,
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
  QUOTE,
  TILDE,
  UNDERSCORE,
  UPPER,
  WORD,
} from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { isPublicName } from '../lexicon/public-names.ts';
import type { TextWindow } from '../text-window.ts';
import { verdict } from '../verdicts.ts';
import type { Draw, Rule } from './rule.ts';
import { beginsToken, followsGlue } from './token-beginning.ts';
import { isMixed, isName } from './token-name.ts';

/**
 * The shape of a vendor's tokens, written as the vendor's documentation shows it: literal text and drawn parts such as
 * `{an36}` (36 letters and digits). What stands before the first drawn part is the anchor, in exactly this case.
 */
interface TokenShape {
  readonly pattern: string;
  /** The prefix is weak: the drawn parts must have their full length and hold both digits and letters. */
  readonly strict: boolean;
}

const ALPHABETS: Readonly<Record<string, { bits: number; sample: string; inWords: string }>> = (() => {
  const lower = 'abcdefghijklmnopqrstuvwxyz';
  const upper = lower.toUpperCase();
  const digits = '0123456789';
  return {
    an: { bits: ALNUM, sample: lower + upper + digits, inWords: 'letters and digits' },
    let: { bits: LETTER, sample: lower + upper, inWords: 'letters' },
    lo: { bits: LOWER | DIGIT, sample: lower + digits, inWords: 'lower-case letters and digits' },
    up: { bits: UPPER | DIGIT, sample: upper + digits, inWords: 'capitals and digits' },
    hex: { bits: HEX, sample: 'abcdef0123456789', inWords: 'hexadecimal digits' },
    d: { bits: DIGIT, sample: digits, inWords: 'digits' },
    url: { bits: BASE64URL, sample: `${lower}${upper}${digits}-_`, inWords: 'characters of base64url' },
    b64: { bits: BASE64, sample: `${lower}${upper}${digits}+/`, inWords: 'characters of base64' },
    dot: { bits: BASE64URL | DOT, sample: `${lower}${upper}${digits}-_`, inWords: 'characters of base64url or dots' },
    w: { bits: WORD, sample: `${lower}${upper}${digits}_`, inWords: 'word characters' },
  };
})();

/**
 * The thresholds. Each was fitted by hand on the cases of the bench and the documentation of the installed packages. What
 * moves when one is turned by a step was measured in three ways. "Stay" is how many more tokens stay of 11,520: each shape
 * drawn six times, whole and cut to nine, eight, seven, six and five tenths of its length (6,253 stay). "Names" is how many
 * more are masked of 2,528 names made of words behind each prefix (102 are). In 19 MB of installed documentation and
 * sources, where 141 keys are masked, and in the cases of the bench nothing moves with any of them.
 */

/** A token of a shape that is not strict has this share of its documented length: some vendors changed theirs. Turned to 0.6: -1,218 stay, +49 names; 0.8: +990 stay, -23 names. */
const WHOLE_SHARE = 0.7;
/** And so many characters, where the shape has them. Turned to 8: -12 stay; 12: +24 stay. */
const SHORTEST_BODY = 10;
/** Characters that are judged: bounds the work that a long one takes. Turned to 128 or 512: nothing. */
const LONGEST_JUDGED = 256;
/** How wide lines of base64 are (RFC 7468, RFC 2045). */
const WRAPPED_WIDTHS = new Set([64, 76]);
/** Characters of base64 beside a token that are a block of it rather than a path. */
const SHORTEST_BLOCK = 12;
const LONGEST_LINE = 76;
/** White space before the rest of a token that is cut in two by the end of a line. */
const LONGEST_INDENT = 24;
/** A shorter prefix says too little inside a word. */
const SHORTEST_GLUED_PREFIX = 4;

interface Part {
  readonly literal: string;
  readonly alphabet: string;
  readonly length: number;
}

const DRAWN_PART = /\{(an|let|lo|up|hex|d|url|b64|dot|w):?(\d+)\}/g;

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const { 0: written, 1: alphabet = '', 2: length, index } of pattern.matchAll(DRAWN_PART)) {
    parts.push({ literal: pattern.slice(from, index), alphabet, length: Number(length) });
    from = index + written.length;
  }
  if (from < pattern.length) parts.push({ literal: pattern.slice(from), alphabet: '', length: 0 });
  return parts;
}

/** A token of this shape, its drawn parts made by `draw`. */
function sampleOf({ pattern }: TokenShape, draw: Draw): string {
  return partsOf(pattern)
    .map(({ literal, alphabet, length }) => literal + draw(length, ALPHABETS[alphabet]?.sample ?? ''))
    .join('');
}

/** The literal beginning of a shape. */
function prefixOf(shape: TokenShape): string {
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
  ['+', PLUS_SLASH],
  ['/', PLUS_SLASH],
  ['$', DOLLAR],
];

interface Body {
  /** Every character a token of the shape may hold after its prefix. */
  readonly bits: number;
  /** How many of them it needs at least. */
  readonly shortest: number;
  /** How many of them its vendor gives it. */
  readonly full: number;
  /** What stands between its drawn parts. */
  readonly inner: readonly string[];
}

/**
 * The rules of the shapes one page of a vendor's documentation gives, by name.
 *
 * @param strict marks all of them, or the named ones, as weak prefixes
 */
export function tokens(
  source: string,
  patterns: Readonly<Record<string, string>>,
  strict: boolean | readonly string[] = false,
): Rule[] {
  return Object.entries(patterns).map(([name, pattern]) =>
    tokenRule(name, source, { pattern, strict: strict === true || (Array.isArray(strict) && strict.includes(name)) }),
  );
}

function tokenRule(name: string, source: string, shape: TokenShape): Rule {
  const prefix = prefixOf(shape);
  return {
    name,
    type: 'key',
    anchors: [prefix.toLowerCase()],
    ...(mayBeGlued(shape, prefix) ? {} : { beginsWord: true as const }),
    prefix,
    verify: tokenVerifier(shape, prefix),
    source,
    masks: [(draw) => sampleOf(shape, draw)],
    keeps: [
      `${prefix}…`,
      `${prefix}xxxx`,
      prefix,
      `${prefix}...`,
      `${prefix}<your token>`,
      `${prefix}YOUR_KEY_HERE`,
      sampleOf(shape, (length) => 'x'.repeat(length)),
    ],
    inWords: inWords(shape),
  };
}

/** Whether the prefix is known inside a word, too: of the weak ones, which are words, those in capitals. */
function mayBeGlued({ strict }: TokenShape, prefix: string): boolean {
  return prefix.length >= SHORTEST_GLUED_PREFIX && (!strict || prefix === prefix.toUpperCase());
}

/** The rest of the shape is compiled when its prefix is met for the first time. */
function tokenVerifier(shape: TokenShape, prefix: string): Verify {
  let body: Body | undefined;
  const isGluable = mayBeGlued(shape, prefix);
  return (window, start, end) => {
    if (!window.text.startsWith(prefix, start)) return undefined;
    const begins = beginsToken(window, start);
    if (!begins && !(isGluable && followsGlue(window, start))) return undefined;
    body ??= bodyOf(shape);
    const found = verifyBody(window, start, end, shape, body);
    if (found !== undefined && shape.strict && isGivenToPublicName(window, start)) return undefined;
    // Glued to a word it has to be as long as its vendor makes it.
    return found === undefined || begins || (found.end - end >= body.full && isMixed(window.slice(end, found.end)))
      ? found
      : undefined;
  };
}

/** `RECAPTCHA_SITE_KEY=6L…`: what begins like a secret and is public by its name. */
function isGivenToPublicName(window: TextWindow, start: number): boolean {
  const name = /(?:^|[^\w-])([\w-]{4,48})["']?\s?[:=]\s?["']?$/.exec(window.left(start, 56))?.[1];
  return name !== undefined && isPublicName(name);
}

/** `ghp_{an36}` as "`ghp_`, 36 letters and digits". */
function inWords({ pattern }: TokenShape): string {
  return partsOf(pattern)
    .flatMap(({ literal, alphabet, length }) => [
      literal === '' ? '' : `\`${literal}\``,
      alphabet === '' ? '' : `${length} ${ALPHABETS[alphabet]?.inWords}`,
    ])
    .filter((part) => part !== '')
    .join(', ');
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
  const shortest = shape.strict ? full : Math.max(Math.min(full, SHORTEST_BODY), Math.floor(full * WHOLE_SHARE));
  const between = parts.slice(1).flatMap(({ literal }) => (literal === '' ? [] : [literal]));
  return { bits, shortest, full, inner: between };
}

function verifyBody(
  window: TextWindow,
  start: number,
  end: number,
  { strict }: TokenShape,
  { bits, shortest, full, inner }: Body,
): Finding | undefined {
  const run = window.run(end, bits);
  const wrapped = endOfWrapped(window, run, bits);
  if (wrapped > run && wrapped - end >= shortest && run - end >= SHORTEST_BODY) return { start, end: wrapped };
  if (run - end < shortest) return undefined;
  // A token does not end in a full stop or a colon.
  const stop = window.trim(end, run, '.:~%');
  if (stop - end < shortest) return undefined;
  // `s.ReadUint16LengthPrefixed(…)`: a method; `sk-ssh-ed25519@openssh.com`: an algorithm.
  if (strict && (window.at(run) === CODE.openParenthesis || window.at(run) === CODE.at)) return undefined;
  if (strict && (isInBase64(window, start, run) || (run - end > full && fillsLine(window, start, run))))
    return undefined;
  const body = window.slice(end, Math.min(stop, end + LONGEST_JUDGED));
  if (
    !inner.every((literal) => body.includes(literal)) ||
    verdict(window, 'name', body, isName) ||
    (strict && !isMixed(body))
  )
    return undefined;
  return tokenFinding(window, start, end, run, stop, bits);
}

/** A weak prefix that chance has made in a block of base64, which goes on beside it or fills its line. */
function isInBase64(window: TextWindow, start: number, run: number): boolean {
  if (WRAPPED_WIDTHS.has(run - start) && window.before(start - 1) === CODE.newline) return true;
  if (!isIn(window.at(run), PLUS_SLASH) && !isIn(window.before(start - 1), PLUS_SLASH)) return false;
  const from = window.runBefore(start, BASE64, LONGEST_LINE);
  const to = window.run(run, BASE64, LONGEST_LINE);
  const around = window.slice(from, start) + window.slice(run, to);
  return around.length >= SHORTEST_BLOCK && /\d/.test(around) && /[A-Z]/.test(around) && /[a-z]/.test(around);
}

/** Behind an indentation or a quote, as long as lines of base64 are: no token, if the vendor makes shorter ones. */
function fillsLine(window: TextWindow, start: number, run: number): boolean {
  const before = window.before(start - 1);
  return run - start >= 60 && run - start <= 80 && (before <= CODE.space || isIn(before, QUOTE));
}

/** Where the rest of a token ends that a shell's or a string's line end, a backslash before it, has cut in two. */
function endOfWrapped(window: TextWindow, run: number, bits: number): number {
  if (window.at(run) !== CODE.backslash || window.at(run + 1) !== CODE.newline) return run;
  return window.run(window.run(run + 2, BLANK, LONGEST_INDENT), bits, LONGEST_RUN);
}

/** A finding over a run: when the run was cut off at its limit, the rest is swallowed. */
export function tokenFinding(
  window: TextWindow,
  start: number,
  from: number,
  run: number,
  stop: number,
  bits: number,
): Finding {
  const open = run - from >= LONGEST_RUN && isIn(window.at(run), bits);
  return open ? { start, end: run, open: bits } : { start, end: stop };
}
