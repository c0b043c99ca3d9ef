import { joinsNumber } from './bare-run.ts';
import { BARE_VALUE, BLANK, isIn } from './characters.ts';
import type { Finding, Verify } from './finding.ts';
import { LEFT_CONTEXT, type TextWindow } from './text-window.ts';
import { isDrawn, isSecretValue } from './value-judge.ts';

const PIPE = 124;
const NEWLINE = 10;
const LONGEST_ROW = 400;
const LONGEST_CELL = 512;
const SECRET_HEADING =
  /(?:pass(?:word|phrase|code)|secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential|sandi|kunci|rahasia|\bkey|\bpwd|\bpass)s?\b/i;
const HARMLESS_HEADING =
  /primary|foreign|public|type|name|length|count|limit|expir|rotation|\bmax|\bmin|policy|\bid\b|nama|jenis|tipe|jumlah/i;

/** The table a position lies in: which columns hold secrets, and the column that begins here. */
export interface TablePlace {
  readonly columns: readonly number[];
  readonly column: number;
}

/** Verifies at the beginning of a divider row, `|---|`: learns from the row above which columns hold secrets. */
export const verifyTableDivider: Verify = (window, start) => {
  const lineStart = start + 1;
  let index = lineStart;
  while (
    index < lineStart + LONGEST_ROW &&
    (window.at(index) === PIPE || window.at(index) === 45 || window.at(index) === 58 || isIn(window.at(index), BLANK))
  )
    index++;
  if (window.at(index) !== NEWLINE) return undefined;
  const above = window.text.slice(Math.max(0, start - LEFT_CONTEXT), start);
  const header = above.slice(above.lastIndexOf('\n') + 1);
  if (!header.startsWith('|')) return undefined;
  const headings = header.split('|').slice(1);
  const columns = headings.flatMap((heading, column) =>
    SECRET_HEADING.test(heading) && !HARMLESS_HEADING.test(heading) ? [column] : [],
  );
  window.nextTable = { columns, column: -1 };
  return undefined;
};

/** Verifies at a blank line: the table is over. */
export const verifyTableEnd: Verify = (window) => {
  window.nextTable = { columns: [], column: -1 };
  return undefined;
};

/** Verifies at a pipe: the cell after it, when its column holds secrets. */
export const verifyTableCell: Verify = (window, start, end) => {
  const { columns, column: last } = window.table;
  if (columns.length === 0) return undefined;
  const column = start === 0 || window.code(start - 1) === NEWLINE ? 0 : last + 1;
  window.nextTable = { columns, column };
  return columns.includes(column) ? readCell(window, end) : undefined;
};

function readCell(window: TextWindow, from: number): Finding | undefined {
  let index = window.run(from, BLANK, 40);
  while (window.at(index) === 96 || window.at(index) === 42) index++;
  const start = index;
  while (index < start + LONGEST_CELL && (isIn(window.at(index), BARE_VALUE) || joinsNumber(window, start, index)))
    index++;
  const end = window.trim(start, index, '*');
  const after = window.run(index, BLANK, 40);
  const closed =
    index >= start + LONGEST_CELL ||
    window.at(index) === 96 ||
    window.at(after) === PIPE ||
    window.at(after) === NEWLINE ||
    window.at(after) < 0;
  if (!closed) return undefined;
  const value = window.text.slice(start, end);
  const chosen =
    /\d/.test(value) &&
    value.length >= 6 &&
    isSecretValue(value, { name: 'password', quoted: true, environment: false, prose: true });
  if (!isDrawn(value) && !chosen) return undefined;
  const finding = { type: 'key', rule: 'table-cell', start, end } as const;
  return index < start + LONGEST_CELL ? finding : { ...finding, open: BARE_VALUE };
}
