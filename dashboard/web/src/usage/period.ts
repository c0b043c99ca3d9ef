const DAY_MS = 86_400_000;
/** Days for which usage is kept. */
const KEPT_DAYS = 400;

/** Ranges that can be chosen, in days; today alone is 1. */
export const RANGES = ['1', '7', '30', '90'] as const;
export type Range = (typeof RANGES)[number];
const USUAL: Range = '30';

/** UTC days, both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
  /** Absent where the reader chose the days. */
  readonly range?: Range;
}

/**
 * The period that an address names: `range=7`, or `from` and `to`. What is no day is left out; days in the wrong order
 * are turned round; what is no longer kept is not asked for.
 */
export function readPeriod(query: URLSearchParams, nowMs: number): Period {
  const [from, to] = [readDay(query.get('from')), readDay(query.get('to'))];
  if (from === undefined && to === undefined) {
    const range = RANGES.find((known) => known === query.get('range')) ?? USUAL;
    return { ...lastDays(Number(range), nowMs), range };
  }
  const today = dayOf(nowMs);
  const days = [from ?? to ?? today, to ?? today].sort();
  const oldest = dayOf(nowMs - (KEPT_DAYS - 1) * DAY_MS);
  const bounded = days.map((day) => (day < oldest ? oldest : day > today ? today : day));
  return { from: bounded[0] ?? today, to: bounded[1] ?? today };
}

/** Every day of a period, the oldest first. */
export function daysOf({ from, to }: Period): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to) && days.length < KEPT_DAYS; at += DAY_MS) days.push(dayOf(at));
  return days;
}

/** The earliest and the latest day that can be chosen. */
export function choosableDays(nowMs: number): Period {
  return lastDays(KEPT_DAYS, nowMs);
}

function lastDays(count: number, nowMs: number): Period {
  return { from: dayOf(nowMs - (count - 1) * DAY_MS), to: dayOf(nowMs) };
}

function readDay(text: string | null): string | undefined {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) || dayOf(at) !== text ? undefined : text;
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
