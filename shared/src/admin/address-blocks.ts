import type { Actor } from '../keys/actor.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { auditHead } from './audit.ts';

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
 * @param most of them
 * @throws when Redis fails
 */
export async function listBlockedAddresses(redis: Redis, most = 1_000_000): Promise<BlockedAddress[]> {
  const [seconds] = await redis.time();
  const { blockedAddresses } = redisKeys;
  const range = ['+inf', `(${seconds}000`, 'BYSCORE', 'REV', 'LIMIT', 0, most, 'WITHSCORES'] as const;
  const pairs = await redis.zrange(blockedAddresses, ...range);
  const addresses = pairs.filter((_, index) => index % 2 === 0);
  const bans = await Promise.all(addresses.map((address) => redis.get(redisKeys.addressBan(address))));
  return addresses.map((address, index) => {
    const until = Number(pairs[2 * index + 1]?.replace('inf', 'Infinity'));
    return { address, reason: reasonOf(bans[index]), until: Number.isFinite(until) ? until : null };
  });
}

function reasonOf(ban: string | null | undefined): BlockedAddress['reason'] {
  return ban === 'operator' || ban === 'brute-force' ? ban : 'limit';
}

/**
 * Blocks an address from the next request on.
 *
 * @param address the form that limits are counted by
 * @param forMs 0 for a block that only the operator ends
 * @throws when Redis fails; whether the address is blocked is then unknown
 */
export async function blockAddress(redis: Redis, address: string, forMs: number, actor: Actor): Promise<void> {
  await blockScript(redis, keysOf(address), ['block', address, forMs, auditHead(actor, 'address.block', address)]);
}

/**
 * @returns false when the address had no block to lift
 * @throws when Redis fails; whether the block is lifted is then unknown
 */
export async function unblockAddress(redis: Redis, address: string, actor: Actor): Promise<boolean> {
  const args = ['unblock', address, 0, auditHead(actor, 'address.unblock', address)];
  return (await blockScript(redis, keysOf(address), args)) === 1;
}

function keysOf(address: string): string[] {
  const { addressBan, addressBadKeys, blockedAddresses, audit } = redisKeys;
  return [addressBan(address), addressBadKeys(address), blockedAddresses, audit];
}
