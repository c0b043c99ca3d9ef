import { ALNUM, BLANK, CODE, isIn, LETTER, QUOTE, tableOf, UNDERSCORE, WORD } from '../characters.ts';
import type { Verify } from '../finding.ts';
import { LIBPQ_KEYS, PAIR_KEYS, type PairKind } from '../lexicon/connection-keys.ts';
import { isGiven, isNamedAgain, type Pair, type ReadPair, rememberedPairs } from '../pair-chains.ts';
import type { TextWindow } from '../text-window.ts';
import { drawn, type Rule } from './rule.ts';

const LONGEST_VALUE = 400;
const MOST_PAIRS = 24;
const MOST_LIBPQ_PAIRS = 48;

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

const ADO_PAIRS = rememberedPairs();
const LIBPQ_PAIRS = rememberedPairs();
/** Keys that give a connection to a cloud's service with nothing but a secret. */
const CLOUD_KEYS = new Set(['accountkey', 'sharedaccesskey', 'sharedaccesssignature', 'instrumentationkey']);

/** Verifies at the first key of `Server=…;Database=…;Password=…`. */
const verifyPairs: Verify = (window, start) => {
  const opener = window.before(start - 1);
  if (isIn(opener, WORD) && window.before(start - 2) !== CODE.backslash) return undefined;
  if (isNamedAgain(window, start, ENDS_PLAIN_VALUE)) return undefined;
  const chains = window.remembered(ADO_PAIRS);
  const first = chains.first(window, start, opener, readPair);
  if (first?.kind === undefined) return undefined;
  const kinds = new Set<PairKind>();
  let [count, end, spaced, cloud, instrumentation] = [0, start, false, false, false];
  for (let pair: Pair | null = first; pair !== null; pair = chains.following(window, pair, opener, readPair)) {
    if (pair.kind !== undefined) kinds.add(pair.kind);
    cloud ||= CLOUD_KEYS.has(pair.key);
    instrumentation ||= pair.key === 'instrumentationkey';
    spaced ||= pair.spaced;
    end = pair.end;
    if (++count === MOST_PAIRS) break;
  }
  if (count < 2) return undefined;
  const connects = (has: (kind: PairKind) => boolean) => {
    if (!has('secret')) return !spaced && has('address') && (has('database') || has('user'));
    return (
      cloud ||
      (!instrumentation && (has('address') || has('user') || has('database'))) ||
      (!spaced && has('address') && (has('database') || has('user')))
    );
  };
  if (!connects((kind) => kinds.has(kind))) return undefined;
  const given = (kind: PairKind) => isKindGiven(window, first, kind, MOST_PAIRS);
  if (!connects(given)) return undefined;
  return { rule: cloud && given('secret') ? CLOUD : ADO, start, end };
};

/** Whether a value of `kind` is given among the first `most` pairs that were read from `first` on. */
function isKindGiven(window: TextWindow, first: Pair, kind: PairKind, most: number): boolean {
  let pair: Pair | null | undefined = first;
  for (let count = 0; count < most && pair; count++) {
    if (pair.kind === kind && isGiven(window, pair)) return true;
    pair = pair.following;
  }
  return false;
}

const readPair: ReadPair = (window, index, opener) => {
  const equals = window.run(index, ALNUM | UNDERSCORE | BLANK, 32);
  if (window.at(equals) !== CODE.equals) return null;
  const key = window.slice(index, equals).toLowerCase().replace(/\s/g, '');
  const to = readValue(window, equals + 1, opener)?.end;
  if (to === undefined) return null;
  const pair = { key, kind: PAIR_KEYS.get(key), from: equals + 1, to, following: undefined, literal: undefined };
  if (window.at(to) !== CODE.semicolon) return { ...pair, end: to, spaced: false, next: -1 };
  const next = window.run(to + 1, BLANK, 2);
  return { ...pair, end: to + 1, spaced: next > to + 1, next: isIn(window.at(next), LETTER) ? next : -1 };
};

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
/** As MAY_END_PLAIN_VALUE, without what may also stand in the middle; and blanks, at which most values end. */
const ENDS_PLAIN_VALUE = tableOf(' \t;\n\r"\'`<>|');
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

/** A semicolon after several words belongs to the sentence unless the words are short, as in a driver's name. */
function isSentence(window: TextWindow, from: number, blank: number, semicolon: number): boolean {
  return blank >= 0 && (semicolon - from > 64 || !isIn(window.at(window.run(semicolon + 1, BLANK, 2)), LETTER));
}

/** Verifies at `host=` and its fellows: `host=… dbname=… user=… password=…` in any order. */
const verifyLibpq: Verify = (window, start) => {
  if (
    isIn(window.before(start - 1), WORD) ||
    window.before(start - 1) === CODE.hyphen ||
    window.before(start - 1) === CODE.dot
  )
    return undefined;
  if (isNamedAgain(window, start, ENDS_LIBPQ_VALUE)) return undefined;
  const opener = window.before(start - 1);
  const chains = window.remembered(LIBPQ_PAIRS);
  const first = chains.first(window, start, opener, readLibpqPair);
  if (first === null) return undefined;
  const kinds = new Set<PairKind>();
  let [count, end] = [0, start];
  for (let pair: Pair | null = first; pair !== null; pair = chains.following(window, pair, opener, readLibpqPair)) {
    if (pair.kind !== undefined) kinds.add(pair.kind);
    end = pair.end;
    if (++count === MOST_LIBPQ_PAIRS) break;
  }
  if (count < 2) return undefined;
  const connects = (has: (kind: PairKind) => boolean) =>
    has('secret') ? has('address') || has('user') || has('database') : has('address') && has('database');
  if (!connects((kind) => kinds.has(kind))) return undefined;
  if (!connects((kind) => isKindGiven(window, first, kind, MOST_LIBPQ_PAIRS))) return undefined;
  return { start, end };
};

const readLibpqPair: ReadPair = (window, index, opener) => {
  const equals = window.run(index, WORD, 24);
  const key = window.slice(index, equals).toLowerCase();
  const kind = LIBPQ_KEYS.get(key);
  if (window.at(equals) !== CODE.equals || kind === undefined) return null;
  const end = endOfLibpqValue(window, equals + 1, opener);
  if (end === equals + 1) return null;
  const next = window.run(end, BLANK, 3);
  const spaced = next > end;
  const pair = { key, kind, from: equals + 1, to: end, end, spaced, next: spaced ? next : -1 };
  return { ...pair, following: undefined, literal: undefined };
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
