import { BLANK, CODE, isIn, LINE_END, QUOTE, SPACE } from './characters.ts';
import type { Finding } from './finding.ts';
import { HEADING_OF_USERS } from './lexicon/secret-names.ts';
import { TRADE_WORDS } from './lexicon/values.ts';
import { isMadeUp } from './made-up.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { isDrawnIn, isSecretIn, verdict } from './verdicts.ts';
import { isChosenWords, isEasternWord, isLikelyWords } from './words-at-place.ts';

/** How much of a heading, of a list of columns and of a row is read: bounds the work. */
const LONGEST_LINE = 192;
const LONGEST_VALUE = 128;
const MOST_ROWS = 16;
const SHORTEST_PASSWORD = 6;

interface Value {
  readonly start: number;
  readonly end: number;
}

/**
 * The secrets of a column that `name` is the heading of: `user,password` and the lines below it (RFC 4180), or
 * `INSERT INTO users (name, password) VALUES (…), (…)`. The first with those that follow it, or nothing.
 */
export function findInColumn(window: TextWindow, name: SecretName): Finding | undefined {
  if (name.kind !== 'password' && name.kind !== 'secret') return undefined;
  const end = isIn(window.at(name.end), QUOTE) ? name.end + 1 : name.end;
  const code = window.at(end);
  if (code === CODE.less) return findingOf(window, name, valuesInElements(window, name.start, end));
  if (isIn(code, SPACE) && isIn(window.before(name.start - 1), SPACE | LINE_END)) {
    const aligned = findingOf(window, name, valuesAligned(window, name, end));
    if (aligned !== undefined) return aligned;
  }
  const isLast = isIn(code, LINE_END);
  if (!isLast && code !== CODE.comma && code !== CODE.semicolon && code !== CODE.tab && code !== CODE.closeParenthesis)
    return undefined;
  const left = window.left(name.start, LONGEST_LINE);
  const inserted = code === CODE.comma || code === CODE.closeParenthesis ? columnsInserted(left) : undefined;
  const values =
    inserted === undefined
      ? valuesBelow(window, left.slice(left.lastIndexOf('\n') + 1), end, code)
      : valuesInserted(window, countOf(inserted, ','), end);
  return findingOf(window, name, values);
}

function findingOf(window: TextWindow, name: SecretName, values: readonly Value[]): Finding | undefined {
  const besideUsers = values.length > 0 && isBesideUsers(window, name);
  const [first, ...also] = values.filter((value) => isSecretOf(window, name, value, besideUsers));
  return first === undefined ? undefined : { ...first, also };
}

/** Whether the line of headings that `name` stands in has one of users. */
function isBesideUsers(window: TextWindow, { start, end }: SecretName): boolean {
  const left = window.left(start, LONGEST_LINE);
  const line =
    left.slice(left.lastIndexOf('\n') + 1) + window.peek(start, LONGEST_LINE + end - start).split('\n', 1)[0];
  return line.split(BETWEEN_HEADINGS).some((heading) => HEADING_OF_USERS.test(heading));
}

const BETWEEN_HEADINGS = /[,;\t()<>'"`]| {2,24}/;

/** How far behind a heading of HTML its rows are read. */
const LONGEST_TABLE = 480;

/** `<tr><th>User</th><th>Password</th></tr>` and the cells below it in the same column. */
function valuesInElements(window: TextWindow, nameStart: number, end: number): Value[] {
  if (!window.matches(end, '</th>') || window.matches(window.run(end + 5, SPACE, 32), '<td')) return [];
  const left = window.left(nameStart, LONGEST_LINE).toLowerCase();
  const row = left.lastIndexOf('<tr');
  if (row < 0) return [];
  const wanted = countOf(left.slice(row), '<th') - 1;
  const values: Value[] = [];
  let column = -1;
  for (let index = end; index < end + LONGEST_TABLE; index++) {
    const code = window.at(index);
    if (code < 0) break;
    if (code !== CODE.less) continue;
    if (window.matches(index + 1, 'tr')) column = -1;
    else if (window.matches(index + 1, '/table')) break;
    else if (window.matches(index + 1, 'td') && ++column === wanted) {
      const value = readElement(window, index + 3);
      if (value !== undefined) values.push(value);
    }
  }
  return values;
}

/** What an element holds, and an element in it. */
function readElement(window: TextWindow, from: number): Value | undefined {
  let start = from;
  for (let depth = 0; depth < 2; depth++) {
    while (start < from + 64 && window.at(start) !== CODE.greater) start++;
    start = window.run(start + 1, SPACE, 32);
    if (window.at(start) !== CODE.less) break;
  }
  let end = start;
  while (end < start + LONGEST_VALUE && window.at(end) >= CODE.space && window.at(end) !== CODE.less) end++;
  return window.at(end) === CODE.less && end > start ? { start, end } : undefined;
}

/** Headings with two blanks or more between them: what a program prints. */
const ALIGNED_BEFORE = /^(?:\p{L}[\p{L}\w-]{0,24}(?: [\p{L}\w-]{1,24})? {2,40}){0,8}$/u;
const ALIGNED_BEHIND = /^(?: {2,40}\p{L}[\p{L}\w-]{0,24}(?: [\p{L}\w-]{1,24})?){0,8}[ \t]{0,8}\r?\n/u;

function valuesAligned(window: TextWindow, name: SecretName, end: number): Value[] {
  const code = window.at(end);
  if (!isIn(code, LINE_END) && (code !== CODE.space || window.at(end + 1) !== CODE.space)) return [];
  const left = window.left(name.start, LONGEST_LINE);
  const before = left.slice(left.lastIndexOf('\n') + 1);
  if (!ALIGNED_BEFORE.test(before) || (before === '' && isIn(code, LINE_END))) return [];
  const behind = ALIGNED_BEHIND.exec(window.peek(end, LONGEST_LINE));
  if (behind === null) return [];
  const column = before === '' ? 0 : before.trimEnd().split(/ {2,}/).length;
  const columns = column + behind[0].trimEnd().split(/ {2,}/).length;
  const values: Value[] = [];
  let lineStart = end + behind[0].length;
  for (let row = 0; row < MOST_ROWS; row++) {
    const line = window.peek(lineStart, LONGEST_LINE).split('\n', 1)[0] ?? '';
    const fields = [...line.matchAll(/\S+(?: \S+)*/g)];
    if (line.length === LONGEST_LINE || fields.length !== columns) break;
    const field = fields[column];
    if (field !== undefined && field[0] !== '') {
      const start = lineStart + field.index;
      values.push({ start, end: start + field[0].length });
    }
    lineStart = window.run(lineStart + line.length, LINE_END, 2);
  }
  return values;
}

/** The columns before this one in the brackets behind `INSERT INTO users`; undefined elsewhere. */
function columnsInserted(left: string): string | undefined {
  const opening = left.lastIndexOf('(');
  const columns = left.slice(opening + 1);
  if (opening < 0 || columns.length > LONGEST_COLUMNS || columns.includes(')')) return undefined;
  return INSERTED.test(left.slice(0, opening).trimEnd()) ? columns : undefined;
}

const LONGEST_COLUMNS = 160;
const INSERTED = /\b(?:insert|replace)\s{1,4}(?:ignore\s{1,4})?into\s{1,4}[\w."`[\]]+$/i;
/** The rest of the list of columns, up to the first row. */
const ROWS_INSERTED = /^[^()]*\)\s{0,9}values\s{0,9}(?=\()/i;

function valuesInserted(window: TextWindow, column: number, from: number): Value[] {
  const heading = ROWS_INSERTED.exec(window.peek(from, LONGEST_LINE));
  if (heading === null) return [];
  const values: Value[] = [];
  let index = from + heading[0].length;
  for (let row = 0; row < MOST_ROWS && window.at(index) === CODE.openParenthesis; row++) {
    for (let field = 0; window.at(index) !== CODE.closeParenthesis; field++) {
      const start = window.run(index + 1, SPACE, 32);
      const value = readField(window, start);
      if (value === undefined) return values;
      const isQuoted = value.start > start;
      if (field === column && isQuoted) values.push(value);
      index = window.run(isQuoted ? value.end + 1 : value.end, SPACE, 32);
      if (window.at(index) !== CODE.comma && window.at(index) !== CODE.closeParenthesis) return values;
    }
    index = window.run(index + 1, SPACE, 32);
    if (window.at(index) !== CODE.comma) break;
    index = window.run(index + 1, SPACE, 32);
  }
  return values;
}

/** A literal in single quotes, or what stands there up to the next comma or bracket. */
function readField(window: TextWindow, start: number): Value | undefined {
  const quoted = window.at(start) === CODE.singleQuote;
  const from = quoted ? start + 1 : start;
  for (let end = from; end < from + LONGEST_VALUE; end++) {
    const code = window.at(end);
    if (code < 0 || (quoted && isIn(code, LINE_END))) return undefined;
    if (quoted ? code === CODE.singleQuote : code === CODE.comma || code === CODE.closeParenthesis)
      return { start: from, end };
  }
  return undefined;
}

/** Names of columns between the same separators, and nothing else on the line. */
const FIELDS = /^(?:["']?\p{L}[\p{L}\w .-]{0,31}["']?[,;\t])*["']?$/u;
const FIELDS_BEHIND = /^(?:[,;\t]["']?\p{L}[\p{L}\w .-]{0,31}["']?)*\r?\n/u;

function valuesBelow(window: TextWindow, before: string, end: number, code: number): Value[] {
  if (code === CODE.closeParenthesis || !FIELDS.test(before) || /[^,;\t"']$/.test(before)) return [];
  if (before === '' && isIn(code, LINE_END)) return [];
  const behind = FIELDS_BEHIND.exec(window.peek(end, LONGEST_LINE));
  if (behind === null) return [];
  const separator = /[,;\t]/.exec(before + behind[0])?.[0] ?? '';
  const column = countOf(before, separator);
  const columns = column + countOf(behind[0], separator);
  const headings = (before + behind[0].trimEnd()).split(separator);
  const values: Value[] = [];
  let lineStart = end + behind[0].length;
  for (let row = 0; row < MOST_ROWS; row++) {
    const line = (window.peek(lineStart, LONGEST_LINE).split('\n', 1)[0] ?? '').replace(/\r$/, '');
    if (line.length === LONGEST_LINE || countOf(line, separator) !== columns) break;
    const fields = line.split(separator);
    // What says the same in every line is no heading.
    if (fields.some((field, index) => index !== column && field === headings[index])) return [];
    const field = fields[column] ?? '';
    const start = lineStart + fields.slice(0, column).reduce((sum, { length }) => sum + length + 1, 0);
    const isQuoted = /^(["']).*\1$/.test(field);
    values.push(isQuoted ? { start: start + 1, end: start + field.length - 1 } : { start, end: start + field.length });
    lineStart += line.length;
    lineStart = window.run(lineStart, LINE_END, 2);
  }
  return values;
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** Drawn, or a password that holds a digit and speaks of nothing else, or words where users stand beside them. */
function isSecretOf(window: TextWindow, { kind }: SecretName, { start, end }: Value, besideUsers: boolean): boolean {
  const value = window.slice(start, end);
  if (isIn(window.at(start), BLANK)) return false;
  if (kind === 'password' || besideUsers) {
    if (value.length >= SHORTEST_WORD && isWordOf(window, value, besideUsers)) return true;
  }
  if (/\s/.test(value)) return false;
  if (isDrawnIn(window, value)) return true;
  if (kind === 'password' && verdict(window, 'made-up', value, isMadeUp)) return true;
  return (
    kind === 'password' &&
    value.length >= SHORTEST_PASSWORD &&
    /\d/.test(value) &&
    /[a-z]/i.test(value) &&
    !TRADE_WORDS.test(value) &&
    isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: true })
  );
}

const SHORTEST_WORD = 3;

function isWordOf(window: TextWindow, value: string, besideUsers: boolean): boolean {
  if (besideUsers) return verdict(window, 'chosen words', value, isChosenWords);
  return verdict(window, 'likely words', value, isLikelyWords) || isEasternWord(value);
}
