import type { Moment } from '@lontar/shared/dashboard-contract.ts';
import { MOMENT_MS, momentKey, momentStart } from '@lontar/shared/moments.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { percentile } from '@lontar/shared/response-times.ts';
import { bucketCounts, type CounterHash, countsByName, inOneTrip } from './read-counters.ts';

/** Points of the charts: 60 minutes. */
export const MOMENTS = 360;

/**
 * The newest points of the charts, oldest first, in one round trip.
 *
 * @param points how many; the last one is still growing
 * @throws when Redis fails
 */
export async function readMoments(redis: Redis, now: number, points: number): Promise<Moment[]> {
  const last = momentStart(now);
  const starts = Array.from({ length: points }, (_, index) => last - (points - 1 - index) * MOMENT_MS);
  const commands = starts.map((at) => ['hgetall', momentKey(at)]);
  const hashes = (await inOneTrip(redis, commands)) as CounterHash[];
  return starts.map((at, index) => momentOf(at, hashes[index] ?? {}));
}

/** One point out of its counters. */
function momentOf(at: number, hash: CounterHash): Moment {
  const p95Ms = percentile(bucketCounts(hash, 'time:'), 0.95);
  return {
    at,
    outcomes: countsByName(hash, 'outcome:'),
    ...(p95Ms === undefined ? {} : { p95Ms }),
    ...(hash['waiting'] === undefined ? {} : { waiting: Number(hash['waiting']) }),
    ...(hash['oldest'] === undefined ? {} : { oldestWaitingMs: Number(hash['oldest']) }),
  };
}
