import type { JobToAdmit } from '@lontar/shared/generation-job.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';

const holdLongJobScript = loadScript(new URL('./hold-long-job.lua', import.meta.url));

/** Jobs shorter than this are bounded by their number alone, and cost no look, bytes. */
export const LONG_JOB_BYTES = 65_536;

export interface LongJobBounds {
  /** Bytes that all long jobs may have that are not settled. */
  readonly maxQueueBytes: number;
  /** How long a reservation lasts at most, ms: no job is in the queue for longer. */
  readonly reservationMs: number;
}

/**
 * Asks whether a job may be enqueued by its length: conversations of megabytes would fill Redis long before there are too
 * many of them. Costs a round trip where the job is long. Safe to repeat.
 *
 * @throws when Redis fails; the job may then be noted, until it is found not to be there
 */
export async function hasRoomFor(
  redis: Redis,
  { maxQueueBytes, reservationMs }: LongJobBounds,
  requestId: string,
  { beginning }: JobToAdmit,
): Promise<boolean> {
  // In UTF-8 no text is longer than three times its units.
  if (beginning.length * 3 < LONG_JOB_BYTES) return true;
  const bytes = Buffer.byteLength(beginning);
  if (bytes < LONG_JOB_BYTES) return true;
  const args = [requestId, bytes, maxQueueBytes, reservationMs, queueKeys.job('')];
  return (await holdLongJobScript(redis, [redisKeys.longJobs], args)) === 1;
}
