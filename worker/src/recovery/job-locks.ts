import { QUEUE_KEYS, queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { JOB_LOCK_MS } from '@lontar/shared/time-budget.ts';

const renewScript = loadScript(new URL('./renew-locks.lua', import.meta.url));

/** A job in work, as it was when its worker took it. */
export interface LockedStart {
  readonly requestId: string;
  readonly lock: string;
  /** How often it had been started, this time included, and how often it had been lost, as Redis writes them. */
  readonly starts: string;
  readonly losses: string;
}

/**
 * Renews the locks of jobs in work, also of those whose lock has ended while nobody else wanted it. See renew-locks.lua for the
 * contract. Safe to repeat.
 *
 * @returns the request ids of the jobs that this worker has lost
 * @throws when Redis fails; some or all locks may have been renewed then
 */
export async function renewJobLocks(redis: Redis, jobs: readonly LockedStart[]): Promise<string[]> {
  const each = jobs.flatMap(({ requestId, lock, starts, losses }) => [requestId, lock, starts, losses]);
  return (await renewScript(redis, [queueKeys.stalled], [QUEUE_KEYS, JOB_LOCK_MS, ...each])) as string[];
}
