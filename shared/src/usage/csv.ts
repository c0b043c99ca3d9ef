/** What a spreadsheet takes for the beginning of a formula, or of a cell's end. */
const FORMULA = /^[\s]*[=+\-@\t\r|%]/;

/**
 * A line of CSV (RFC 4180). A text that a spreadsheet would calculate gets an apostrophe in front, by which it shows it as
 * it is; numbers are left as they are.
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
