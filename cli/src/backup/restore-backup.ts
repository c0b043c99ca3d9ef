import { mkdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EARLIER_TERMS, PACKED_TERMS } from '@lontar/shared/api-key-record.ts';
import { indexAllKeys } from '@lontar/shared/keys/index-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { createFile } from '../files/new-file.ts';
import type { DumpLine, FileLine, Header, KeyLine, Line } from './backup-format.ts';
import { readDump } from './dumped-value.ts';
import {
  apiKeyIdOf,
  durableFamily,
  findDurableKeys,
  findKeys,
  isBan,
  isInWork,
  OPERATORS_BAN,
  uploadIdOf,
} from './durable-keys.ts';
import type { VerifiedBackup } from './read-backup.ts';
import { RESTORED_SUFFIX, removeUnknownContents } from './upload-contents.ts';
import { type Item, inPieces, writeItems } from './value-items.ts';

const REMOVED_AT_ONCE = 500;

/** A piece of a value, and what belongs to its key. */
type Piece = Omit<KeyLine, 'type' | 'items'> & { readonly items: readonly Item[] };

/**
 * Puts a verified backup in place of whatever the service has. What was in work ends with it: it was charged to keys
 * that are replaced, so it is given up, not settled.
 *
 * @param files folder with contents of uploads, of which those without metadata are removed; absent where they are
 *   kept elsewhere
 * @throws RefusedBackup before anything is changed, for example because Redis is older than the one that was backed up
 */
export async function restoreBackup(redis: Redis, backup: VerifiedBackup, files: string | undefined): Promise<void> {
  // Only Redis knows whether it can read dumps; to learn it after the present data was removed would be too late.
  for await (const line of backup.lines()) if ('dump' in line) await readDump(redis, backup.header, line);
  await removeKeys(redis, await findDurableKeys(redis));
  // After the API keys, without which nothing new is admitted.
  await removeKeys(redis, await findKeys(redis, isInWork));
  const [seconds] = await redis.time();
  const now = Number(seconds) * 1000;
  const lines = backup.lines();
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value;
    if ('file' in line) await restoreFile(line, lines, files);
    else for await (const piece of piecesOf(redis, backup.header, line)) await restorePiece(redis, piece, now);
  }
  await indexAllKeys(redis);
  // A gateway that goes on may have counted the uploads before all of them were there.
  await redis.hdel(redisKeys.uploadStorage, 'counted');
  if (files !== undefined) await removeUnknownContents(redis, files);
}

async function removeKeys(redis: Redis, names: readonly string[]): Promise<void> {
  for (let start = 0; start < names.length; start += REMOVED_AT_ONCE) {
    await redis.unlink(...names.slice(start, start + REMOVED_AT_ONCE));
  }
}

async function* piecesOf(redis: Redis, header: Header, line: KeyLine | DumpLine): AsyncGenerator<Piece> {
  if ('items' in line) {
    yield { ...line, items: line.items.map((item) => item.map((part) => Buffer.from(part, 'base64'))) };
    return;
  }
  for (const piece of inPieces(await readDump(redis, header, line))) yield { ...line, ...piece };
}

async function restorePiece(redis: Redis, piece: Piece, now: number): Promise<void> {
  const { key, expiresAt, items, more, inFlight = 0, inWork = 0 } = piece;
  const type = durableFamily(key)?.type;
  if (type === undefined || (expiresAt > 0 && expiresAt <= now) || isOver(key, items)) return;
  const commands = redis.multi();
  if (items.length > 0) writeItems(commands, key, type, items);
  if (!more) {
    if (apiKeyIdOf(key) !== undefined) {
      // The gateway that is there may pack limits in another way than the one that was.
      commands.hdel(key, PACKED_TERMS, EARLIER_TERMS);
      // Nothing will settle what was in flight then, see isInWork: it is given back.
      commands.hincrby(key, 'charged', -inFlight);
    }
    // The same for uploads.
    if (inWork > 0) commands.decrby(key, inWork);
    if (expiresAt > 0) commands.pexpireat(key, expiresAt);
  }
  for (const [error] of (await commands.exec()) ?? []) if (error) throw error;
}

/**
 * Whether a value is of something that has ended: an upload that was being removed when it was backed up, which no
 * gateway would finish to remove, or a ban that an address earned.
 */
function isOver(key: string, items: readonly Item[]): boolean {
  const isText = (part: Buffer | undefined, text: string) => part?.toString('latin1') === text;
  if (isBan(key)) return !isText(items[0]?.[0], OPERATORS_BAN);
  if (uploadIdOf(key) === undefined) return false;
  return !items.some(([field, value]) => isText(field, 'state') && isText(value, 'kept'));
}

/** Writes one file of its pieces, which follow each other. It appears under its name when it is whole. */
async function restoreFile(first: FileLine, lines: AsyncGenerator<Line>, folder: string | undefined): Promise<void> {
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
  // A restore that was killed may have left one.
  await unlink(partial).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const file = await createFile(partial);
  await pipeline(Readable.from(content()), file.createWriteStream({ flush: true }));
  await rename(partial, join(folder, first.file));
}
