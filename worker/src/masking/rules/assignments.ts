import { settledValue } from '../assigned-value.ts';
import { ALNUM, BARE_VALUE, BLANK, CODE, isIn, LETTER, QUOTE, STAR, tableOf, UNDERSCORE, WORD } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { findInColumn } from '../given-column.ts';
import { behindChain, readCells, readFurther, readList, readPieces } from '../given-list.ts';
import { readRestOfLine } from '../given-phrase.ts';
import { readRowWords } from '../given-row.ts';
import { isGivenSecret } from '../given-secret.ts';
import { type GivenValue, type Operator, readOperator, readValue } from '../given-value.ts';
import { wordiness } from '../letter-pairs.ts';
import { isPublicName } from '../lexicon/public-names.ts';
import { PASSWORD_WORDS, SECRET_WORDS, VENDOR_WORDS, WEAK_WORDS } from '../lexicon/secret-names.ts';
import { INTRODUCES_VALUE, SCHEME_BEFORE_VALUE, TYPE_OF_VALUE } from '../lexicon/values.ts';
import { NAME_ASKED } from '../name-asked.ts';
import { isAnotherWord, type NameKind, readName, type SecretName } from '../secret-name.ts';
import { spokenOperator } from '../spoken-operator.ts';
import { statementOperator } from '../sql-statement.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn } from '../verdicts.ts';
import { insideWrapper } from '../wrapped-value.ts';
import { findInProse } from './prose.ts';
import { chosen, drawn, type Rule } from './rule.ts';

/** The thresholds, as those of `given-secret.ts`: turned by a step they change nothing in documents and cases. */

/** How far the word reaches that may introduce a value: `Bearer`, `string`. Turned to 16 or 32: nothing. */
const LONGEST_INTRODUCTION = 24;
/** The name of a value inside a value, `min` in `policy: min=12`. Turned to 1 or 3: nothing. */
const SHORTEST_NESTED_NAME = 2;
/** Bounds the work. Turned to 16 or 64: nothing. */
const LONGEST_NESTED_NAME = 32;
/** Such a name scores higher in `wordiness`. Turned to 0.45 or 0.55: nothing. */
const WORDS_OF_NESTED_NAME = 0.5;

/** Verifies at a secret word: the value given to the name the word is part of. */
const verifyAssignment: Verify = (window, start, end, word) => {
  const kind = KINDS.get(word) ?? 'vendor';
  if (kind !== 'vendor') window.lastNamed = start;
  if (isInMarker(window, start) || isAnotherWord(window, start, end, word)) return undefined;
  const name = readName(window, start, end, kind);
  if (name === undefined) return undefined;
  const asked = window.remembered(NAME_ASKED);
  if (asked.knows(name)) return undefined;
  const finding = findGiven(window, name, kind);
  if (!window.starved && isWholeAnswer(name, kind, finding)) asked.remember(name, finding !== undefined);
  return finding === undefined || isPublicName(window.slice(name.start, name.end)) ? undefined : finding;
};

/** Of a short form sentences are not asked, of several names only lists; a sentence may give another value to another kind. */
function isWholeAnswer(name: SecretName, kind: NameKind, finding: Finding | undefined): boolean {
  if (name.plural === true || (kind === 'weak' && name.kind === 'password')) return false;
  return finding === undefined || (finding.also === undefined && finding.rule === RULES[name.kind]);
}

function findGiven(window: TextWindow, name: SecretName, kind: NameKind): Finding | undefined {
  if (window.at(name.end) === CODE.less) {
    const column = findInColumn(window, name);
    if (column !== undefined) return { rule: RULES[name.kind], ...column };
  }
  const operator =
    statementOperator(window, name) ?? readOperator(window, name.start, name.end) ?? spokenOperator(window, name);
  if (operator !== undefined) return judgeAssignment(window, name, operator);
  const column = findInColumn(window, name);
  if (column !== undefined) return { rule: RULES[name.kind], ...column };
  // `IsFirstPass` in a sentence is a name of code: short forms need an operator.
  const short = kind === 'weak' && name.kind === 'password';
  return (short && !isInCodeQuotes(window, name)) || name.kind === 'glued' || name.plural === true
    ? undefined
    : findInProse(window, name);
}

/** ``set `$db_pass` to …``: quotes of code say that it is a name. */
function isInCodeQuotes(window: TextWindow, { start, end }: SecretName): boolean {
  const from = window.before(start - 1) === CODE.dollar ? start - 1 : start;
  return window.at(end) === CODE.backtick && window.before(from - 1) === CODE.backtick;
}

/** The kind of name that a word makes; every other word that wakes the verifier is a vendor. */
const KINDS: ReadonlyMap<string, NameKind> = new Map([
  ...PASSWORD_WORDS.map((word) => [word, 'password'] as const),
  ...SECRET_WORDS.map((word) => [word, 'secret'] as const),
  ...WEAK_WORDS.map((word) => [word, 'weak'] as const),
]);

function judgeAssignment(window: TextWindow, name: SecretName, operator: Operator): Finding | undefined {
  const query = window.before(name.start - 1);
  const inQuery = operator.tight && (query === CODE.question || query === CODE.ampersand || query === CODE.semicolon);
  if (isNestedName(window, operator.end) || endsItsLiteral(window, name, operator)) return undefined;
  const list = readList(window, operator.end, name.plural === true && name.kind === 'password');
  if (list.length > 0)
    return findingOfAll(
      name,
      list.filter((element) => isGivenSecret(window, name, operator, element)),
    );
  if (name.plural === true) return undefined;
  if (operator.kind === 'cell') {
    const words = readRowWords(window, name, operator.end);
    if (words.length > 0) return findingOfAll(name, words);
  }
  let value = readValue(window, operator.end, inQuery);
  if (value === undefined) {
    // It begins with a letter that ASCII has not.
    const line = readRestOfLine(window, name, operator, value);
    return line && findingOf(window, name, line);
  }
  const read = behindChain(window, value);
  value = settledValue(window, name, operator, insideWrapper(window, read) ?? read);
  // `Authorization: Bearer …`, `password: string = "…"`: a word that introduces the value.
  const word = introductionOf(window, value);
  if (!value.quoted && INTRODUCES_VALUE.test(word)) {
    const next = TYPE_OF_VALUE.test(word) ? readOperator(window, value.start, value.end)?.end : value.end;
    value = next === undefined ? undefined : readValue(window, next, inQuery);
  } else if (value.quoted && SCHEME_BEFORE_VALUE.test(word)) {
    value = { ...value, start: value.start + word.search(/\s/) + 1 };
  }
  const further = operator.kind === 'cell' ? furtherCells(window, name, operator.end) : [];
  const isGiven = value !== undefined && value.end > value.start && isGivenSecret(window, name, operator, value);
  // What a bare value does not hold may go on behind it.
  const line =
    value?.quoted === true || (isGiven && value?.last === true && window.at(value.end) <= CODE.delete)
      ? undefined
      : readRestOfLine(window, name, operator, value);
  if (line !== undefined) return findingOf(window, name, line);
  if (value === undefined || !isGiven) {
    const [first, ...others] = further;
    return first && { ...first, rule: RULES[name.kind], also: others };
  }
  const finding = findingOf(window, name, value);
  if (operator.kind === 'cell') return { ...finding, also: further };
  const also = value.quoted
    ? readPieces(window, value)
    : operator.tight && !inQuery
      ? readFurther(window, value).filter(({ start, end }) => isDrawnIn(window, window.slice(start, end)))
      : [];
  return also.length === 0 ? finding : { ...finding, also: also.map(({ start, end }) => ({ start, end })) };
}

const LONGEST_MARKS = 24;

/** The cells behind the first in the row of a name: its values elsewhere. */
function furtherCells(window: TextWindow, name: SecretName, from: number): readonly Finding[] {
  if (window.before(window.runBefore(name.start, BLANK | QUOTE | STAR | WORD, LONGEST_MARKS) - 1) !== CODE.pipe)
    return [];
  const element: Operator = { end: from, kind: 'element', tight: false };
  return readCells(window, from)
    .filter((cell) => /\d/.test(window.slice(cell.start, cell.end)) && isGivenSecret(window, name, element, cell))
    .map(({ start, end }) => ({ start, end }));
}

/** The beginning of a value in lower case, or nothing where no word that introduces a value can be it. */
function introductionOf(window: TextWindow, { start, end }: GivenValue): string {
  return BEGINS_INTRODUCTION[window.code(start)] === 1
    ? window.slice(start, Math.min(end, start + LONGEST_INTRODUCTION)).toLowerCase()
    : '';
}

/** What INTRODUCES_VALUE and SCHEME_BEFORE_VALUE begin with. */
const BEGINS_INTRODUCTION = tableOf('abdikstyABDIKSTY&=');

/** The elements of a list that are secrets. */
function findingOfAll(name: SecretName, secrets: readonly GivenValue[]): Finding | undefined {
  const [first, ...also] = secrets.map(({ start, end }) => ({ start, end }));
  return first === undefined ? undefined : { ...first, rule: RULES[name.kind], also };
}

/** `"PWD="+folder`: the quote behind the operator is the end of the literal that the name stands in. */
function endsItsLiteral(window: TextWindow, name: SecretName, { end, tight }: Operator): boolean {
  const quote = window.before(name.start - 1);
  return tight && isIn(quote, QUOTE) && window.at(end) === quote && ENDS_LITERAL.test(window.peek(end + 1, 4));
}

const ENDS_LITERAL = /^ {0,2}[+,.)\]};]/;

/** `policy: min=12`, `key=key=…`: the value is a name with a value of its own, which is judged by itself. */
function isNestedName(window: TextWindow, from: number): boolean {
  const start = window.at(from) === CODE.space ? from + 1 : from;
  const end = window.run(start, LETTER | UNDERSCORE, LONGEST_NESTED_NAME);
  const code = window.at(end);
  if (end - start < SHORTEST_NESTED_NAME || (code !== CODE.equals && code !== CODE.colon)) return false;
  const word = window.slice(start, end).toLowerCase();
  if (NAMES.has(word)) return true;
  return code === CODE.equals && isIn(window.at(end + 1), ALNUM | QUOTE) && wordiness(word) > WORDS_OF_NESTED_NAME;
}

const NAMES = new Set<string>(['authorization', ...PASSWORD_WORDS, ...SECRET_WORDS, ...WEAK_WORDS]);

function findingOf(window: TextWindow, name: SecretName, value: GivenValue): Finding {
  const finding = { rule: RULES[name.kind], start: value.start, end: value.end };
  if (!value.cut || !isIn(window.at(value.end), BARE_VALUE) || isIn(window.at(value.end), QUOTE)) return finding;
  return { ...finding, open: BARE_VALUE };
}

/** The words of our own markers are no names. */
function isInMarker(window: TextWindow, start: number): boolean {
  return (
    window.before(start - 1) === CODE.star &&
    window.before(start - 2) === CODE.star &&
    /^\*\*\*(?:API_|IP_|DB_)/.test(window.slice(start - 3, start + 4))
  );
}

/** A value given to a name, by the kind of name. */
const RULES: Readonly<Record<NameKind, Rule>> = {
  password: {
    name: 'password-assignment',
    type: 'key',
    anchors: PASSWORD_WORDS,
    verify: verifyAssignment,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: ['DB_PASSWORD=kopisusu7', 'password: "kopisusu7"', '"kata_sandi": "kopisusu7"'],
    keeps: [
      'password: string',
      'password=None',
      'POSTGRES_PASSWORD: postgres',
      'password: ${DB_PASSWORD}',
      'token: process.env.TOKEN',
    ],
  },
  secret: {
    name: 'secret-assignment',
    type: 'key',
    anchors: SECRET_WORDS,
    verify: verifyAssignment,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [`client_secret = "${drawn}"`, `token: "${drawn}"`],
    keeps: ['token_type: Bearer', 'max_tokens: 4096', 'tokenizer=bert-base'],
  },
  weak: {
    name: 'weak-assignment',
    type: 'key',
    anchors: WEAK_WORDS,
    verify: verifyAssignment,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [`x-deploy-key: ${drawn}`, `masuk dengan user budi pass ${chosen}`],
    keeps: [
      'env = append(env, "API_PASS="+folder)',
      'primary key: user_id',
      'cacheKey = "report:2025-06:jakarta"',
      'key={row.id}',
    ],
  },
  vendor: {
    name: 'vendor-assignment',
    type: 'key',
    anchors: VENDOR_WORDS,
    verify: verifyAssignment,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [`datadog = "${drawn}"`],
    keeps: ['datadog = "enabled"', 'twilio: configured'],
  },
  // `secretabc`: the word is the beginning of a longer one that is no word.
  glued: {
    name: 'glued-assignment',
    type: 'key',
    anchors: [...KINDS.keys()],
    verify: verifyAssignment,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [`secretabc = "${drawn}"`],
    keeps: ['authority = "budi"', 'keyboard = "qwerty-us"'],
  },
};

export const ASSIGNMENT_RULES: readonly Rule[] = Object.values(RULES);
