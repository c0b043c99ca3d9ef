import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { addCounts, NO_USAGE, USAGE_DAYS, type UsageCounts, unpackCounts } from './usage-counts.ts';

const DAY_MS = 86_400_000;
const KEYS_AT_ONCE = 100;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** One key, one UTC day, one model. */
export interface UsageRow extends UsageCounts {
  /** The id of an API key, or what stands for several: `all`, `none` or `others`. */
  readonly key: string;
  /** `2026-01-31` */
  readonly date: string;
  readonly model: string;
}

/** UTC days, both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The days up to a moment, Unix ms, that one included. */
export function lastDays(count: number, nowMs: number): Period {
  return { from: dateOf(nowMs - (count - 1) * DAY_MS), to: dateOf(nowMs) };
}

/** A UTC day in the form `2026-01-31`; `undefined` for what is none. */
export function readDate(text: string): string | undefined {
  const at = DATE.test(text) ? Date.parse(`${text}T00:00Z`) : Number.NaN;
  // JavaScript takes the 31st of February for the 3rd of March.
  return Number.isNaN(at) || dateOf(at) !== text ? undefined : text;
}

/**
 * What some keys used: by key in the order given, then by day, then by model. Days before the last 400 are not kept.
 *
 * @param keys ids, or what stands for several keys
 * @throws when Redis fails
 */
export async function* readUsage(
  redis: Redis,
  keys: readonly string[],
  { from, to }: Period,
): AsyncGenerator<UsageRow[]> {
  const months = monthsOf({ from, to });
  for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
    const some = keys.slice(start, start + KEYS_AT_ONCE);
    const found = await Promise.all(
      some.flatMap((key) =>
        months.map(async (month) => rowsOf(key, month, await redis.hgetall(redisKeys.keyUsage(key, month)))),
      ),
    );
    const rows = found.flat().filter(({ date }) => date >= from && date <= to);
    if (rows.length > 0) yield rows;
  }
}

/** The sum of some rows. */
export function sumUsage(rows: readonly UsageRow[]): UsageCounts {
  return rows.reduce((sum: UsageCounts, row) => addCounts(sum, row), NO_USAGE);
}

function rowsOf(key: string, month: string, fields: Readonly<Record<string, string>>): UsageRow[] {
  return Object.entries(fields)
    .map(([field, text]) => {
      const date = `${month}-${field.slice(0, 2)}`;
      return Object.assign({ key, date, model: field.slice(3) }, unpackCounts(text));
    })
    .sort((a, b) => (`${a.date} ${a.model}` < `${b.date} ${b.model}` ? -1 : 1));
}

/** The months of a period, the oldest first; at most as many as are kept. */
function monthsOf({ from, to }: Period): string[] {
  const months: string[] = [];
  const last = Math.max(Date.parse(`${from}T00:00Z`), Date.parse(`${to}T00:00Z`) - (USAGE_DAYS - 1) * DAY_MS);
  for (let at = Date.parse(`${to}T00:00Z`); at >= last; at -= DAY_MS) {
    const month = dateOf(at).slice(0, 7);
    if (months[0] !== month) months.unshift(month);
  }
  return months;
}

function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
