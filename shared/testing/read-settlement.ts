import type { Redis } from '../src/redis-connection.ts';
import { redisKeys } from '../src/redis-keys.ts';
import { parseSettlement, type Settlement } from '../src/settlement/settlement.ts';

/**
 * The stored outcome of a request, or `undefined` while it is unsettled or no longer kept.
 *
 * @throws when Redis fails
 */
export async function readSettlement(redis: Redis, requestId: string): Promise<Settlement | undefined> {
  const stored = await redis.hget(redisKeys.request(requestId), 'result');
  return stored === null ? undefined : parseSettlement(stored);
}
