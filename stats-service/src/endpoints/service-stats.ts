import { apiKeyRecordSchema } from '@lontar/shared/api-key-record.ts';
import { UPLOAD_KINDS } from '@lontar/shared/gateway-metrics.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { MASK_TYPES } from '@lontar/shared/settlement/settlement.ts';
import type { ServiceStats } from '@lontar/shared/utility-answers.ts';
import { type CounterHash, count, countsByName, inOneTrip } from '../counters/read-counters.ts';
import { statsKeys } from '../stats-keys.ts';

/** Keys are read in pieces, so that thousands of them do not hold Redis. */
const KEYS_AT_ONCE = 500;

/**
 * Reads `/api/stats`.
 *
 * @throws when Redis fails
 */
export async function readServiceStats(redis: Redis, now: number): Promise<ServiceStats> {
  const [totals, uploads] = (await inOneTrip(redis, [
    ['hgetall', statsKeys.totals],
    ['hgetall', redisKeys.uploadTotals],
  ])) as [CounterHash, CounterHash];
  const masked = countsByName(totals, 'masked:');
  return {
    total_files: count(uploads, 'files'),
    total_storage_bytes: count(uploads, 'bytes'),
    uploads_by_kind: byName(UPLOAD_KINDS, (kind) => count(uploads, `kind:${kind}`)),
    total_requests: count(totals, 'requests'),
    total_users: count(totals, 'unique_users'),
    keys_by_state: await countKeys(redis, now),
    masked_by_type: byName(MASK_TYPES, (type) => masked[type] ?? 0),
  };
}

function byName<Name extends string>(names: readonly Name[], value: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, number>;
}

async function countKeys(redis: Redis, now: number): Promise<ServiceStats['keys_by_state']> {
  const states = { active: 0, expired: 0, revoked: 0 };
  const ids = await redis.zrange(redisKeys.apiKeyIndex, '0', '-1');
  for (let from = 0; from < ids.length; from += KEYS_AT_ONCE) {
    const commands = ids
      .slice(from, from + KEYS_AT_ONCE)
      .map((id) => ['hmget', redisKeys.apiKey(id), 'state', 'expiresAt']);
    for (const reply of (await inOneTrip(redis, commands)) as [string | null, string | null][]) {
      const state = keyState(reply, now);
      if (state !== undefined) states[state] += 1;
    }
  }
  return states;
}

function keyState([state, expiresAt]: readonly [string | null, string | null], now: number) {
  const parsed = apiKeyRecordSchema.shape.state.safeParse(state);
  if (!parsed.success) return undefined;
  return parsed.data === 'active' && expiresAt !== null && Number(expiresAt) <= now ? 'expired' : parsed.data;
}
