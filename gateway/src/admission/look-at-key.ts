import { type ApiKeyRecord, apiKeyRecordSchema } from '@lontar/shared/api-key-record.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import type { Admission } from './admit.ts';

const lookScript = loadScript(new URL('./look-at-key.lua', import.meta.url));
const SECONDS_PER_DAY = 86_400;
/** As key-limits.lua notes a day with its count, in one number. */
const DAY_FACTOR = 10_000_000_000;

/** A key's record, how far its limits are used, and what its uploads take, bytes. */
export interface KeyLook extends Pick<Admission, 'hour' | 'day' | 'credits' | 'flight'> {
  readonly record: ApiKeyRecord;
  readonly stored: number;
  /** Redis time, Unix ms. */
  readonly now: number;
}

/**
 * Looks at a key without counting anything.
 *
 * @returns `undefined` where there is no such key any more
 * @throws ZodError for a record that makes no sense; otherwise when Redis fails
 */
export async function lookAtKey(redis: Redis, keyId: string): Promise<KeyLook | undefined> {
  const { apiKey, keyHour, keyFlight, uploadStorage } = redisKeys;
  const names = [apiKey(keyId), keyHour(keyId), keyFlight(keyId), uploadStorage];
  const reply = await lookScript(redis, names, [`key:${keyId}`]);
  const [now, used, resetAt, inFlight, stored, list] = reply as [number, number, number, number, string, string[]];
  if (list.length === 0) return undefined;
  const fields = Object.fromEntries(
    Array.from({ length: list.length / 2 }, (_, index) => [list[2 * index], list[2 * index + 1]]),
  );
  const record = apiKeyRecordSchema.parse(fields);
  const { perHour, perDay, credits, concurrency, charged, dayCount } = record;
  const today = Math.floor(now / 1000 / SECONDS_PER_DAY);
  const [day, count] = [Math.floor(Number(dayCount ?? 0) / DAY_FACTOR), Number(dayCount ?? 0) % DAY_FACTOR];
  return {
    record,
    stored: Number(stored),
    now,
    flight: { used: inFlight, limit: concurrency },
    ...(perHour !== undefined && { hour: { used, limit: perHour, resetAt } }),
    ...(perDay !== undefined && {
      day: { used: day === today ? count : 0, limit: perDay, resetAt: (today + 1) * SECONDS_PER_DAY },
    }),
    ...(credits !== undefined && { credits: { used: charged, limit: credits } }),
  };
}
