import { expect } from '@jest/globals';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { readUsage as readRows, sumUsage, type UsageRow } from '@lontar/shared/usage/read-usage.ts';
import { USAGE_ERRORS } from '@lontar/shared/usage/usage-counts.ts';
import { readUsage } from '../src/endpoints/usage.ts';
import { statsKeys } from '../src/stats-keys.ts';

const OUTCOMES = {
  success: 'successes',
  client_error: 'clientErrors',
  unauthorized: 'unauthorized',
  rate_limited: 'rateLimited',
  blocked: 'blocked',
  content_blocked: 'contentBlocked',
  timeout: 'timeouts',
  shed: 'shed',
  server_error: 'serverErrors',
} as const;

/**
 * Holds every pair of numbers that must agree between the usage of keys and the counters of the service, of each of the
 * last 30 days.
 *
 * @param keys every key that has made a request
 * @returns the rows of these keys
 * @throws the assertion's error where two numbers differ; when Redis fails
 */
export async function expectUsageAgrees(redis: Redis, keys: readonly string[], nowMs: number): Promise<UsageRow[]> {
  const counters = await readUsage(redis, nowMs);
  const period = { from: counters.days[0]?.date ?? '', to: counters.days.at(-1)?.date ?? '' };
  const read = async (ids: readonly string[]) => {
    const found: UsageRow[] = [];
    for await (const rows of readRows(redis, ids, period)) found.push(...rows);
    return found;
  };
  const [each, all] = [await read([...keys, 'none', 'others']), await read(['all'])];
  for (const { date, ...day } of counters.days) {
    const of = (rows: readonly UsageRow[]) => sumUsage(rows.filter((row) => row.date === date));
    const [sum, whole] = [of(each), of(all)];
    expect({ date, ...sum }).toEqual({ date, ...whole });
    const { requests, successes, masked } = day;
    expect({ date, requests: whole.requests, successes: whole.successes, masked: whole.masked }).toEqual({
      date,
      requests,
      successes,
      masked,
    });
    const fields = await redis.hgetall(statsKeys.day(date));
    for (const [outcome, count] of Object.entries(OUTCOMES)) {
      expect([date, outcome, whole[count]]).toEqual([date, outcome, Number(fields[`outcome:${outcome}`] ?? 0)]);
    }
    expect(whole.requests).toBe(whole.successes + USAGE_ERRORS.reduce((errors, error) => errors + whole[error], 0));
  }
  return each;
}
