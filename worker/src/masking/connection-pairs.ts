import { ALNUM, BLANK, isIn, LETTER, QUOTE, UNDERSCORE, WORD } from './characters.ts';
import type { Verify } from './finding.ts';
import { isPlaceholder, isTemplate } from './placeholder.ts';
import { LIBPQ_KEYS, PAIR_KEYS, type PairKind } from './rules/connection-families.ts';
import type { TextWindow } from './text-window.ts';

const LONGEST_VALUE = 400;
const MOST_PAIRS = 24;
const SEMICOLON = 59;

interface Pairs {
  readonly end: number;
  /** The kinds of keys that have a literal value. */
  readonly literal: ReadonlySet<PairKind>;
  readonly count: number;
  readonly spaced: boolean;
  readonly keys: ReadonlySet<string>;
}

/** Verifies at the first key of `Server=…;Database=…;Password=…`. */
export const verifyPairs: Verify = (window, start) => {
  if (start < window.pairsRejectedUntil) return undefined;
  if (isIn(window.before(start - 1), WORD) && window.before(start - 2) !== 92) return undefined;
  const pairs = readPairs(window, start, window.before(start - 1));
  if (pairs === undefined) return undefined;
  // A part of a string that is none is none either.
  if (!window.starved) window.pairsRejectedUntil = pairs.end;
  if (pairs.count < 2) return undefined;
  const has = (kind: PairKind) => pairs.literal.has(kind);
  const login = has('secret') && !pairs.keys.has('instrumentationkey');
  const cloud =
    has('secret') &&
    ['accountkey', 'sharedaccesskey', 'sharedaccesssignature', 'instrumentationkey'].some((key) => pairs.keys.has(key));
  const named = has('address') && (has('database') || (has('user') && !pairs.spaced));
  const local = login && (has('user') || has('database'));
  if (!cloud && !(login && has('address')) && !(named && !pairs.spaced) && !local) return undefined;
  return {
    type: 'connection',
    rule: cloud ? 'cloud-connection-string' : 'ado-connection-string',
    start,
    end: pairs.end,
  };
};

function readPairs(window: TextWindow, start: number, opener: number): Pairs | undefined {
  const literal = new Set<PairKind>();
  const keys = new Set<string>();
  let index = start;
  let end = start;
  let count = 0;
  let spaced = false;
  while (count < MOST_PAIRS) {
    const equals = window.run(index, ALNUM | UNDERSCORE | BLANK, 32);
    if (window.at(equals) !== 61) break;
    const key = window.text.slice(index, equals).toLowerCase().replace(/\s/g, '');
    const kind = PAIR_KEYS.get(key);
    if (kind === undefined && count === 0) return undefined;
    const value = readValue(window, equals + 1, opener);
    if (value === undefined) break;
    keys.add(key);
    if (kind !== undefined && !literal.has(kind) && isLiteral(window.text.slice(equals + 1, value.end)))
      literal.add(kind);
    count++;
    end = value.end;
    if (window.at(end) !== SEMICOLON) break;
    end++;
    index = window.run(end, BLANK, 2);
    if (index > end) spaced = true;
    if (!isIn(window.at(index), LETTER)) break;
  }
  return { end, literal, count, spaced, keys };
}

/** A value ends at its semicolon; the last one at the closing quote or at white space. */
function readValue(window: TextWindow, from: number, opener: number): { end: number } | undefined {
  const first = window.at(from);
  if (first === 123 || ((first === 34 || first === 39) && first !== opener)) {
    const close = first === 123 ? 125 : first;
    for (let index = from + 1; index < from + LONGEST_VALUE; index++) {
      const code = window.at(index);
      if (code === close) return { end: index + 1 };
      if (code < 0 || code === 10) return undefined;
    }
    return undefined;
  }
  let blank = -1;
  let index = from;
  for (; index < from + LONGEST_VALUE; index++) {
    const code = window.at(index);
    if (code === SEMICOLON) return isSentence(window, from, blank, index) ? { end: blank } : { end: index };
    if (code < 0 || code === 10 || code === 13 || isIn(code, QUOTE) || code === 60 || code === 62 || code === 124)
      break;
    if (code === 38 && window.matches(index, '&quot;')) break;
    if (code === 92 && isIn(window.at(index + 1), QUOTE)) break;
    if (isIn(code, BLANK) && blank < 0) blank = index;
  }
  return { end: window.trim(from, blank >= 0 ? blank : index, '.,!?)*\\') };
}

/** A semicolon after several words belongs to the sentence unless the words are short, as in a driver's name. */
function isSentence(window: TextWindow, from: number, blank: number, semicolon: number): boolean {
  return blank >= 0 && (semicolon - from > 64 || !isIn(window.at(window.run(semicolon + 1, BLANK, 2)), LETTER));
}

function isLiteral(value: string): boolean {
  if (/^\{[A-Za-z_][\w.-]*\}$/.test(value)) return false;
  const bare = value.replace(/^["'{]|["'}]$/g, '');
  return (
    bare !== '' &&
    !isTemplate(bare) &&
    !/^[A-Z_]+$/.test(bare) &&
    !(isPlaceholder(bare) && /\*|\.\.\.|…|xxx/i.test(bare))
  );
}

/** Verifies at `host=` and its fellows: `host=… dbname=… user=… password=…` in any order. */
export const verifyLibpq: Verify = (window, start) => {
  if (isIn(window.before(start - 1), WORD) || window.before(start - 1) === 45 || window.before(start - 1) === 46)
    return undefined;
  const opener = window.before(start - 1);
  const literal = new Set<PairKind>();
  let index = start;
  let end = start;
  let count = 0;
  while (count < MOST_PAIRS) {
    const equals = window.run(index, WORD, 24);
    const kind = LIBPQ_KEYS.get(window.text.slice(index, equals).toLowerCase());
    if (window.at(equals) !== 61 || kind === undefined) break;
    const valueEnd = endOfLibpqValue(window, equals + 1, opener);
    if (valueEnd === equals + 1) break;
    if (isLiteral(window.text.slice(equals + 1, valueEnd))) literal.add(kind);
    end = valueEnd;
    count++;
    const next = window.run(end, BLANK, 3);
    if (next === end) break;
    index = next;
  }
  if (count < 2) return undefined;
  const server = literal.has('address') && (literal.has('database') || literal.has('secret'));
  const login = literal.has('secret') && (literal.has('user') || literal.has('database'));
  return server || login ? { type: 'connection', rule: 'libpq', start, end } : undefined;
};

function endOfLibpqValue(window: TextWindow, from: number, opener: number): number {
  const quote = window.at(from);
  if (quote === 39 && opener !== 39) {
    for (let index = from + 1; index < from + LONGEST_VALUE; index++) {
      const code = window.at(index);
      if (code === 39) return index + 1;
      if (code < 0 || code === 10) return from;
    }
    return from;
  }
  let end = from;
  while (end < from + LONGEST_VALUE) {
    const code = window.at(end);
    if (code <= 32 || isIn(code, QUOTE) || code === 60 || code === 62 || code === 44 || code === 124) break;
    end++;
  }
  return window.trim(from, end, '.,;!?)*\\');
}

/** Verifies at `LoginModule required`: a JAAS entry up to its semicolon. */
export const verifyJaas: Verify = (window, start, end) => {
  const from = window.runBefore(start, WORD | 128, 120);
  let password = false;
  for (let index = end; index < end + 600; index++) {
    const code = window.at(index);
    if (code < 0) return undefined;
    if (code === 112 && window.matches(index, 'password='))
      password = !isPlaceholder(window.peek(index + 9, 15).replace(/^\\?["']/, ''));
    if (code === SEMICOLON)
      return password ? { type: 'connection', rule: 'jaas', start: from, end: index + 1 } : undefined;
  }
  return undefined;
};

/** Verifies at `(DESCRIPTION=`: an Oracle net service descriptor up to its closing bracket. */
export const verifyOracleDescriptor: Verify = (window, start) => {
  let depth = 0;
  let host = false;
  for (let index = start; index < start + 1500; index++) {
    const code = window.at(index);
    if (code < 0) return undefined;
    if (code === 40) depth++;
    if (code === 104 || code === 72)
      host = host || (window.matches(index, 'host') && /^host\s*=\s*[a-z0-9]/i.test(window.peek(index, 24)));
    if (code === 41 && --depth === 0)
      return host ? { type: 'connection', rule: 'oracle-descriptor', start, end: index + 1 } : undefined;
  }
  return undefined;
};
