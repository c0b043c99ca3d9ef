import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { readRedisVersion } from '../redis/redis-version.ts';
import { uploadIdOf } from './durable-keys.ts';
import type { VerifiedBackup } from './read-backup.ts';

/** A process that dies on the way must not leave the copy for good. */
const TRIAL_EXPIRY_MS = 60_000;

/** A whole backup that this Redis does not take. */
export class RefusedBackup extends Error {
  constructor(key: string, reason: string, from: string, here: string) {
    super(
      `Redis refuses ${key} of the backup: ${reason}. The backup was written by Redis ${from}. This is Redis ${here}. ` +
        'Restore into that version or a newer one. Nothing was changed.',
    );
    this.name = 'RefusedBackup';
  }
}

/**
 * Has Redis read every value of a backup, under a name that nothing looks at. Only Redis knows whether it can, and to
 * learn it after the present data was removed would be too late.
 *
 * @returns ids of uploads that ended while they were backed up, between the look at their state and their dump; nobody
 *   would ever finish to remove them
 * @throws RefusedBackup
 */
export async function tryBackup(redis: Redis, backup: VerifiedBackup): Promise<ReadonlySet<string>> {
  const ended = new Set<string>();
  try {
    for await (const line of backup.lines()) {
      if (!('key' in line)) continue;
      const dump = Buffer.from(line.dump, 'base64');
      await redis.restore(redisKeys.restoreTrial, TRIAL_EXPIRY_MS, dump, 'REPLACE').catch(async (error: Error) => {
        if (error.name !== 'ReplyError') throw error;
        throw new RefusedBackup(line.key, error.message, backup.header.redis, await readRedisVersion(redis));
      });
      const uploadId = uploadIdOf(line.key);
      if (uploadId !== undefined && (await redis.hget(redisKeys.restoreTrial, 'state')) !== 'kept') ended.add(uploadId);
    }
    return ended;
  } finally {
    await redis.unlink(redisKeys.restoreTrial);
  }
}
