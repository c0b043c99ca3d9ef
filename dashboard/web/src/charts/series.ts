import type { Moment } from '@lontar/shared/dashboard-contract.ts';
import type { Outcome } from '@lontar/shared/request-event.ts';

/** Length of one point, seconds. */
const POINT_SECONDS = 10;
/** Points of a minute, the rows of the table. */
const POINTS_PER_MINUTE = 6;

/** Outcomes as the chart stacks them, from the bottom; the readout and the table name each outcome by itself. */
export const STACKS = [
  { name: 'Success', tone: 'success', outcomes: ['success'] },
  {
    name: "Callers' errors",
    tone: 'caller',
    outcomes: ['client_error', 'unauthorized', 'blocked', 'content_blocked'],
  },
  { name: 'Rate limited', tone: 'limited', outcomes: ['rate_limited'] },
  { name: 'Our failures', tone: 'failure', outcomes: ['server_error', 'timeout', 'shed'] },
] as const satisfies readonly { name: string; tone: string; outcomes: readonly Outcome[] }[];

/** Requests per second of each stack, at one moment. */
export function stackRates(moment: Moment): number[] {
  return STACKS.map(
    ({ outcomes }) => outcomes.reduce((sum, outcome) => sum + (moment.outcomes[outcome] ?? 0), 0) / POINT_SECONDS,
  );
}

/** All requests per second at one moment. */
export function totalRate(moment: Moment): number {
  return stackRates(moment).reduce((sum, rate) => sum + rate, 0);
}

/** The least round number that is not below a value: 1, 2, 5 times a power of ten. The top of an axis. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999_999) ?? 10 * power;
}

/**
 * Stacked areas as SVG paths over a box of the given size, one for each stack; each point is a step as wide as its ten
 * seconds, because a slope between two counts would claim what nobody measured.
 */
export function stackPaths(moments: readonly Moment[], points: number, top: number, size: Size): string[] {
  const rates = moments.map(stackRates);
  const base = moments.map(() => 0);
  return STACKS.map((_, stack) => {
    const upper: string[] = [];
    const lower: string[] = [];
    for (const [index, rate] of rates.entries()) {
      const [left, right] = columnOf(index, moments.length, points, size);
      const from = base[index] ?? 0;
      const to = from + (rate[stack] ?? 0);
      upper.push(`${left},${heightOf(to, top, size)}`, `${right},${heightOf(to, top, size)}`);
      lower.push(`${right},${heightOf(from, top, size)}`, `${left},${heightOf(from, top, size)}`);
      base[index] = to;
    }
    return upper.length === 0 ? '' : `M${upper.join('L')}L${pairsReversed(lower).join('L')}Z`;
  });
}

/** A line through the points that have a value; a gap where one has none. */
export function linePath(values: readonly (number | undefined)[], points: number, top: number, size: Size): string {
  let path = '';
  let drawing = false;
  for (const [index, value] of values.entries()) {
    if (value === undefined) {
      drawing = false;
      continue;
    }
    const [left, right] = columnOf(index, values.length, points, size);
    const y = heightOf(value, top, size);
    path += `${drawing ? 'L' : 'M'}${left},${y}L${right},${y}`;
    drawing = true;
  }
  return path;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Which point a place in the box belongs to. */
export function pointAt(share: number, held: number, points: number): number {
  const index = Math.floor(share * points) - (points - held);
  return Math.min(Math.max(index, 0), held - 1);
}

/** One minute of the table. */
export interface Minute {
  readonly at: number;
  readonly requests: number;
  readonly stacks: readonly number[];
  readonly p95Ms?: number;
  readonly waiting?: number;
  readonly oldestWaitingMs?: number;
}

/** The charts as a table, newest minute first. Of waiting and response times it shows the minute's worst point. */
export function minutes(moments: readonly Moment[]): Minute[] {
  const rows: Minute[] = [];
  for (const group of groupByMinute(moments)) {
    const stacks = STACKS.map((_, stack) =>
      Math.round(group.reduce((sum, moment) => sum + (stackRates(moment)[stack] ?? 0) * POINT_SECONDS, 0)),
    );
    rows.push({
      at: Math.floor((group[0]?.at ?? 0) / 60_000) * 60_000,
      requests: stacks.reduce((sum, amount) => sum + amount, 0),
      stacks,
      ...greatest('p95Ms', group),
      ...greatest('waiting', group),
      ...greatest('oldestWaitingMs', group),
    });
  }
  return rows.toReversed();
}

function groupByMinute(moments: readonly Moment[]): Moment[][] {
  const groups = new Map<number, Moment[]>();
  for (const moment of moments) {
    const minute = Math.floor(moment.at / (POINT_SECONDS * 1_000 * POINTS_PER_MINUTE));
    const group = groups.get(minute) ?? [];
    group.push(moment);
    groups.set(minute, group);
  }
  return [...groups.values()];
}

function greatest(
  field: 'p95Ms' | 'waiting' | 'oldestWaitingMs',
  group: readonly Moment[],
): Partial<Record<typeof field, number>> {
  const values = group.flatMap((moment) => moment[field] ?? []);
  return values.length === 0 ? {} : { [field]: Math.max(...values) };
}

/** Left and right edge of a point; the newest one is at the right end, whatever is held. */
function columnOf(index: number, held: number, points: number, { width }: Size): [number, number] {
  const place = points - held + index;
  return [round((place / points) * width), round(((place + 1) / points) * width)];
}

function heightOf(value: number, top: number, { height }: Size): number {
  return round(height - (Math.min(value, top) / top) * height);
}

function pairsReversed(points: readonly string[]): string[] {
  const pairs: string[] = [];
  for (let index = points.length - 2; index >= 0; index -= 2) pairs.push(points[index] ?? '', points[index + 1] ?? '');
  return pairs;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
