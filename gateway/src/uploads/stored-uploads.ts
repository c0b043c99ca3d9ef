import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';

const countScript = loadScript(new URL('./count-upload.lua', import.meta.url));
const SCAN_COUNT = 1_000;
/** Keys with uploads that one round looks at, about. */
const KEYS_AT_ONCE = 100;
const MOST_OF_A_KEY = 100;
const MOST_AT_ONCE = 1_000;
const KEY_FIELD = 'key:';

/**
 * Bytes that all uploads take, those on their way included.
 *
 * @throws when Redis fails
 */
export async function storedBytes(redis: Redis): Promise<number> {
  return Number((await redis.hget(redisKeys.uploadStorage, 'bytes')) ?? 0);
}

/**
 * Whether the uploads that were there before have been counted.
 *
 * @throws when Redis fails
 */
export async function isCounted(redis: Redis): Promise<boolean> {
  return (await redis.hexists(redisKeys.uploadStorage, 'counted')) === 1;
}

/**
 * Counts every upload that is not counted yet: kept by an earlier version, or restored. Any number of gateways may do so
 * at once, and uploads may come and go meanwhile.
 *
 * @returns how many were counted now
 * @throws when Redis fails; safe to repeat, because an upload is counted once
 */
export async function countUploads(redis: Redis): Promise<number> {
  let counted = 0;
  let cursor = '0';
  do {
    const [next, names] = await redis.scan(cursor, 'MATCH', redisKeys.upload('*'), 'COUNT', SCAN_COUNT);
    const args = (name: string) => [name.slice(redisKeys.upload('').length), redisKeys.keyUploads('')];
    const replies = await Promise.allSettled(
      names.map((name) => countScript(redis, [name, redisKeys.uploadStorage], args(name))),
    );
    for (const reply of replies) {
      if (reply.status === 'fulfilled') counted += Number(reply.value);
      // One whose metadata are broken keeps no other one from being counted.
      else if ((reply.reason as Error).name !== 'ReplyError') throw reply.reason;
    }
    cursor = next;
  } while (cursor !== '0');
  await redis.hset(redisKeys.uploadStorage, 'counted', '1');
  return counted;
}

/** Looks through the keys with uploads, some in each round, for uploads that may not be kept any longer. */
export interface ExpiryWatch {
  /** Ids of such uploads, a bounded number; the next call goes on with other keys. */
  next(now: number): Promise<string[]>;
}

/**
 * @param ttlMs how long an upload is kept; 0 for ever
 * @throws nothing itself; `next` rejects when Redis fails
 */
export function watchExpiry(redis: Redis, ttlMs: number): ExpiryWatch {
  let cursor = '0';
  return {
    async next(now) {
      const [next, fields] = await redis.hscan(redisKeys.uploadStorage, cursor, 'COUNT', KEYS_AT_ONCE);
      cursor = next;
      const expired: string[] = [];
      for (const field of fields.filter((name, i) => i % 2 === 0 && name.startsWith(KEY_FIELD))) {
        if (expired.length >= MOST_AT_ONCE) break;
        expired.push(...(await expiredOf(redis, field.slice(KEY_FIELD.length), now, ttlMs)));
      }
      return expired;
    },
  };
}

async function expiredOf(redis: Redis, keyId: string, now: number, ttlMs: number): Promise<string[]> {
  const [state, expiresAt] = await redis.hmget(redisKeys.apiKey(keyId), 'state', 'expiresAt');
  const isEnded =
    state === 'revoked' ||
    (typeof expiresAt === 'string' && now >= Number(expiresAt)) ||
    // A key without a record is a service that is being restored, perhaps: nothing of it is removed for that alone.
    (state === null && (await redis.exists(redisKeys.keyDeleted(keyId))) === 1);
  if (!isEnded && ttlMs === 0) return [];
  const until = isEnded ? '+inf' : now - ttlMs;
  return redis.zrangebyscore(redisKeys.keyUploads(keyId), '-inf', until, 'LIMIT', 0, MOST_OF_A_KEY);
}
