import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { readRedisVersion } from '../redis/redis-version.ts';
import type { DumpLine, Header } from './backup-format.ts';
import { durableFamily } from './durable-keys.ts';
import { type Item, isItemOf, readItems } from './value-items.ts';

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
 * The value of a dump, as backups of version 1 have them. Only Redis can read one, and does so under a name that nothing
 * looks at; what it finds must be what the key holds.
 *
 * @throws RefusedBackup
 */
export async function readDump(redis: Redis, header: Header, line: DumpLine): Promise<readonly Item[]> {
  const refused = async (reason: string) =>
    new RefusedBackup(line.key, reason, header.redis, await readRedisVersion(redis));
  const family = durableFamily(line.key);
  if (family === undefined) throw await refused('it is no key that a backup has');
  const { restoreTrial } = redisKeys;
  try {
    await redis.restore(restoreTrial, TRIAL_EXPIRY_MS, Buffer.from(line.dump, 'base64'), 'REPLACE');
    const type = await redis.type(restoreTrial);
    if (type !== family.type) throw await refused(`it is a ${type}, and must be a ${family.type}`);
    const items = await readItems(redis, restoreTrial, family.type);
    const isWhole = items.length <= family.most && items.every((item) => isItemOf(family, item));
    if (!isWhole) throw await refused('it has a form that it cannot have');
    return items;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
    throw await refused(error.message);
  } finally {
    await redis.unlink(restoreTrial).catch(() => undefined);
  }
}
