import type { LogRow, Moment } from '@lontar/shared/dashboard-contract.ts';

/** Rows that the page holds; older ones are asked for. */
export const ROWS_HELD = 1_000;
/** Points of the charts: 60 minutes of ten seconds. */
export const MOMENTS_HELD = 360;

/**
 * Adds rows that have just come (oldest first) to those held (newest first). One that stands for several refused
 * requests takes the place of its first form.
 */
export function addRows(held: readonly LogRow[], come: readonly LogRow[]): LogRow[] {
  const replaced = new Set(come.flatMap(({ id, count }) => (count === undefined ? [] : [id])));
  const kept = replaced.size === 0 ? held : held.filter(({ id }) => !replaced.has(id));
  return [...come.toReversed(), ...kept].slice(0, ROWS_HELD);
}

/** Puts fresh points in place of those of the same time, and keeps the newest hour. */
export function mergeMoments(held: readonly Moment[], fresh: readonly Moment[]): Moment[] {
  const first = fresh[0]?.at ?? Number.POSITIVE_INFINITY;
  return [...held.filter(({ at }) => at < first), ...fresh].slice(-MOMENTS_HELD);
}
