import { createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { FileLine, KeyLine } from './backup-format.ts';
import { apiKeyIdOf, findDurableKeys, findKeys, isInWork, uploadIdOf } from './durable-keys.ts';
import type { VerifiedBackup } from './read-backup.ts';
import { tryBackup } from './try-backup.ts';
import { RESTORED_SUFFIX, removeUnknownContents } from './upload-contents.ts';

const REMOVED_AT_ONCE = 500;

/**
 * Puts a verified backup in place of whatever the service has. What was in work ends with it: it was charged to keys
 * that are replaced, so it is given up, not settled.
 *
 * @param files folder with contents of uploads, of which those without metadata are removed; absent where they are
 *   kept elsewhere
 * @throws RefusedBackup before anything is changed, for example because Redis is older than the one that was backed up
 */
export async function restoreBackup(redis: Redis, backup: VerifiedBackup, files: string | undefined): Promise<void> {
  const ended = await tryBackup(redis, backup);
  await removeKeys(redis, await findDurableKeys(redis));
  // After the API keys, without which nothing new is admitted.
  await removeKeys(redis, await findKeys(redis, isInWork));
  const [seconds] = await redis.time();
  const now = Number(seconds) * 1000;
  const lines = backup.lines();
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value;
    if ('file' in line) await restoreFile(line, lines, ended.has(line.file) ? undefined : files);
    else if (!ended.has(uploadIdOf(line.key) ?? '')) await restoreKey(redis, line, now);
  }
  if (files !== undefined) await removeUnknownContents(redis, files);
}

async function removeKeys(redis: Redis, names: readonly string[]): Promise<void> {
  for (let start = 0; start < names.length; start += REMOVED_AT_ONCE) {
    await redis.unlink(...names.slice(start, start + REMOVED_AT_ONCE));
  }
}

async function restoreKey(redis: Redis, line: KeyLine, now: number): Promise<void> {
  const { key, expiresAt, dump, inFlight = 0, inWork = 0 } = line;
  if (expiresAt > 0 && expiresAt <= now) return;
  const commands = redis.multi().restore(key, expiresAt, Buffer.from(dump, 'base64'), 'REPLACE', 'ABSTTL');
  if (apiKeyIdOf(key) !== undefined) {
    // The gateway that is there may pack limits in another way than the one that was.
    commands.hdel(key, 'terms');
    // Nobody will settle what was in flight then, see isInWork: it is given back.
    commands.hincrby(key, 'charged', -inFlight);
  }
  // The same for uploads.
  if (inWork > 0) commands.decrby(key, inWork);
  // A count that has expired just now came back by that, without its expiry.
  if (inWork > 0 && expiresAt > 0) commands.pexpireat(key, expiresAt);
  for (const [error] of (await commands.exec()) ?? []) if (error) throw error;
}

/** Writes one file of its pieces, which follow each other. It appears under its name when it is whole. */
async function restoreFile(
  first: FileLine,
  lines: AsyncGenerator<KeyLine | FileLine>,
  folder: string | undefined,
): Promise<void> {
  async function* content() {
    let piece = first;
    yield Buffer.from(piece.data, 'base64');
    while (piece.more) {
      const { value } = await lines.next();
      piece = value as FileLine;
      yield Buffer.from(piece.data, 'base64');
    }
  }
  if (folder === undefined) {
    for await (const _piece of content());
    return;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const partial = join(folder, `${first.file}${RESTORED_SUFFIX}`);
  await pipeline(Readable.from(content()), createWriteStream(partial, { mode: 0o600, flush: true }));
  await rename(partial, join(folder, first.file));
}
