import type { Redis } from '@lontar/shared/redis-connection.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { statsKeys } from '../stats-keys.ts';

const resetScript = loadScript(new URL('./reset-counter.lua', import.meta.url));

/**
 * Starts "Total requests" anew. Nothing is deleted: what it stood at is subtracted from now on.
 *
 * @throws when Redis fails; whether the counter was reset is then unknown
 */
export async function resetCounter(redis: Redis, now: number): Promise<void> {
  await resetScript(redis, [statsKeys.totals, statsKeys.reset], [now]);
}
