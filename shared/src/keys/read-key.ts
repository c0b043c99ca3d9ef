import { type ApiKeyRecord, apiKeyRecordSchema } from '../api-key-record.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { KeyNotFound, UnreadableKey } from './key-refusals.ts';

const READ_AT_ONCE = 500;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A key's record, when it was used last, and what its uploads take, bytes; those on their way are among them. */
export interface KeyInUse extends ApiKeyRecord {
  readonly stored: number;
  /** Begin of the minute of its last request, Unix ms; absent where there was none, or none is known. */
  readonly lastUsedAt?: number;
}

export interface KeyList {
  /** Oldest first. */
  readonly records: readonly KeyInUse[];
  readonly unreadable: readonly UnreadableKey[];
}

/**
 * @throws KeyNotFound
 * @throws UnreadableKey
 * @throws when Redis fails
 */
export async function showKey(redis: Redis, id: string): Promise<KeyInUse> {
  const record = await findKey(redis, id);
  if (record === undefined) throw new KeyNotFound(id);
  return record;
}

/**
 * @throws UnreadableKey
 * @throws when Redis fails
 */
export async function findKey(redis: Redis, id: string): Promise<KeyInUse | undefined> {
  const [fields, stored, minute] = await Promise.all([
    redis.hgetall(redisKeys.apiKey(id)),
    redis.hget(redisKeys.uploadStorage, `key:${id}`),
    redis.zscore(redisKeys.apiKeyUse, id),
  ]);
  if (Object.keys(fields).length === 0) return undefined;
  const parsed = apiKeyRecordSchema.safeParse(fields);
  if (!parsed.success) throw new UnreadableKey(id, parsed.error.issues);
  const lastUsedAt = Number(minute ?? 0) * MINUTE_MS;
  return { ...parsed.data, stored: Number(stored ?? 0), ...(lastUsedAt > 0 && { lastUsedAt }) };
}

/**
 * All keys, those that cannot be read apart.
 *
 * @throws when Redis fails
 */
export async function readAllKeys(redis: Redis): Promise<KeyList> {
  const ids = await redis.zrange(redisKeys.apiKeyIndex, '0', '-1');
  const records: KeyInUse[] = [];
  const unreadable: UnreadableKey[] = [];
  const readOrTell = (id: string) =>
    findKey(redis, id).catch((error: unknown) => {
      if (error instanceof UnreadableKey) return error;
      throw error;
    });
  for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
    for (const found of await Promise.all(ids.slice(start, start + READ_AT_ONCE).map(readOrTell))) {
      if (found instanceof UnreadableKey) unreadable.push(found);
      else if (found !== undefined) records.push(found);
    }
  }
  return { records, unreadable };
}

/**
 * How many failures that may have cost money were given back to a key in the last hour (`FREE_FAILURES_PER_HOUR`).
 *
 * @throws when Redis fails
 */
export async function countFreeFailures(redis: Redis, id: string): Promise<number> {
  const since = (await keysNow(redis)) - HOUR_MS;
  return (await redis.lrange(redisKeys.keyFreeFailures(id), 0, -1)).filter((at) => Number(at) > since).length;
}

/**
 * The clock that admission goes by, Unix ms.
 *
 * @throws when Redis fails
 */
export async function keysNow(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}
