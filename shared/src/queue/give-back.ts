import type { Redis } from '../redis-connection.ts';
import { loadScript } from '../redis-script.ts';
import { queueKeys } from './queue-keys.ts';

const giveBackScript = loadScript(new URL('./give-back.lua', import.meta.url));

/**
 * Gives back jobs that a worker took and never started, so that neither a start nor a loss is counted. Safe to repeat.
 *
 * @param jobs each with the lock that it was taken with; the one that was to be next comes first
 * @throws when Redis cannot be reached or refuses the write; the jobs then come back when their locks end
 */
export async function giveBackJobs(
  redis: Redis,
  jobs: readonly { readonly requestId: string; readonly lock: string }[],
): Promise<void> {
  const { waiting, active, stalled, marker, meta } = queueKeys;
  const keys = jobs.map(({ requestId }) => queueKeys.job(requestId)).flatMap((job) => [job, `${job}:lock`]);
  const args = jobs.flatMap(({ requestId, lock }) => [lock, requestId]);
  await giveBackScript(redis, [waiting, active, stalled, marker, meta, ...keys], args);
}
