import { REPORTED_MINUTES, type RouteCalls, timeBucket } from '@lontar/shared/models/call-report.ts';
import type { RouteConfig } from '@lontar/shared/models/catalog.ts';
import { OUTCOME_CLASSES, type OutcomeClass } from '@lontar/shared/models/upstream-state.ts';

const SLOT_MS = 60_000;
/** Routes that are told of at most; a file may have a hundred thousand. */
const MOST_ROUTES = 300;

export interface EndedCall {
  /** Public name. */
  readonly model: string;
  readonly route: Pick<RouteConfig, 'upstream' | 'model'>;
  readonly class: OutcomeClass;
  readonly durationMs: number;
  readonly firstTokenMs?: number | undefined;
}

/** What came of this worker's calls of the last minutes, by route. */
export interface CallsLately {
  note(call: EndedCall, now: number): void;
  /** The minute in which `now` is, and those before it. */
  tell(now: number): RouteCalls[];
}

type Times = Map<number, number>;

interface Slot {
  readonly minute: number;
  readonly outcomes: number[];
  readonly durations: Times;
  readonly firstTokens: Times;
}

interface Counted {
  readonly model: string;
  readonly upstream: string;
  readonly route: string;
  readonly slots: Slot[];
}

export function createCallsLately(): CallsLately {
  const routes = new Map<string, Counted>();
  const forget = (now: number) => {
    for (const [key, { slots }] of routes) {
      while (slots[0] !== undefined && !isLate(slots[0].minute, now)) slots.shift();
      if (slots.length === 0) routes.delete(key);
    }
  };
  return {
    note({ model, route, class: outcome, durationMs, firstTokenMs }, now) {
      const key = JSON.stringify([model, route.upstream, route.model]);
      if (!routes.has(key) && routes.size >= MOST_ROUTES) forget(now);
      if (!routes.has(key) && routes.size >= MOST_ROUTES) return;
      const counted = routes.get(key) ?? { model, upstream: route.upstream, route: route.model, slots: [] };
      routes.set(key, counted);
      const slot = slotOf(counted.slots, Math.floor(now / SLOT_MS));
      const index = OUTCOME_CLASSES.indexOf(outcome);
      slot.outcomes[index] = (slot.outcomes[index] ?? 0) + 1;
      if (outcome === 'answered') add(slot.durations, durationMs);
      if (firstTokenMs !== undefined) add(slot.firstTokens, firstTokenMs);
    },
    tell(now) {
      forget(now);
      return [...routes.values()].map(({ model, upstream, route, slots }) => ({
        model,
        upstream,
        route,
        outcomes: OUTCOME_CLASSES.map((_, index) => slots.reduce((sum, slot) => sum + (slot.outcomes[index] ?? 0), 0)),
        durations: sumOf(slots.map(({ durations }) => durations)),
        firstTokens: sumOf(slots.map(({ firstTokens }) => firstTokens)),
      }));
    },
  };
}

function isLate(minute: number, now: number): boolean {
  return minute > Math.floor(now / SLOT_MS) - REPORTED_MINUTES;
}

/** The newest slot, or a new one. Redis's clock may be set back: then the newest one goes on. */
function slotOf(slots: Slot[], minute: number): Slot {
  const newest = slots.at(-1);
  if (newest !== undefined && newest.minute >= minute) return newest;
  const slot: Slot = { minute, outcomes: OUTCOME_CLASSES.map(() => 0), durations: new Map(), firstTokens: new Map() };
  slots.push(slot);
  if (slots.length > REPORTED_MINUTES) slots.shift();
  return slot;
}

function add(times: Times, ms: number): void {
  const bucket = timeBucket(ms);
  times.set(bucket, (times.get(bucket) ?? 0) + 1);
}

function sumOf(all: readonly Times[]): [bucket: number, count: number][] {
  const sums: Times = new Map();
  for (const times of all) {
    for (const [bucket, count] of times) sums.set(bucket, (sums.get(bucket) ?? 0) + count);
  }
  return [...sums];
}
