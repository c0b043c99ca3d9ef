import { momentKey } from '@lontar/shared/moments.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';

/** Generation requests of the last days stay readable for this long after their day's last event, ms. */
export const DAY_TTL_MS = 35 * 86_400_000;
/** A day's distinct users and response times are needed for today alone; late events get two days more. */
export const DAY_DETAIL_TTL_MS = 3 * 86_400_000;
/** Charts show 60 minutes. */
export const MOMENT_TTL_MS = 2 * 3_600_000;
/** A user with a request this recently is active, ms. */
export const ACTIVE_MS = 5 * 60_000;
/** Rows of the log; about 400 bytes each. */
export const LOG_ROWS = 10_000;
/** Of these about refused requests: as many as all others at most, so that a flood of them pushes no other row out. */
export const LOG_REFUSED_ROWS = LOG_ROWS / 2;
/** Rows about refused requests that further ones still add to; beyond, addresses share a row. */
export const LOG_OPEN_ROWS = 200;
/** Newest rows whose masked prompt and answer are kept; at most about 24 kB each. */
export const LOG_TEXTS = 1_000;
/** Distinct users or addresses are counted exactly up to this many, then within 1 %. */
export const EXACT_PEOPLE = 50_000;

/** The keys that stats-service alone writes, all under one hash tag, with their type and bound. */
export const statsKeys = {
  /** Hash: counters since installation. */
  totals: redisKeys.stats('totals'),
  /** Hash: the same counters for one UTC day; expires. */
  day: (date: string) => redisKeys.stats(`day:${date}`),
  /** Hash: response times of a day's successes, by bucket; expires. */
  responseTimes: (date: string) => redisKeys.stats(`response-times:${date}`),
  /** Hash: outcomes, response times and queue depth of ten seconds; expires. */
  moment: momentKey,
  /** Set, at most `EXACT_PEOPLE` members. `scope` is `all` or a UTC day, whose sets expire. */
  people: (kind: 'users' | 'ips', scope: string) => redisKeys.stats(`${kind}:${scope}`),
  /** HyperLogLog of the same, 12 kB. */
  peopleSketch: (kind: 'users' | 'ips', scope: string) => redisKeys.stats(`${kind}-sketch:${scope}`),
  /** Sorted set: users by their last request, Unix ms; only the last five minutes. */
  active: redisKeys.stats('active-users'),
  /** Stream: rows of the log, newest last. Its entry ids are the live stream's event ids. */
  log: redisKeys.stats('log'),
  /** List: entry ids of the rows in `log` that are about refused requests, newest last. */
  logRefused: redisKeys.stats('log-refused'),
  /** Hash: those that further requests of their second still add to; its form is in apply-events.lua. */
  logOpen: redisKeys.stats('log-open'),
  /** Stream: masked texts under the entry ids of `log`. */
  logTexts: redisKeys.stats('log-texts'),
  /** Hash: when the operator last reset the counter, and what it stood at. */
  reset: redisKeys.stats('reset'),
  /** String: of which `DASHBOARD_TOKEN` the sessions are, as a salt and what scrypt makes of both. */
  sessionToken: redisKeys.stats('sessions-token'),
  /** String with expiry: wrong tokens of one address. */
  signInFailures: (address: string) => redisKeys.stats(`sign-in-failures:${address}`),
  /** String with expiry: sign-ins of one address, whatever came of them. */
  signInTries: (address: string) => redisKeys.stats(`sign-in-tries:${address}`),
  /** String with expiry: sign-ins of all addresses. */
  signInTriesOfAll: redisKeys.stats('sign-in-tries'),
} as const;
