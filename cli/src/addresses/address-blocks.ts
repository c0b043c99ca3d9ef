import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';

const blockScript = loadScript(new URL('./block-address.lua', import.meta.url));

export const BLOCK_REASONS = {
  operator: 'blocked by the operator',
  'brute-force': 'too many bad keys',
  limit: 'over the hourly limit',
} as const;

/** An address that admission refuses now. */
export interface BlockedAddress {
  readonly address: string;
  readonly reason: keyof typeof BLOCK_REASONS;
  /** Unix ms; `null` when only the operator ends it. */
  readonly until: number | null;
}

/**
 * Addresses that are blocked now, the longest first.
 *
 * @throws when Redis fails
 */
export async function listBlockedAddresses(redis: Redis): Promise<BlockedAddress[]> {
  const [seconds] = await redis.time();
  const pairs = await redis.zrange(redisKeys.blockedAddresses, `(${seconds}000`, '+inf', 'BYSCORE', 'WITHSCORES');
  const blocked: BlockedAddress[] = [];
  for (let index = 0; index < pairs.length; index += 2) {
    const address = pairs[index] ?? '';
    const until = Number(pairs[index + 1]?.replace('inf', 'Infinity'));
    const ban = await redis.get(redisKeys.addressBan(address));
    const reason = ban === 'operator' || ban === 'brute-force' ? ban : 'limit';
    blocked.push({ address, reason, until: Number.isFinite(until) ? until : null });
  }
  return blocked.toReversed();
}

/**
 * Blocks an address from the next request on.
 *
 * @param address the form that limits are counted by
 * @param forMs 0 for a block that only the operator ends
 * @throws when Redis fails; whether the address is blocked is then unknown
 */
export async function blockAddress(redis: Redis, address: string, forMs: number): Promise<void> {
  await blockScript(redis, keysOf(address), ['block', address, forMs]);
}

/**
 * @returns false when the address had no block to lift
 * @throws when Redis fails; whether the block is lifted is then unknown
 */
export async function unblockAddress(redis: Redis, address: string): Promise<boolean> {
  return (await blockScript(redis, keysOf(address), ['unblock', address, 0])) === 1;
}

function keysOf(address: string): string[] {
  return [redisKeys.addressBan(address), redisKeys.addressBadKeys(address), redisKeys.blockedAddresses];
}
