const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const FORM = /^(\d{1,6})([smhdw])$/;
const DATE_FORM = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** What a length of time may look like, for messages. */
export const DURATION_EXAMPLES = '90s, 30m, 12h, 30d, 2w';

/** A moment: fixed, or counted from when it is used. */
export type Moment = { readonly atMs: number } | { readonly afterMs: number };

/**
 * Reads a length of time such as `30d`.
 *
 * @returns ms, or `undefined` where the text is none; a bare `0` is one
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count, unit] = FORM.exec(text) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/**
 * Reads a date (its first moment in UTC), a date and time (UTC unless it names another zone), or a length of time from
 * now.
 *
 * @returns `undefined` where the text is none of these, or no day of the calendar
 */
export function parseMoment(text: string): Moment | undefined {
  const afterMs = parseDuration(text);
  if (afterMs !== undefined) return { afterMs };
  const [, date, time = '00:00', zone = 'Z'] = DATE_FORM.exec(text) ?? [];
  if (date === undefined) return undefined;
  const atMs = Date.parse(`${date}T${time}${zone}`);
  // JavaScript takes the 31st of February for the 3rd of March.
  const isOnCalendar = new Date(`${date}T00:00Z`).toJSON()?.startsWith(date) ?? false;
  return Number.isNaN(atMs) || !isOnCalendar ? undefined : { atMs };
}

export function momentMs(moment: Moment, nowMs: number): number {
  return 'atMs' in moment ? moment.atMs : nowMs + moment.afterMs;
}
