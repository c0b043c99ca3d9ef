import {
  ALNUM,
  BLANK,
  CODE,
  classesIn,
  DIGIT,
  isIn,
  LETTER,
  LOWER,
  QUOTE,
  tableOf,
  UNDERSCORE,
  WORD,
} from '../characters.ts';
import type { Verify } from '../finding.ts';
import { LIBPQ_KEYS, PAIR_KEYS, type PairKind } from '../lexicon/connection-keys.ts';
import { type Memory, rejectedUntil } from '../memory.ts';
import { isPlaceholder, isTemplate } from '../placeholder.ts';
import type { TextWindow } from '../text-window.ts';
import { JUDGING_PLAINLY, verdict } from '../verdicts.ts';
import { drawn, type Rule } from './rule.ts';

const LONGEST_VALUE = 400;
const MOST_PAIRS = 24;
/** Twice as many, so that what was read for one pair is known for the next MOST_PAIRS. */
const MOST_LIBPQ_PAIRS = 2 * MOST_PAIRS;

interface Pairs {
  readonly end: number;
  /** The kinds of keys that have a literal value. */
  readonly literal: ReadonlySet<PairKind>;
  readonly count: number;
  readonly spaced: boolean;
  readonly keys: ReadonlySet<string>;
}

/** Keys that a string of pairs begins with. */
const ADO_FIRST_KEYS = [
  'server=',
  'data source=',
  'datasource=',
  'host=',
  'hostname=',
  'driver={',
  'driver=',
  'provider=',
  'dsn=',
  'endpoint=',
  'accountendpoint=',
  'defaultendpointsprotocol=',
  'accountname=',
  'accountkey=',
  'sharedaccesskey=',
  'sharedaccesskeyname=',
  'blobendpoint=',
  'initial catalog=',
  'database=',
  'uid=',
  'user id=',
  'userid=',
  'username=',
  'user=',
  'password=',
  'pwd=',
  'addr=',
  'address=',
  'instrumentationkey=',
];

/** Where a string of pairs was read that is none: a part of it is none either. */
const NO_PAIRS = rejectedUntil();
/** Where pairs begin of which it is known that neither they nor what follows them are a connection string. */
const NO_LIBPQ: Memory<{ starts: readonly number[] }> = {
  begin: () => ({ starts: [] }),
  forget: (state, count) => {
    state.starts = state.starts.map((start) => start - count);
  },
};

/** Verifies at the first key of `Server=…;Database=…;Password=…`. */
const verifyPairs: Verify = (window, start) => {
  const rejected = window.remembered(NO_PAIRS);
  if (start < rejected.until) return undefined;
  if (isIn(window.before(start - 1), WORD) && window.before(start - 2) !== CODE.backslash) return undefined;
  const pairs = readPairs(window, start, window.before(start - 1));
  if (pairs === undefined) return undefined;
  // A part of a string that is none is none either.
  if (!window.starved) rejected.until = pairs.end;
  if (pairs.count < 2) return undefined;
  const has = (kind: PairKind) => pairs.literal.has(kind);
  const login = has('secret') && !pairs.keys.has('instrumentationkey');
  const cloud =
    has('secret') &&
    ['accountkey', 'sharedaccesskey', 'sharedaccesssignature', 'instrumentationkey'].some((key) => pairs.keys.has(key));
  const named = has('address') && (has('database') || (has('user') && !pairs.spaced));
  const local = login && (has('user') || has('database'));
  if (!cloud && !(login && has('address')) && !(named && !pairs.spaced) && !local) return undefined;
  return { rule: cloud ? CLOUD : ADO, start, end: pairs.end };
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
    if (window.at(equals) !== CODE.equals) break;
    const key = window.slice(index, equals).toLowerCase().replace(/\s/g, '');
    const kind = PAIR_KEYS.get(key);
    if (kind === undefined && count === 0) return undefined;
    const value = readValue(window, equals + 1, opener);
    if (value === undefined) break;
    keys.add(key);
    if (
      kind !== undefined &&
      !literal.has(kind) &&
      verdict(window, 'literal', window.slice(equals + 1, value.end), isLiteral, JUDGING_PLAINLY)
    )
      literal.add(kind);
    count++;
    end = value.end;
    if (window.at(end) !== CODE.semicolon) break;
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
  if (first === CODE.openBrace || ((first === CODE.doubleQuote || first === CODE.singleQuote) && first !== opener)) {
    const close = first === CODE.openBrace ? CODE.closeBrace : first;
    for (let index = from + 1; index < from + LONGEST_VALUE; index++) {
      const code = window.at(index);
      if (code === close) return { end: index + 1 };
      if (code < 0 || code === CODE.newline) return undefined;
    }
    return undefined;
  }
  const index = endOfPlainValue(window, from);
  const firstBlank = window.runUntil(from, BLANKS, index - from);
  const blank = firstBlank < index ? firstBlank : -1;
  if (index < from + LONGEST_VALUE && window.at(index) === CODE.semicolon)
    return isSentence(window, from, blank, index) ? { end: blank } : { end: index };
  return { end: window.trim(from, blank >= 0 ? blank : index, '.,!?)*\\') };
}

const BLANKS = tableOf(' \t');
const MAY_END_PLAIN_VALUE = tableOf(';\n\r"\'`<>|&\\');

/** Before a semicolon, the end of the line, a quote (escaped or an entity too), a bracket or a pipe. */
function endOfPlainValue(window: TextWindow, from: number): number {
  const stop = from + LONGEST_VALUE;
  for (let index = from; ; index++) {
    index = window.runUntil(index, MAY_END_PLAIN_VALUE, stop - index);
    if (index >= stop) return stop;
    const code = window.at(index);
    if (
      code === CODE.ampersand
        ? window.matches(index, '&quot;')
        : code !== CODE.backslash || isIn(window.at(index + 1), QUOTE)
    )
      return index;
  }
}

/** `xxx`. */
const SHORTEST_MASKED = 3;

/** A semicolon after several words belongs to the sentence unless the words are short, as in a driver's name. */
function isSentence(window: TextWindow, from: number, blank: number, semicolon: number): boolean {
  return blank >= 0 && (semicolon - from > 64 || !isIn(window.at(window.run(semicolon + 1, BLANK, 2)), LETTER));
}

function isLiteral(value: string): boolean {
  const classes = classesIn(value);
  // Letters and digits alone: no template, and most placeholders have a mark.
  if ((classes & ~ALNUM) === 0 && (classes & (LOWER | DIGIT)) !== 0)
    return value.length < SHORTEST_MASKED || !/xxx/i.test(value) || !isPlaceholder(value);
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
const verifyLibpq: Verify = (window, start) => {
  if (
    isIn(window.before(start - 1), WORD) ||
    window.before(start - 1) === CODE.hyphen ||
    window.before(start - 1) === CODE.dot
  )
    return undefined;
  const rejected = window.remembered(NO_LIBPQ);
  if (rejected.starts.includes(start)) return undefined;
  const opener = window.before(start - 1);
  const literal = new Set<PairKind>();
  const starts: number[] = [];
  let index = start;
  let end = start;
  let count = 0;
  while (count < MOST_LIBPQ_PAIRS) {
    const equals = window.run(index, WORD, 24);
    const kind = LIBPQ_KEYS.get(window.slice(index, equals).toLowerCase());
    if (window.at(equals) !== CODE.equals || kind === undefined) break;
    const valueEnd = endOfLibpqValue(window, equals + 1, opener);
    if (valueEnd === equals + 1) break;
    if (verdict(window, 'literal', window.slice(equals + 1, valueEnd), isLiteral, JUDGING_PLAINLY)) literal.add(kind);
    end = valueEnd;
    count++;
    if (count <= MOST_PAIRS) starts.push(index);
    const next = window.run(end, BLANK, 3);
    if (next === end) break;
    index = next;
  }
  if (count < 2) return undefined;
  const server = literal.has('address') && (literal.has('database') || literal.has('secret'));
  const login = literal.has('secret') && (literal.has('user') || literal.has('database'));
  if (server || login) return { start, end };
  if (!window.starved) rejected.starts = starts;
  return undefined;
};

const ENDS_LIBPQ_VALUE = tableOf('"\'`<>,|').fill(1, 0, CODE.space + 1);

function endOfLibpqValue(window: TextWindow, from: number, opener: number): number {
  const quote = window.at(from);
  if (quote === CODE.singleQuote && opener !== CODE.singleQuote) {
    for (let index = from + 1; index < from + LONGEST_VALUE; index++) {
      const code = window.at(index);
      if (code === CODE.singleQuote) return index + 1;
      if (code < 0 || code === CODE.newline) return from;
    }
    return from;
  }
  const end = window.runUntil(from, ENDS_LIBPQ_VALUE, LONGEST_VALUE);
  return window.trim(from, end, '.,;!?)*\\');
}

const ADO: Rule = {
  name: 'ado-connection-string',
  type: 'connection',
  anchors: ADO_FIRST_KEYS,
  verify: verifyPairs,
  source: 'https://learn.microsoft.com/dotnet/framework/data/adonet/connection-string-syntax',
  masks: ['Server=db.example.com;Database=shop;Trusted_Connection=True'],
  keeps: ['Server=<host>;Database=<db>;Password=<password>'],
};

const CLOUD: Rule = {
  name: 'cloud-connection-string',
  type: 'connection',
  anchors: ADO_FIRST_KEYS,
  verify: verifyPairs,
  source: 'https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string',
  masks: [`AccountName=kopi;AccountKey=${drawn}`],
  keeps: ['AccountKey=${KEY};AccountName=${NAME}'],
};

const LIBPQ: Rule = {
  name: 'libpq',
  type: 'connection',
  anchors: [...LIBPQ_KEYS.keys()].map((key) => `${key.toLowerCase()}=`),
  verify: verifyLibpq,
  source: 'https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-KEYWORD-VALUE',
  masks: ['psql "host=db.example.com dbname=shop"'],
  keeps: ['host=$HOST dbname=$DB'],
};

/** Connection strings of keys and values. */
export const CONNECTION_PAIR_RULES: readonly Rule[] = [ADO, CLOUD, LIBPQ];
