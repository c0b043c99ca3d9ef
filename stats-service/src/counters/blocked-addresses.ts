import type { BlockedAddress } from '@lontar/shared/dashboard-contract.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { inOneTrip } from './read-counters.ts';

/** Addresses that the list shows at most; the tile counts all of them. */
const LISTED = 500;

/**
 * Addresses that are blocked now, the longest first.
 *
 * @throws when Redis fails
 */
export async function readBlockedAddresses(redis: Redis, now: number): Promise<BlockedAddress[]> {
  const range = await redis.zrange(
    redisKeys.blockedAddresses,
    '+inf',
    `(${now}`,
    'BYSCORE',
    'REV',
    'LIMIT',
    0,
    LISTED,
    'WITHSCORES',
  );
  const pairs = range.flatMap((address, index) =>
    index % 2 === 0 ? [[address, Number(range[index + 1]?.replace('inf', 'Infinity'))] as const] : [],
  );
  if (pairs.length === 0) return [];
  const bans = await inOneTrip(
    redis,
    pairs.map(([address]) => ['get', redisKeys.addressBan(address)]),
  );
  return pairs.map(([address, until], index) => ({
    address,
    // A block without an end stands at infinity, which JSON does not know.
    until: Number.isFinite(until) ? until : null,
    reason: reasonOf(bans[index]),
  }));
}

function reasonOf(ban: unknown): BlockedAddress['reason'] {
  if (ban === 'operator') return 'blocked by the operator';
  return ban === 'brute-force' ? 'too many bad keys' : 'over the hourly limit';
}
