import { GENERATION_ENDPOINTS } from '@lontar/shared/endpoints.ts';
import { utcDay } from '@lontar/shared/event-counts.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { Usage, UsageCounts } from '@lontar/shared/utility-answers.ts';
import { type CounterHash, count, countsByName, inOneTrip } from '../counters/read-counters.ts';
import { statsKeys } from '../stats-keys.ts';

/** Days that `/api/usage` lists, today included. */
const DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Reads `/api/usage` in one round trip.
 *
 * @throws when Redis fails
 */
export async function readUsage(redis: Redis, now: number): Promise<Usage> {
  const dates = Array.from({ length: DAYS }, (_, index) => utcDay(now - (DAYS - 1 - index) * DAY_MS));
  const hashes = (await inOneTrip(redis, [
    ['hgetall', statsKeys.totals],
    ...dates.map((date) => ['hgetall', statsKeys.day(date)]),
  ])) as CounterHash[];
  const [totals = {}, ...days] = hashes;
  return {
    timezone: 'UTC',
    today: usageCounts(days.at(-1) ?? {}),
    total: usageCounts(totals),
    days: dates.map((date, index) => Object.assign({ date }, usageCounts(days[index] ?? {}))),
    endpoints: {
      ...Object.fromEntries(GENERATION_ENDPOINTS.map((endpoint) => [endpoint, 0])),
      ...countsByName(totals, 'endpoint:'),
    },
    statuses: countsByName(totals, 'status:'),
  };
}

function usageCounts(hash: CounterHash): UsageCounts {
  return {
    requests: count(hash, 'requests'),
    successes: count(hash, 'successes'),
    client_errors: count(hash, 'client_errors'),
    server_errors: count(hash, 'server_errors'),
    masked: count(hash, 'masked'),
    unique_ips: count(hash, 'unique_ips'),
    unique_users: count(hash, 'unique_users'),
  };
}
