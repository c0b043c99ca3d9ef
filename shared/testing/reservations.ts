import type { Redis } from '../src/redis-connection.ts';
import { redisKeys } from '../src/redis-keys.ts';

/**
 * What admission leaves behind for an admitted request; charges nothing.
 *
 * @throws when Redis fails
 */
export async function reserve(redis: Redis, requestId: string, keyId: string, endsAt = 1): Promise<void> {
  await redis.zadd(redisKeys.keyFlight(keyId), endsAt, requestId);
  await redis.zadd(redisKeys.keysInFlight, 'NX', endsAt, keyId);
}

/**
 * How many reservations stand, of all keys.
 *
 * @throws when Redis fails
 */
export async function countReservations(redis: Redis): Promise<number> {
  const flights = await redis.keys(redisKeys.keyFlight('*'));
  const sizes = await Promise.all(flights.map((flight) => redis.zcard(flight)));
  return sizes.reduce((sum, size) => sum + size, 0);
}
