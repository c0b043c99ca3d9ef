import type { Results } from '../results.ts';
import { type KeyFigures, keyFigures } from './budgets.ts';

/** A record that was on this page before, by what can be compared between machines. */
export interface EarlierRecord extends KeyFigures {
  readonly madeAt: string;
  readonly cpu: string;
}

const MOST_KEPT = 50;

/** The records that are kept, with one more, the oldest first. */
export function withRecord(earlier: readonly EarlierRecord[], results: Results): EarlierRecord[] {
  const { madeAt, machine } = results;
  const others = earlier.filter((record) => record.madeAt !== madeAt);
  return [...others, { madeAt, cpu: machine.cpu, ...keyFigures(results) }].slice(-MOST_KEPT);
}

/** Rows of a table, the newest first. */
export function trendRows(records: readonly EarlierRecord[]): string[][] {
  const show = (value: number | undefined | null, digits: number, unit: string) =>
    value === undefined || value === null || Number.isNaN(value) ? '' : `${value.toFixed(digits)} ${unit}`;
  return records
    .toReversed()
    .map((record) => [
      record.madeAt.slice(0, 10),
      record.cpu,
      show(record.costOfPortkey, 2, '×'),
      show(record.timesPortkey, 2, '×'),
      show(record.shareOfQueue === undefined ? undefined : record.shareOfQueue * 100, 0, '%'),
      show(record.addedLatencyMs, 2, 'ms'),
      show(record.commands, 1, ''),
    ]);
}
