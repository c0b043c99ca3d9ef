import { ENDPOINTS } from '@lontar/shared/endpoints.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { z } from 'zod';
import { type CounterHash, count, countsByName, inOneTrip } from '../counters/read-counters.ts';
import { statsKeys, utcDay } from '../stats-keys.ts';

/** Days that `/api/usage` lists, today included. */
const DAYS = 30;
const DAY_MS = 86_400_000;

const tally = z.int().nonnegative();

/** Generation requests of one span of time. */
export const usageCountsSchema = z.object({
  requests: tally,
  successes: tally,
  client_errors: tally,
  server_errors: tally,
  masked: tally,
  unique_ips: tally,
  unique_users: tally,
});

/** `result` of `GET /api/usage`; everything in it counts generation requests. */
export const usageSchema = z.object({
  timezone: z.literal('UTC'),
  today: usageCountsSchema,
  total: usageCountsSchema,
  /** The last 30 UTC days, oldest first; the last is today. */
  days: z.array(usageCountsSchema.extend({ date: z.iso.date() })),
  endpoints: z.record(z.string(), tally),
  statuses: z.record(z.string(), tally),
});

export type Usage = z.infer<typeof usageSchema>;

/** Reads `/api/usage` in one round trip. */
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
      ...Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint, 0])),
      ...countsByName(totals, 'endpoint:'),
    },
    statuses: countsByName(totals, 'status:'),
  };
}

function usageCounts(hash: CounterHash): z.infer<typeof usageCountsSchema> {
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
