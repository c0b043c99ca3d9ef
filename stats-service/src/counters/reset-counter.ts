import { auditHead } from '@lontar/shared/admin/audit.ts';
import type { Actor } from '@lontar/shared/keys/actor.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { statsKeys } from '../stats-keys.ts';

const resetScript = loadScript(new URL('./reset-counter.lua', import.meta.url));

/**
 * Starts "Total requests" anew. Nothing is deleted: what it stood at is subtracted from now on.
 *
 * @throws when Redis fails; whether the counter was reset is then unknown
 */
export async function resetCounter(redis: Redis, actor: Actor): Promise<void> {
  const keys = [statsKeys.totals, statsKeys.reset, redisKeys.audit];
  await resetScript(redis, keys, [auditHead(actor, 'counter.reset', '')]);
}
