import { UPLOAD_KINDS } from '@lontar/shared/gateway-metrics.ts';
import { countKeys } from '@lontar/shared/keys/list-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { MASK_TYPES } from '@lontar/shared/settlement/settlement.ts';
import type { ServiceStats } from '@lontar/shared/utility-answers.ts';
import { type CounterHash, count, countsByName, inOneTrip } from '../counters/read-counters.ts';
import { statsKeys } from '../stats-keys.ts';

/**
 * Reads `/api/stats`.
 *
 * @throws when Redis fails
 */
export async function readServiceStats(redis: Redis): Promise<ServiceStats> {
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
    keys_by_state: await countKeys(redis),
    masked_by_type: byName(MASK_TYPES, (type) => masked[type] ?? 0),
  };
}

function byName<Name extends string>(names: readonly Name[], value: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, number>;
}
