import type { UsageRow as CountedRow } from '@lontar/shared/usage/read-usage.ts';
import { addCounts, NO_USAGE, USAGE_COUNTS, type UsageCounts } from '@lontar/shared/usage/usage-counts.ts';

/** A row of `GET /admin/v1/usage`: one key, day and model, with whose the key is. */
export interface UsageRow extends CountedRow {
  readonly name: string;
  readonly owner: string;
}

/** What usage is put together by. */
export const GROUPINGS = ['day', 'key', 'model', 'owner'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** How the requests of a row ended, as the charts have it. */
export interface Ends {
  readonly successes: number;
  readonly callers: number;
  readonly limited: number;
  readonly failures: number;
}

/** One line of the table. */
export interface Group {
  /** A day, a key's id, a model or an owner. */
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly counts: UsageCounts;
}

/** Rows put together: days with the newest first, all else by requests, the most first. */
export function groupUsage(rows: readonly UsageRow[], by: Grouping): Group[] {
  const groups = new Map<string, { row: UsageRow; counts: UsageCounts }>();
  for (const row of rows) {
    const id = idOf(row, by);
    groups.set(id, { row, counts: addCounts(groups.get(id)?.counts ?? NO_USAGE, row) });
  }
  const found = [...groups].map(([id, { row, counts }]) => ({
    id,
    name: by === 'key' ? row.name : '',
    owner: by === 'key' || by === 'owner' ? row.owner : '',
    counts,
  }));
  if (by === 'day') return found.sort((a, b) => (a.id < b.id ? 1 : -1));
  return found.sort((a, b) => b.counts.requests - a.counts.requests || (a.id < b.id ? -1 : 1));
}

export function sumOf(rows: readonly UsageCounts[]): UsageCounts {
  return rows.reduce(addCounts, NO_USAGE);
}

/** What is left of a whole when some was taken from it. */
export function restOf(whole: UsageCounts, taken: UsageCounts): UsageCounts {
  return Object.fromEntries(
    USAGE_COUNTS.map((count) => [count, Math.max(0, whole[count] - taken[count])]),
  ) as UsageCounts;
}

export function endsOf(counts: UsageCounts): Ends {
  return {
    successes: counts.successes,
    callers: counts.clientErrors + counts.unauthorized + counts.blocked + counts.contentBlocked,
    limited: counts.rateLimited,
    failures: counts.serverErrors + counts.timeouts + counts.shed,
  };
}

const HEADS: Readonly<Record<Grouping, readonly string[]>> = {
  day: ['date'],
  key: ['key', 'name', 'owner'],
  model: ['model'],
  owner: ['owner'],
};

/** What is seen, as the head and the rows of a file; with every count, and names as programs have them. */
export function tableOf(groups: readonly Group[], by: Grouping): { head: string[]; rows: (string | number)[][] } {
  const snake = (count: string) => count.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return {
    head: [...HEADS[by], ...USAGE_COUNTS.map(snake)],
    rows: groups.map(({ id, name, owner, counts }) => [
      ...(by === 'key' ? [id, name, owner] : [id]),
      ...USAGE_COUNTS.map((count) => counts[count]),
    ]),
  };
}

function idOf(row: UsageRow, by: Grouping): string {
  if (by === 'day') return row.date;
  return by === 'key' ? row.key : by === 'model' ? row.model : row.owner;
}
