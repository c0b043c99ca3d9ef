import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { fileLineSchema } from './backup-format.ts';

/** What the name of a content ends with that a restore has not written whole yet. */
export const RESTORED_SUFFIX = '.restored';

const ASKED_AT_ONCE = 500;

/** Names of the contents in a folder of uploads, half-restored ones among them; whatever else is there is not ours. */
export async function listContents(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => fileLineSchema.shape.file.safeParse(idOf(name)).success);
}

/**
 * Removes contents that no upload knows: no caller can fetch them or learn that they are there. A gateway that goes on
 * meanwhile writes metadata first, so what it is about to keep is known.
 *
 * @throws when Redis fails, or the system's error when a content cannot be removed; safe to repeat
 */
export async function removeUnknownContents(redis: Redis, folder: string): Promise<void> {
  const names = await listContents(folder);
  for (let start = 0; start < names.length; start += ASKED_AT_ONCE) {
    const some = names.slice(start, start + ASKED_AT_ONCE);
    const areKnown = await Promise.all(some.map((name) => redis.exists(redisKeys.upload(name))));
    for (const [index, name] of some.entries()) if (areKnown[index] === 0) await rm(join(folder, name));
  }
}

function idOf(name: string): string {
  return name.endsWith(RESTORED_SUFFIX) ? name.slice(0, -RESTORED_SUFFIX.length) : name;
}
