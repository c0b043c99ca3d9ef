import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { isGenerationRoute, type RequestEvent } from '@lontar/shared/request-event.ts';
import { responseBucket } from '../counters/response-times.ts';
import { DAY_DETAIL_TTL_MS, DAY_TTL_MS, MOMENT_TTL_MS, momentStart, statsKeys, utcDay } from '../stats-keys.ts';

/** Longest masked text that the log keeps, characters; gateways cut at 4,000, and this bounds whatever comes. */
const TEXT_CHARACTERS = 4_100;
/** Distinct endpoint and status fields come from closed sets; a strange status is counted under its hundred. */
const KNOWN_STATUS = /^[1-5]\d\d$/;
/** Their own traffic would drown the log: monitors and pages ask for these every few seconds. */
const UNLOGGED_ROUTES: ReadonlySet<string> = new Set(['/api/usage', '/api/health', '/api/stats', '/api/check-limit']);

/** What a batch adds, in the form that `apply-events.lua` takes; keys are named by their place in `keys`. */
export interface BatchPlan {
  /** From KEYS[5] on. */
  readonly keys: readonly string[];
  readonly counts: readonly (readonly [key: number, expiry: string, fields: readonly string[]])[];
  readonly people: readonly (readonly [
    set: number,
    sketch: number,
    hash: number,
    field: string,
    expiry: string,
    members: readonly string[],
  ])[];
  readonly active: readonly (readonly [user: string, at: string])[];
  readonly log: readonly (readonly [row: string, texts: string])[];
}

/** Place in KEYS of the plan's first own key. */
const FIRST_KEY = 5;

/**
 * Adds up a batch of events, so that Redis makes one increment per counter and not one per event.
 *
 * @param keepTexts whether masked prompts and answers go into the log (`LOG_CONTENT`)
 */
export function planBatch(events: readonly RequestEvent[], keepTexts: boolean): BatchPlan {
  const counts = new Tally();
  const people = new People();
  const active = new Map<string, number>();
  const log: [string, string][] = [];
  for (const event of events) {
    countEvent(counts, event);
    if (isGenerationRoute(event.route)) {
      const user = userOf(event);
      active.set(user, Math.max(active.get(user) ?? 0, event.at));
      people.saw(utcDay(event.at), user, event.address);
    }
    if (!UNLOGGED_ROUTES.has(event.route)) log.push([JSON.stringify(logRow(event)), keepTexts ? logTexts(event) : '']);
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
    active: [...active].map(([user, at]) => [user, String(at)]),
    log,
    keys: keys.list,
  };
}

/** A user is an API key, or the address where no valid key was given. */
export function userOf(event: RequestEvent): string {
  return event.keyId === undefined ? `address:${event.address}` : `key:${event.keyId}`;
}

function countEvent(counts: Tally, event: RequestEvent): void {
  const day = utcDay(event.at);
  const both = (field: string, amount = 1) => {
    counts.add(statsKeys.totals, 0, field, amount);
    counts.add(statsKeys.day(day), DAY_TTL_MS, field, amount);
  };
  both('all');
  if (!isGenerationRoute(event.route)) return;
  both('requests');
  both(`endpoint:${event.route}`);
  both(`status:${KNOWN_STATUS.test(String(event.status)) ? event.status : 'other'}`);
  both(`outcome:${event.outcome}`);
  if (event.status >= 500) both('server_errors');
  else if (event.status >= 400) both('client_errors');
  const moment = statsKeys.moment(momentStart(event.at));
  counts.add(moment, MOMENT_TTL_MS, `outcome:${event.outcome}`, 1);
  if (event.outcome === 'success') {
    both('successes');
    both('response_ms', whole(event.responseMs));
    const bucket = String(responseBucket(event.responseMs));
    counts.add(statsKeys.responseTimes(day), DAY_DETAIL_TTL_MS, bucket, 1);
    counts.add(moment, MOMENT_TTL_MS, `time:${bucket}`, 1);
  }
  countMasked(both, event);
}

function countMasked(both: (field: string, amount?: number) => void, event: RequestEvent): void {
  const masked = event.generation?.masked;
  if (masked === undefined || event.outcome !== 'success') return;
  let values = 0;
  for (const [type, given] of Object.entries(masked)) {
    const count = whole(given);
    values += count;
    if (count > 0) both(`masked:${type}`, count);
  }
  if (values > 0) both('masked');
}

/** Redis adds whole numbers only, and a number that it refuses would leave a batch half counted. */
function whole(given: number): number {
  return Math.min(Math.max(Math.round(given) || 0, 0), 2 ** 31);
}

function logRow(event: RequestEvent): Omit<LogRow, 'cursor'> {
  const { endpoint, model, masked, usage, attempts, queuedMs, modelMs, maskMs } = event.generation ?? {};
  const { id, at, route, method, status, outcome, error, responseMs, address, keyId } = event;
  const known = { id, at, route, method, status, outcome, error, ms: responseMs, address, keyId };
  const row = { ...known, endpoint, model, masked, tokens: usage, attempts, queuedMs, modelMs, maskMs };
  return JSON.parse(JSON.stringify(row)) as Omit<LogRow, 'cursor'>;
}

function logTexts({ generation }: RequestEvent): string {
  const prompt = generation?.promptPreview?.slice(0, TEXT_CHARACTERS).toWellFormed();
  const answer = generation?.answerPreview?.slice(0, TEXT_CHARACTERS).toWellFormed();
  return prompt === undefined && answer === undefined ? '' : JSON.stringify({ prompt, answer });
}

/** Sums by key and field. */
class Tally {
  readonly #keys = new Map<string, { expiryMs: number; fields: Map<string, number> }>();

  add(key: string, expiryMs: number, field: string, amount: number): void {
    const entry = this.#keys.get(key) ?? { expiryMs, fields: new Map<string, number>() };
    entry.fields.set(field, (entry.fields.get(field) ?? 0) + amount);
    this.#keys.set(key, entry);
  }

  list(): [key: string, expiry: string, fields: string[]][] {
    return [...this.#keys].map(([key, { expiryMs, fields }]) => [
      key,
      String(expiryMs),
      [...fields].flatMap(([field, amount]) => [field, String(amount)]),
    ]);
  }
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
  readonly list: string[] = [];

  place(key: string): number {
    const known = this.list.indexOf(key);
    return FIRST_KEY + (known >= 0 ? known : this.list.push(key) - 1);
  }
}
