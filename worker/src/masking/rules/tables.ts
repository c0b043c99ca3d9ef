import { joinsNumber } from '../bare-run.ts';
import { BARE_VALUE, BLANK, CODE, isIn, tableOf } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { ADDRESS_HEADING, VERSION_HEADING } from '../lexicon/addresses.ts';
import { isHeadingElsewhere } from '../lexicon/names-elsewhere.ts';
import { CHORD, HARMLESS_HEADING, HEADING_OF_KEYS, SECRET_HEADING } from '../lexicon/secret-names.ts';
import type { Memory } from '../memory.ts';
import { LEFT_CONTEXT, type TablePlace, type TextWindow } from '../text-window.ts';
import { isDrawnIn, isSecretIn } from '../verdicts.ts';
import { chosen, type Rule } from './rule.ts';

const LONGEST_ROW = 400;
const LONGEST_CELL = 512;
/** Verifies at the beginning of a divider row, `|---|`: learns from the row above which columns hold secrets. */
const verifyTableDivider: Verify = (window, start) => {
  const lineStart = start + 1;
  let index = lineStart;
  while (
    index < lineStart + LONGEST_ROW &&
    (window.at(index) === CODE.pipe ||
      window.at(index) === CODE.hyphen ||
      // Org mode's divider.
      window.at(index) === CODE.plus ||
      window.at(index) === CODE.colon ||
      isIn(window.at(index), BLANK))
  )
    index++;
  if (window.at(index) !== CODE.newline) return undefined;
  const above = window.text.slice(Math.max(0, start - LEFT_CONTEXT), start);
  const header = above.slice(above.lastIndexOf('\n') + 1);
  if (!header.startsWith('|')) return undefined;
  window.nextTable = columnsBelow(window, header);
  return undefined;
};

/** The same few headings stand above many dividers in a text that was made to be slow. */
const HEADINGS_READ: Memory<Map<string, TablePlace>> = { begin: () => new Map(), forget: (tables) => tables.clear() };
const MOST_HEADINGS = 64;
const NO_COLUMNS: TablePlace = { columns: [], versions: [], keys: [], column: -1 };

function columnsBelow(window: TextWindow, header: string): TablePlace {
  // No heading is made of marks alone.
  if (!/[^\s|:*_`-]/.test(header)) return NO_COLUMNS;
  const read = window.remembered(HEADINGS_READ);
  const known = read.get(header);
  if (known !== undefined) return known;
  if (read.size >= MOST_HEADINGS) read.clear();
  const table = columnsOfHeader(header);
  read.set(header, table);
  return table;
}

function columnsOfHeader(header: string): TablePlace {
  const headings = header.split('|').slice(1);
  const versions = columnsOf(headings, VERSION_HEADING, ADDRESS_HEADING);
  const columns = [
    ...columnsOf(headings, SECRET_HEADING, HARMLESS_HEADING),
    ...headings.flatMap((heading, column) => (isHeadingElsewhere(heading) ? [column] : [])),
    ...versions,
  ];
  const keys = columnsOf(headings, HEADING_OF_KEYS, HARMLESS_HEADING);
  return { columns, versions, keys, column: -1 };
}

function columnsOf(headings: readonly string[], wanted: RegExp, other: RegExp): number[] {
  return headings.flatMap((heading, column) => (wanted.test(heading) && !other.test(heading) ? [column] : []));
}

/** Verifies at a blank line: the table is over. */
const verifyTableEnd: Verify = (window) => {
  window.nextTable = NO_COLUMNS;
  return undefined;
};

/** Verifies at a pipe: the cell after it, when its column holds secrets. */
const verifyTableCell: Verify = (window, start, end) => {
  const { columns, versions, keys, column: last } = window.table;
  if (columns.length === 0) return undefined;
  const column = start === 0 || window.code(start - 1) === CODE.newline ? 0 : last + 1;
  window.nextTable = { columns, versions, keys, column };
  return columns.includes(column) && !versions.includes(column)
    ? readCell(window, end, keys.includes(column))
    : undefined;
};

function readCell(window: TextWindow, from: number, ofKeys: boolean): Finding | undefined {
  let index = window.run(from, BLANK, 40);
  while (window.at(index) === CODE.backtick || window.at(index) === CODE.star) index++;
  const start = index;
  while (index < start + LONGEST_CELL && (isIn(window.at(index), BARE_VALUE) || joinsNumber(window, start, index)))
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
  if ((ofKeys && CHORD.test(value)) || (!isDrawnIn(window, value) && !chosen)) return undefined;
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
    anchors: ['\n|-', '\n| -', '\n|:', '\n| :'],
    tableAnchors: [BLANK_LINE, CELL],
    verify: verifyTable,
    source: 'https://github.github.com/gfm/#tables-extension-',
    masks: [
      `| user | password |\n|---|---|\n| budi | ${chosen} |\n`,
      `| Benutzer | Passwort |\n|---|---|\n| budi | ${chosen} |\n`,
      `| 用户 | 密码 |\n|---|---|\n| budi | ${chosen} |\n`,
    ],
    keeps: [
      '| user | password |\n|---|---|\n| budi | required |\n',
      '| Dienst | Passwortlänge |\n|---|---|\n| Mail | 12-64a |\n',
    ],
  },
];
