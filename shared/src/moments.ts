import type { Redis } from './redis-connection.ts';
import { redisKeys } from './redis-keys.ts';
import type { Outcome } from './request-event.ts';

/** How long a point of the charts is, ms. */
export const MOMENT_MS = 10_000;

/** Start of the charts' point that a moment belongs to, Unix ms. */
export function momentStart(atMs: number): number {
  return atMs - (atMs % MOMENT_MS);
}

/** Hash with expiry: outcomes, response times and queue depth of the point that begins then. */
export function momentKey(startMs: number): string {
  return redisKeys.stats(`moment:${startMs}`);
}

/** Outcomes that are failures on our side. */
const FAILURES = ['server_error', 'timeout', 'shed'] as const satisfies readonly Outcome[];

/** Points of the newest minute. */
const NEWEST_MINUTE = 60_000 / MOMENT_MS;

export interface RecentOutcomes {
  readonly successes: number;
  readonly failures: number;
  /** Requests succeeded in the newest minute, and none failed in it. */
  readonly hasRecovered?: boolean;
}

/**
 * How requests of the newest points of the charts ended; callers' own errors count as neither.
 *
 * @param points how many, the one that is growing included
 * @throws when Redis fails
 */
export async function readRecentOutcomes(redis: Redis, now: number, points: number): Promise<RecentOutcomes> {
  const last = momentStart(now);
  const fields = ['outcome:success', ...FAILURES.map((outcome) => `outcome:${outcome}`)];
  const counts = await Promise.all(
    Array.from({ length: points }, (_, index) => redis.hmget(momentKey(last - index * MOMENT_MS), ...fields)),
  );
  const newest = addUp(counts.slice(0, NEWEST_MINUTE));
  return { ...addUp(counts), hasRecovered: newest.successes > 0 && newest.failures === 0 };
}

/** Of points: successes, then failures of each kind. */
function addUp(points: readonly (readonly (string | null)[])[]): RecentOutcomes {
  let successes = 0;
  let failures = 0;
  for (const [success, ...failed] of points) {
    successes += Number(success ?? 0);
    for (const count of failed) failures += Number(count ?? 0);
  }
  return { successes, failures };
}
