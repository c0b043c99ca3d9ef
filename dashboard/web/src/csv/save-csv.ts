import { csvLine } from '@lontar/shared/usage/csv.ts';

type Cell = string | number;

/** Most characters of a cell: a spreadsheet takes no more. */
const MOST_CELL = 32_000;

/** A table as CSV; a text that a spreadsheet would calculate is made harmless, see `csvLine`. */
export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const bounded = (cell: Cell) => (typeof cell === 'string' ? cell.slice(0, MOST_CELL) : cell);
  return [head, ...rows].map((cells) => csvLine(cells.map(bounded))).join('');
}

/** Hands a table to the browser as a file. */
export function saveCsv(name: string, csv: string): void {
  // Without the mark, spreadsheets take the file for another encoding.
  const url = URL.createObjectURL(new Blob(['\uFEFF', csv], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
