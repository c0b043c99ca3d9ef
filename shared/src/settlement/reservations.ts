import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';

const AT_ONCE = 100;

/**
 * Finds the key that an unsettled request is charged to, where its job cannot be read. Looks at every key with
 * reservations.
 *
 * @returns the key's id; undefined where the request has no reservation
 * @throws when Redis fails
 */
export async function findReservation(redis: Redis, requestId: string): Promise<string | undefined> {
  const keyIds = await redis.zrange(redisKeys.keysInFlight, '0', '-1');
  for (let start = 0; start < keyIds.length; start += AT_ONCE) {
    const batch = keyIds.slice(start, start + AT_ONCE);
    const ends = await Promise.all(batch.map((keyId) => redis.zscore(redisKeys.keyFlight(keyId), requestId)));
    const found = batch.find((_, index) => ends[index] !== null);
    if (found !== undefined) return found;
  }
  return undefined;
}
