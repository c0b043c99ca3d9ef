import { isGenerationRoute, type RequestEvent } from './request-event.ts';
import { responseBucket } from './response-times.ts';

/**
 * Where a count belongs: to its UTC day and to all time, to its day's response times, or to its ten seconds of the
 * charts.
 */
type CountScope = 'day' | 'response-times' | 'moment';

type AddCount = (scope: CountScope, field: string, amount: number) => void;

/** Distinct endpoint and status fields come from closed sets; a strange status is counted under its hundred. */
const KNOWN_STATUS = /^[1-5]\d\d$/;

/**
 * Everything that one answered request adds to the counters. stats-service adds it up; a gateway does so itself when
 * more requests wait for stats-service than can be kept one by one.
 */
export function countEvent(event: RequestEvent, add: AddCount): void {
  const count = (field: string, amount = 1) => add('day', field, amount);
  count('all');
  if (!isGenerationRoute(event.route)) return;
  count('requests');
  count(`endpoint:${event.route}`);
  count(`status:${KNOWN_STATUS.test(String(event.status)) ? event.status : 'other'}`);
  count(`outcome:${event.outcome}`);
  if (event.status >= 500) count('server_errors');
  else if (event.status >= 400) count('client_errors');
  add('moment', `outcome:${event.outcome}`, 1);
  if (event.outcome === 'success') {
    count('successes');
    count('response_ms', whole(event.responseMs));
    const bucket = String(responseBucket(event.responseMs));
    add('response-times', bucket, 1);
    add('moment', `time:${bucket}`, 1);
  }
  countMasked(count, event);
}

/** A user is an API key, or the address where no valid key was given. */
export function userOf(event: Pick<RequestEvent, 'keyId' | 'address'>): string {
  return event.keyId === undefined ? `address:${event.address}` : `${KEY_USER}${event.keyId}`;
}

const KEY_USER = 'key:';

/** The API key that a user is; `undefined` for an address. */
export function keyIdOf(user: string): string | undefined {
  return user.startsWith(KEY_USER) ? user.slice(KEY_USER.length) : undefined;
}

const DAY_MS = 86_400_000;
/** The day that was asked for last: asked for each event, it is the same nearly always. */
let latest = { number: Number.NaN, day: '' };

/** UTC day of a moment, `2026-01-31`. */
export function utcDay(atMs: number): string {
  const number = Math.floor(atMs / DAY_MS);
  if (number !== latest.number) latest = { number, day: new Date(atMs).toISOString().slice(0, 10) };
  return latest.day;
}

function countMasked(count: (field: string, amount?: number) => void, event: RequestEvent): void {
  const masked = event.generation?.masked;
  if (masked === undefined || event.outcome !== 'success') return;
  let values = 0;
  for (const [type, given] of Object.entries(masked)) {
    const found = whole(given);
    values += found;
    if (found > 0) count(`masked:${type}`, found);
  }
  if (values > 0) count('masked');
}

/** Redis adds whole numbers only, and a number that it refuses would leave a batch half counted. */
function whole(given: number): number {
  return Math.min(Math.max(Math.round(given) || 0, 0), 2 ** 31);
}
