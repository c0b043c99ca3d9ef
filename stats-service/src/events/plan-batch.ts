import { countEvent, keyIdOf, userOf, utcDay } from '@lontar/shared/event-counts.ts';
import { OTHER_ADDRESSES, type TallyField, type TallyPerson } from '@lontar/shared/event-tally.ts';
import { momentKey, momentStart } from '@lontar/shared/moments.ts';
import { isAnswer, isGenerationRoute, isThinned, type RequestEvent } from '@lontar/shared/request-event.ts';
import { DAY_DETAIL_TTL_MS, DAY_TTL_MS, MOMENT_TTL_MS, statsKeys } from '../stats-keys.ts';
import { logRow, logTexts, type RefusedRow, refusedRow } from './log-rows.ts';
import { createUsage } from './plan-usage.ts';

/** Their own traffic would drown the log: monitors, pages and chat front ends ask for these every few seconds. */
const UNLOGGED_ROUTES: ReadonlySet<string> = new Set([
  '/api/usage',
  '/api/health',
  '/api/stats',
  '/api/check-limit',
  '/api/key',
  '/v1/models',
]);

/** An answered request as it was sent, and how many like it. */
export interface Told {
  readonly event: RequestEvent;
  /** JSON of its `EventTexts`. */
  readonly texts?: string | undefined;
  readonly count: number;
}

/** What was sent as numbers alone. */
export interface Numbers {
  readonly counters: readonly (readonly [TallyField, amount: number])[];
  readonly people: readonly (readonly [TallyPerson, at: number])[];
}

/**
 * What a batch adds, in the form that `apply-events.lua` takes; keys are named by their place in `keys`. The rows of `log`
 * are handed over beside the rest, because their texts are long: as JSON inside JSON, each would be written and read twice.
 */
export interface BatchPlan {
  /** From KEYS[11] on. */
  readonly keys: readonly string[];
  readonly counts: readonly (readonly [key: number, expiry: string, fields: readonly string[]])[];
  /** Of each key and month the rows, as field and packed counts, one after the other. */
  readonly usage: readonly (readonly [key: number, rows: readonly string[]])[];
  readonly people: readonly (readonly [
    set: number,
    sketch: number,
    hash: number,
    field: string,
    expiry: string,
    members: readonly string[],
  ])[];
  readonly active: readonly (readonly [user: string, at: string])[];
  /** API keys and the minute of their last request, Unix minutes. */
  readonly used: readonly (readonly [keyId: string, minute: string])[];
  readonly log: readonly (readonly [row: string, texts: string])[];
  readonly refused: readonly RefusedRow[];
}

/** Place in KEYS of the plan's first own key. */
const FIRST_KEY = 11;
const MINUTE_MS = 60_000;

/**
 * Adds up a batch of events, so that Redis makes one increment per counter and not one per event.
 *
 * @param keepTexts whether masked prompts and answers go into the log (`LOG_CONTENT`)
 * @param numbers requests that were sent as numbers, to be added
 */
export function planBatch(
  told: readonly Told[],
  keepTexts: boolean,
  numbers: Numbers = { counters: [], people: [] },
): BatchPlan {
  const counts = new Counts();
  const usage = createUsage();
  const people = new People();
  const active = new Map<string, number>();
  const used = new Map<string, number>();
  const log: [string, string][] = [];
  const refused: RefusedRow[] = [];
  const saw = (day: string, user: string, address: string, at: number) => {
    noteLatest(active, user, at);
    people.saw(day, user, address);
  };
  for (const { event, texts, count } of told) {
    if (event.keyId !== undefined) noteLatest(used, event.keyId, minuteOf(event.at));
    if (isAnswer(event)) addCounts(counts, event, count);
    usage.addEvent(event, count);
    // Whose requests these were is sent beside them.
    if (isAnswer(event) && isGenerationRoute(event.route) && event.address !== OTHER_ADDRESSES) {
      saw(utcDay(event.at), userOf(event), event.address, event.at);
    }
    if (UNLOGGED_ROUTES.has(event.route)) continue;
    if (isThinned(event)) refused.push(refusedRow(event, count));
    else log.push([logRow(event), keepTexts ? logTexts(event, texts) : '']);
  }
  for (const [{ day, user, address }, at] of numbers.people) {
    saw(day, user, address, at);
    const keyId = keyIdOf(user);
    if (keyId !== undefined) noteLatest(used, keyId, minuteOf(at));
  }
  for (const [counter, amount] of numbers.counters) {
    addCounter(counts, counter, amount);
    usage.addCounter(counter, amount);
  }
  const keys = new KeyList();
  return {
    counts: counts.list().map(([key, expiry, fields]) => [keys.place(key), expiry, fields]),
    people: people
      .list()
      .map(({ kind, scope, members }) => [
        keys.place(statsKeys.people(kind, scope)),
        keys.place(statsKeys.peopleSketch(kind, scope)),
        keys.place(scope === 'all' ? statsKeys.totals : statsKeys.day(scope)),
        `unique_${kind}`,
        scope === 'all' ? '0' : String(DAY_DETAIL_TTL_MS),
        members,
      ]),
    usage: usage.list().map(([key, rows]) => [keys.place(key), rows]),
    active: [...active].map(([user, at]) => [user, String(at)]),
    used: [...used].map(([keyId, minute]) => [keyId, String(minute)]),
    log,
    refused,
    keys: keys.list,
  };
}

function addCounts(counts: Counts, event: RequestEvent, times: number): void {
  const day = utcDay(event.at);
  const moment = String(momentStart(event.at));
  countEvent(event, (scope, field, amount) => {
    counts.add(scope, scope === 'moment' ? moment : day, field, amount * times);
  });
}

function addCounter(counts: Counts, counter: TallyField, amount: number): void {
  if (counter.kind === 'day' || counter.kind === 'response-times') {
    counts.add(counter.kind, counter.day, counter.field, amount);
  }
}

/** Where the counts of each scope are kept, by UTC day or by the beginning of a moment, and how long. */
const KEPT = {
  day: { keyOf: statsKeys.day, expiryMs: DAY_TTL_MS },
  'response-times': { keyOf: statsKeys.responseTimes, expiryMs: DAY_DETAIL_TTL_MS },
  moment: { keyOf: (startMs: string) => momentKey(Number(startMs)), expiryMs: MOMENT_TTL_MS },
} as const;

/** Sums by key and field. What counts for a day counts for all time, so that is added up only once. */
class Counts {
  readonly #scopes = {
    day: new Map<string, Map<string, number>>(),
    'response-times': new Map<string, Map<string, number>>(),
    moment: new Map<string, Map<string, number>>(),
  };

  add(scope: keyof typeof KEPT, of: string, field: string, amount: number): void {
    let fields = this.#scopes[scope].get(of);
    if (fields === undefined) {
      fields = new Map();
      this.#scopes[scope].set(of, fields);
    }
    increase(fields, field, amount);
  }

  list(): (readonly [key: string, expiry: string, fields: readonly string[]])[] {
    const totals = new Map<string, number>();
    for (const fields of this.#scopes.day.values())
      for (const [field, amount] of fields) increase(totals, field, amount);
    const kept = (['day', 'response-times', 'moment'] as const).flatMap((scope) => {
      const { keyOf, expiryMs } = KEPT[scope];
      return [...this.#scopes[scope]].map(([of, fields]) => [keyOf(of), String(expiryMs), textOf(fields)] as const);
    });
    return totals.size > 0 ? [[statsKeys.totals, '0', textOf(totals)], ...kept] : kept;
  }
}

function noteLatest(latest: Map<string, number>, name: string, at: number): void {
  latest.set(name, Math.max(latest.get(name) ?? 0, at));
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS);
}

function increase(fields: Map<string, number>, field: string, amount: number): void {
  fields.set(field, (fields.get(field) ?? 0) + amount);
}

function textOf(fields: ReadonlyMap<string, number>): string[] {
  return [...fields].flatMap(([field, amount]) => [field, String(amount)]);
}

/** Distinct users and addresses of each day and of all time. */
class People {
  readonly #members = new Map<string, { kind: 'users' | 'ips'; scope: string; members: Set<string> }>();

  saw(day: string, user: string, address: string): void {
    for (const scope of ['all', day]) {
      this.#add('users', scope, user);
      this.#add('ips', scope, address);
    }
  }

  list(): { kind: 'users' | 'ips'; scope: string; members: string[] }[] {
    return [...this.#members.values()].map(({ kind, scope, members }) => ({ kind, scope, members: [...members] }));
  }

  #add(kind: 'users' | 'ips', scope: string, member: string): void {
    const name = `${kind} ${scope}`;
    const entry = this.#members.get(name) ?? { kind, scope, members: new Set<string>() };
    entry.members.add(member);
    this.#members.set(name, entry);
  }
}

class KeyList {
  readonly #places = new Map<string, number>();

  get list(): string[] {
    return [...this.#places.keys()];
  }

  place(key: string): number {
    const place = this.#places.get(key) ?? FIRST_KEY + this.#places.size;
    this.#places.set(key, place);
    return place;
  }
}
