import type { Moment } from '@lontar/shared/dashboard-contract.ts';
import type { Outcome } from '@lontar/shared/request-event.ts';

/** Length of one point as the server counts, ms. */
const POINT_MS = 10_000;
/** Length of one point as it is drawn: calmer than ten seconds, and still wider than a pixel on a phone. */
const DRAWN_MS = 30_000;
const MINUTE_MS = 60_000;
/** Points drawn: 60 minutes. */
export const DRAWN_POINTS = 120;

/** Outcomes as the chart stacks them, from the bottom. */
export const STACKS = [
  { tone: 'success', outcomes: ['success'] },
  {
    tone: 'caller',
    outcomes: ['client_error', 'unauthorized', 'blocked', 'content_blocked'],
  },
  { tone: 'limited', outcomes: ['rate_limited'] },
  { tone: 'failure', outcomes: ['server_error', 'timeout', 'shed'] },
] as const satisfies readonly { tone: string; outcomes: readonly Outcome[] }[];

/** What the charts draw, the table lists and the cursor reads: some points of the server together. */
export interface Span {
  readonly at: number;
  /** How much of it has been measured, seconds. */
  readonly seconds: number;
  /** Requests of each stack. */
  readonly stacks: readonly number[];
  /** The worst of its points, as the two below. */
  readonly p95Ms?: number;
  readonly waiting?: number;
  readonly oldestWaitingMs?: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The server's points as they are drawn, oldest first. */
export function drawnSpans(moments: readonly Moment[]): Span[] {
  return gather(moments, DRAWN_MS).slice(-DRAWN_POINTS);
}

/** The charts as a table, newest minute first. */
export function minuteSpans(moments: readonly Moment[]): Span[] {
  return gather(moments, MINUTE_MS).toReversed();
}

/** Requests per second of each stack. */
export function stackRates({ stacks, seconds }: Span): number[] {
  return stacks.map((amount) => amount / seconds);
}

/** All requests of a span. */
export function totalOf({ stacks }: Span): number {
  return stacks.reduce((sum, amount) => sum + amount, 0);
}

/** The least round number that is not below a value: 1, 2, 5 times a power of ten. The top of an axis. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999_999) ?? 10 * power;
}

/**
 * Stacked areas as SVG paths, one for each stack; each span is a step as wide as its time, because a slope between two
 * counts would claim what was not measured.
 *
 * @param top the value at the upper edge of the box
 */
export function stackPaths(spans: readonly Span[], top: number, size: Size): string[] {
  const base = spans.map(() => 0);
  const rates = spans.map(stackRates);
  return STACKS.map((_, stack) => {
    const upper: string[] = [];
    const lower: string[] = [];
    for (const [index, rate] of rates.entries()) {
      const [left, right] = columnOf(index, spans.length, size);
      const from = base[index] ?? 0;
      const to = from + (rate[stack] ?? 0);
      upper.push(`${left},${heightOf(to, top, size)}`, `${right},${heightOf(to, top, size)}`);
      lower.unshift(`${right},${heightOf(from, top, size)}`, `${left},${heightOf(from, top, size)}`);
      base[index] = to;
    }
    return upper.length === 0 ? '' : `M${upper.join('L')}L${lower.join('L')}Z`;
  });
}

/** A line through the spans that have a value; a gap where one has none. */
export function linePath(values: readonly (number | undefined)[], top: number, size: Size): string {
  let path = '';
  let drawing = false;
  for (const [index, value] of values.entries()) {
    if (value !== undefined) {
      const [left, right] = columnOf(index, values.length, size);
      const y = heightOf(value, top, size);
      path += `${drawing ? 'L' : 'M'}${left},${y}L${right},${y}`;
    }
    drawing = value !== undefined;
  }
  return path;
}

/**
 * Which span a place in the box belongs to.
 *
 * @param share how far from the left edge, 0 to 1
 * @param held how many spans there are; the newest is at the right edge
 */
export function spanAt(share: number, held: number): number {
  const index = Math.floor(share * DRAWN_POINTS) - (DRAWN_POINTS - held);
  return Math.min(Math.max(index, 0), held - 1);
}

function gather(moments: readonly Moment[], spanMs: number): Span[] {
  const groups = new Map<number, Moment[]>();
  for (const moment of moments) {
    const at = Math.floor(moment.at / spanMs) * spanMs;
    const group = groups.get(at) ?? [];
    group.push(moment);
    groups.set(at, group);
  }
  return [...groups].map(([at, group]) => spanOf(at, group));
}

function spanOf(at: number, group: readonly Moment[]): Span {
  const requests = (outcomes: readonly Outcome[]) =>
    group.reduce((sum, moment) => outcomes.reduce((some, name) => some + (moment.outcomes[name] ?? 0), sum), 0);
  return {
    at,
    seconds: (group.length * POINT_MS) / 1_000,
    stacks: STACKS.map(({ outcomes }) => requests(outcomes)),
    ...greatest('p95Ms', group),
    ...greatest('waiting', group),
    ...greatest('oldestWaitingMs', group),
  };
}

function greatest(
  field: 'p95Ms' | 'waiting' | 'oldestWaitingMs',
  group: readonly Moment[],
): Partial<Record<typeof field, number>> {
  const values = group.flatMap((moment) => moment[field] ?? []);
  return values.length === 0 ? {} : { [field]: Math.max(...values) };
}

/** Left and right edge of a span; the newest one is at the right end, whatever is held. */
function columnOf(index: number, held: number, { width }: Size): [number, number] {
  const place = DRAWN_POINTS - held + index;
  return [round((place / DRAWN_POINTS) * width), round(((place + 1) / DRAWN_POINTS) * width)];
}

function heightOf(value: number, top: number, { height }: Size): number {
  return round(height - (Math.min(value, top) / top) * height);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
