import type { Tiles } from '@lontar/shared/dashboard-contract.ts';
import { utcDay } from '@lontar/shared/event-counts.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { OUTCOMES } from '@lontar/shared/request-event.ts';
import { percentile } from '@lontar/shared/response-times.ts';
import { ACTIVE_MS, statsKeys } from '../stats-keys.ts';

/** A hash of counters as Redis gives it. */
export type CounterHash = Readonly<Record<string, string>>;

/** What the tiles are computed from. */
export interface CounterReading {
  readonly totals: CounterHash;
  readonly today: CounterHash;
  readonly responseTimes: CounterHash;
  readonly reset: CounterHash;
  readonly activeUsers: number;
  readonly blockedAddresses: number;
}

/**
 * Reads all tiles in one round trip.
 *
 * @param now Unix ms; which UTC day is today, and who is active
 * @throws when Redis fails
 */
export async function readTiles(redis: Redis, now: number): Promise<Tiles> {
  const day = utcDay(now);
  const [totals, today, responseTimes, reset, activeUsers, blockedAddresses] = await inOneTrip(redis, [
    ['hgetall', statsKeys.totals],
    ['hgetall', statsKeys.day(day)],
    ['hgetall', statsKeys.responseTimes(day)],
    ['hgetall', statsKeys.reset],
    ['zcount', statsKeys.active, `(${now - ACTIVE_MS}`, '+inf'],
    ['zcount', redisKeys.blockedAddresses, `(${now}`, '+inf'],
  ]);
  const reading = { totals, today, responseTimes, reset, activeUsers, blockedAddresses } as CounterReading;
  return tilesOf(reading, now);
}

/**
 * Sends commands together.
 *
 * @throws the first error, because half a reading is no reading
 */
export async function inOneTrip(redis: Redis, commands: string[][]): Promise<unknown[]> {
  const replies = (await redis.pipeline(commands).exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}

/** The tiles' numbers under their definitions. */
function tilesOf(reading: CounterReading, now: number): Tiles {
  const { totals, today, reset } = reading;
  const successes = count(today, 'successes');
  const p95 = percentile(bucketCounts(reading.responseTimes), 0.95);
  const outcomes = OUTCOMES.map((outcome) => [outcome, count(today, `outcome:${outcome}`)] as const);
  return {
    at: now,
    requestsSinceReset: count(totals, 'requests') - count(reset, 'requests'),
    ...(reset['at'] === undefined ? {} : { resetAt: count(reset, 'at') }),
    requestsAllTime: count(totals, 'all'),
    requestsToday: count(today, 'requests'),
    activeUsers: reading.activeUsers,
    uniqueUsersToday: count(today, 'unique_users'),
    uniqueUsersAllTime: count(totals, 'unique_users'),
    ...(successes === 0 ? {} : { responseMeanMs: Math.round(count(today, 'response_ms') / successes) }),
    ...(p95 === undefined ? {} : { responseP95Ms: p95 }),
    successesToday: successes,
    failuresToday: count(today, 'server_errors'),
    clientErrorsToday: count(today, 'client_errors'),
    errorsToday: count(today, 'server_errors'),
    maskedToday: count(today, 'masked'),
    outcomesToday: Object.fromEntries(outcomes.filter(([, amount]) => amount > 0)),
    blockedAddresses: reading.blockedAddresses,
  };
}

/** A counter; 0 where it was never counted. */
export function count(hash: CounterHash, field: string): number {
  return Number(hash[field] ?? 0);
}

/** Fields `<prefix><bucket>` of a hash as counts by bucket. */
export function bucketCounts(hash: CounterHash, prefix = ''): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [field, amount] of Object.entries(hash)) {
    if (field.startsWith(prefix)) counts.set(Number(field.slice(prefix.length)), Number(amount));
  }
  return counts;
}

/** Counters whose field is `<prefix><name>`, by name. */
export function countsByName(hash: CounterHash, prefix: string): Record<string, number> {
  return Object.fromEntries(
    Object.entries(hash)
      .filter(([field]) => field.startsWith(prefix))
      .map(([field, amount]): [string, number] => [field.slice(prefix.length), Number(amount)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
