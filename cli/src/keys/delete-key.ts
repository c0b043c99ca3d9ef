import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { waitForAppendOnlyFile } from '../redis/append-only.ts';

const deleteScript = loadScript(new URL('./delete-key.lua', import.meta.url));

/** What came of deleting a key; all but `deleted` leave it as it is. */
export type DeleteResult =
  | { readonly outcome: 'deleted' | 'missing' | 'active' }
  /** Requests that are not settled, or uploads that a gateway has not removed yet. */
  | { readonly outcome: 'in work' | 'files'; readonly count: number };

/**
 * Deletes a revoked key with its record, its counts and its place in lists, so that it takes no more memory.
 *
 * @throws when Redis fails; whether the key was deleted is then unknown, and the next call says
 */
export async function deleteKey(redis: Redis, id: string): Promise<DeleteResult> {
  const keys = [
    redisKeys.apiKey(id),
    redisKeys.apiKeyIndex,
    redisKeys.keyHour(id),
    redisKeys.keyFlight(id),
    redisKeys.keysInFlight,
    redisKeys.keyFreeFailures(id),
    redisKeys.keyUploads(id),
  ];
  const [outcome, count = 0] = (await deleteScript(redis, keys, [id])) as [DeleteResult['outcome'], number?];
  await waitForAppendOnlyFile(redis);
  return outcome === 'in work' || outcome === 'files' ? { outcome, count } : { outcome };
}
