import { joinsNumber } from '../bare-run.ts';
import { BARE_VALUE, BLANK, CODE, DIGIT, isIn, QUOTE, STAR, tableOf } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { isForeignLetter } from '../given-in-words.ts';
import { ADDRESS_HEADING, COMPONENT_HEADING, RELEASE_HEADING, VERSION_HEADING } from '../lexicon/addresses.ts';
import { hasNounElsewhere, isHeadingElsewhere } from '../lexicon/names-elsewhere.ts';
import {
  CHORD,
  HARMLESS_HEADING,
  HEADING_OF_KEYS,
  HEADING_OF_LOGINS,
  HEADING_OF_NUMBERS,
  HEADING_OF_PASSWORDS,
  HEADING_OF_USERS,
  SECRET_HEADING,
} from '../lexicon/secret-names.ts';
import { TRADE_WORDS } from '../lexicon/values.ts';
import { isMadeUp } from '../made-up.ts';
import type { Memory } from '../memory.ts';
import { NO_TABLE, type TablePlace } from '../table-place.ts';
import { LEFT_CONTEXT, type TextWindow } from '../text-window.ts';
import { isDrawnIn, isSecretIn, verdict } from '../verdicts.ts';
import { isChosenWords, isEasternWord, isLikelyWords } from '../words-at-place.ts';
import { isCounted } from './code-numbers.ts';
import { chosen, type Rule } from './rule.ts';

const LONGEST_ROW = 400;
const LONGEST_CELL = 512;
/** Verifies at the beginning of a divider row, `|---|`: learns from the row above which columns hold secrets. */
const verifyTableDivider: Verify = (window, start) => {
  const lineStart = start + 1;
  let index = lineStart;
  while (index < lineStart + LONGEST_ROW && IN_DIVIDER[window.at(index)] === 1) index++;
  if (window.at(index) !== CODE.newline && window.at(index) !== CODE.carriageReturn) return undefined;
  const above = window.text.slice(Math.max(0, start - LEFT_CONTEXT), start);
  const header = above.slice(above.lastIndexOf('\n') + 1);
  const isGrid = window.code(lineStart) === CODE.plus;
  if (!header.startsWith('|')) {
    // As GitHub and psql write it: nothing encloses the rows.
    const isBare =
      !isGrid &&
      window.code(lineStart) !== CODE.pipe &&
      header.includes('|') &&
      /[|+]/.test(window.slice(lineStart, index));
    if (isBare) window.nextTable = columnsBelow(window, header);
    return undefined;
  }
  const table = columnsBelow(window, header);
  // A grid has such a line between any two rows.
  if (!isGrid || table.columns.length > 0) window.nextTable = table;
  return undefined;
};

/** Org mode, psql and grids have a plus where columns meet. */
const IN_DIVIDER = tableOf('|-+:= \t');

/** The same few headings stand above many dividers in a text that was made to be slow. */
const HEADINGS_READ: Memory<Map<string, TablePlace>> = { begin: () => new Map(), forget: (tables) => tables.clear() };
const MOST_HEADINGS = 64;

function columnsBelow(window: TextWindow, header: string): TablePlace {
  // No heading is made of marks alone.
  if (!/[^\s|:*_`-]/.test(header)) return NO_TABLE;
  const read = window.remembered(HEADINGS_READ);
  const known = read.get(header);
  if (known !== undefined) return known;
  if (read.size >= MOST_HEADINGS) read.clear();
  const table = columnsOfHeader(header);
  read.set(header, table);
  return table;
}

function columnsOfHeader(header: string): TablePlace {
  // Most tables have no such column, and a line is asked faster than its headings.
  if (
    !TELLING_HEADER.test(header) &&
    !SECRET_HEADING.test(header) &&
    !RELEASE_HEADING.test(header) &&
    !hasNounElsewhere(header)
  )
    return NO_TABLE;
  const enclosed = header.startsWith('|');
  const headings = header.split('|').slice(enclosed ? 1 : 0);
  const isOfReleases = headings.some((heading) => COMPONENT_HEADING.test(heading));
  const versions = columnsOf(headings, isOfReleases ? RELEASE_HEADING : VERSION_HEADING, ADDRESS_HEADING);
  const logins = columnsOf(headings, HEADING_OF_LOGINS, NOTHING);
  const numbers = columnsOf(headings, HEADING_OF_NUMBERS, NOTHING);
  const columns = [
    ...columnsOf(headings, SECRET_HEADING, HARMLESS_HEADING),
    ...headings.flatMap((heading, column) => (isHeadingElsewhere(heading) ? [column] : [])),
    ...versions,
    ...logins,
    ...numbers,
  ];
  const keys = columnsOf(headings, HEADING_OF_KEYS, HARMLESS_HEADING);
  const passwords = columns.filter((column) => {
    const heading = headings[column] ?? '';
    return HEADING_OF_PASSWORDS.test(heading) || isHeadingElsewhere(heading);
  });
  const besideUsers = headings.some((heading) => HEADING_OF_USERS.test(heading));
  return { columns, versions, keys, passwords, besideUsers, logins, numbers, enclosed, column: -1 };
}

const NOTHING = /$^/;
/** What HEADING_OF_LOGINS and HEADING_OF_NUMBERS have. */
const TELLING_HEADER = /log-?in|cred|kredensial|zugang|pass|pin|otp|code/i;

function columnsOf(headings: readonly string[], wanted: RegExp, other: RegExp): number[] {
  return headings.flatMap((heading, column) => (wanted.test(heading) && !other.test(heading) ? [column] : []));
}

/** Verifies at a blank line: the table is over. */
const verifyTableEnd: Verify = (window) => {
  window.nextTable = NO_TABLE;
  return undefined;
};

/** Verifies at a pipe: the cell after it, when its column holds secrets. The first cell of a row that nothing encloses is not read. */
const verifyTableCell: Verify = (window, start, end) => {
  const { table } = window;
  if (table.columns.length === 0) return undefined;
  const begins = table.enclosed && (start === 0 || window.code(start - 1) === CODE.newline);
  const column = begins ? 0 : table.enclosed ? table.column + 1 : pipesBefore(window, start) + 1;
  // Behind the last column that matters all are the same.
  window.nextTable = { ...table, column: Math.min(column, Math.max(...table.columns) + 1) };
  if (!table.columns.includes(column) || table.versions.includes(column)) return undefined;
  if (table.logins.includes(column)) {
    const pair = readLogin(window, end);
    if (pair !== undefined) return pair;
  }
  const number = table.numbers.includes(column) ? readNumber(window, end) : undefined;
  const ofPasswords = table.passwords.includes(column);
  return (
    number ??
    readCell(window, end, table.keys.includes(column), ofPasswords) ??
    (ofPasswords ? readWords(window, end) : undefined)
  );
};

/** The pipes of the row before the one at `at`. */
function pipesBefore(window: TextWindow, at: number): number {
  const left = window.slice(Math.max(0, at - LEFT_CONTEXT), at);
  return left.slice(left.lastIndexOf('\n') + 1).split('|').length - 1;
}

/** `admin / …`, `ops:…` in a column of logins. */
function readLogin(window: TextWindow, from: number): Finding | undefined {
  let end = from;
  while (end < from + LONGEST_LOGIN && window.at(end) >= CODE.space && window.at(end) !== CODE.pipe) end++;
  const user = LOGIN_IN_CELL.exec(window.slice(from, end));
  if (user === null) return undefined;
  const start = from + user[0].length;
  const stop = window.trim(start, end, ' *`');
  const value = window.slice(start, stop);
  if (!/^(?=\S*\d)(?=\S*[A-Za-z])\S+$/.test(value) || TRADE_WORDS.test(value)) return undefined;
  return isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: true })
    ? { start, end: stop }
    : undefined;
}

const LONGEST_LOGIN = 96;
const LOGIN_IN_CELL = /^[ `*]{0,4}[A-Za-z][\w.@-]{1,40}[`*]{0,2} ?[/:] ?[`*]{0,2}(?=[^\s/])/;

/** Words alone in a column of passwords: all that the cell holds. */
function readWords(window: TextWindow, from: number): Finding | undefined {
  const start = window.run(from, BLANK | QUOTE | STAR, 40);
  let end = start;
  while (end < start + LONGEST_LOGIN && window.at(end) >= CODE.space && window.at(end) !== CODE.pipe) end++;
  const stop = window.trim(start, end, ' *`"\'');
  if (end === start + LONGEST_LOGIN || stop - start < SHORTEST_WORD) return undefined;
  const value = window.slice(start, stop);
  const isGiven = window.table.besideUsers
    ? verdict(window, 'chosen words', value, isChosenWords)
    : verdict(window, 'likely words', value, isLikelyWords) || isEasternWord(value);
  return isGiven ? { start, end: stop } : undefined;
}

/** A PIN: four to eight digits that are more than counted. */
function readNumber(window: TextWindow, from: number): Finding | undefined {
  const start = window.run(from, BLANK | QUOTE | STAR, 40);
  const end = window.run(start, DIGIT, LONGEST_NUMBER + 1);
  if (end - start < SHORTEST_NUMBER || end - start > LONGEST_NUMBER) return undefined;
  const next = window.at(window.run(end, BLANK | QUOTE | STAR, 40));
  if (next !== CODE.pipe && next >= CODE.space) return undefined;
  return isCounted(window.slice(start, end)) ? undefined : { start, end };
}

const [SHORTEST_NUMBER, LONGEST_NUMBER] = [4, 8];
/** Of Chinese characters. */
const SHORTEST_WORD = 3;

function readCell(window: TextWindow, from: number, ofKeys: boolean, ofPasswords: boolean): Finding | undefined {
  let index = window.run(from, BLANK, 40);
  while (window.at(index) === CODE.backtick || window.at(index) === CODE.star) index++;
  const start = index;
  while (
    index < start + LONGEST_CELL &&
    (isIn(window.at(index), BARE_VALUE) || joinsNumber(window, start, index) || isForeignLetter(window.at(index)))
  )
    index++;
  // A password may hold brackets and commas: what is one word up to the end of its cell is taken whole.
  if (!ofKeys && IN_CELL[window.at(index)] === 1)
    while (index < start + LONGEST_CELL && (isIn(window.at(index), BARE_VALUE) || IN_CELL[window.at(index)] === 1))
      index++;
  const end = window.trim(start, index, '*');
  const after = window.run(index, BLANK, 40);
  const closed =
    index >= start + LONGEST_CELL ||
    window.at(index) === CODE.backtick ||
    window.at(after) === CODE.pipe ||
    window.at(after) === CODE.newline ||
    window.at(after) < 0;
  if (!closed) return undefined;
  const value = window.slice(start, end);
  const chosen =
    !ofKeys &&
    /\d/.test(value) &&
    value.length >= 6 &&
    isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: true });
  const madeUp = ofPasswords && verdict(window, 'made-up', value, isMadeUp);
  if ((ofKeys && CHORD.test(value)) || (!isDrawnIn(window, value) && !chosen && !madeUp)) return undefined;
  const finding = { start, end };
  return index < start + LONGEST_CELL ? finding : { ...finding, open: BARE_VALUE };
}

/** What a value without quotes does not hold, and a password in a cell may. */
const IN_CELL = tableOf('()[]{},;"\'');

const CELL = '|';
const BLANK_LINE = '\n\n';

const verifyTable: Verify = (window, start, end, anchor) => {
  if (anchor === CELL) return verifyTableCell(window, start, end, anchor);
  return anchor === BLANK_LINE
    ? verifyTableEnd(window, start, end, anchor)
    : verifyTableDivider(window, start, end, anchor);
};

/** Secrets in a column that names them. */
export const TABLE_RULES: readonly Rule[] = [
  {
    name: 'table-cell',
    type: 'key',
    anchors: ['\n|-', '\n| -', '\n|:', '\n| :', '\n+-', '\n+=', '\n---', '\n:--'],
    tableAnchors: [BLANK_LINE, CELL],
    verify: verifyTable,
    source: 'https://github.github.com/gfm/#tables-extension-',
    masks: [
      `| user | password |\n|---|---|\n| budi | ${chosen} |\n`,
      `| Benutzer | Passwort |\n|---|---|\n| budi | ${chosen} |\n`,
      `| 用户 | 密码 |\n|---|---|\n| budi | ${chosen} |\n`,
      `+------+----------+\n| user | password |\n+------+----------+\n| budi | ${chosen} |\n+------+----------+\n`,
      ` user | password\n------+---------\n budi | ${chosen}\n`,
      `User | Password\n--- | ---\nbudi | ${chosen}\n`,
      `| host | login |\n|---|---|\n| web | admin / ${chosen} |\n`,
      '| door | PIN |\n|---|---|\n| lab | 482913 |\n',
    ],
    keeps: [
      '| user | password |\n|---|---|\n| budi | required |\n',
      '| Dienst | Passwortlänge |\n|---|---|\n| Mail | 12-64a |\n',
      'a | password\n---\nb | Kopi77susu7\n',
      '| page | login |\n|---|---|\n| web | GET /login |\n',
      '| Pin | Signal |\n|---|---|\n| 14 | TXD0 |\n',
    ],
  },
];
