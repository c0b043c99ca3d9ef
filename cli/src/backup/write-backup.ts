import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadBinaryScript } from '@lontar/shared/redis-script.ts';
import { type End, type FileLine, type Header, type KeyLine } from './backup-format.ts';
import { apiKeyIdOf, type DayCount, dayCountOf, findDurableKeys, uploadIdOf } from './durable-keys.ts';

const dumpDayCountScript = loadBinaryScript(new URL('./dump-day-count.lua', import.meta.url));
const PIECE_BYTES = 262_144;

export interface BackupInput {
  readonly header: Header;
  /** Folder with contents of uploads; absent where they are kept elsewhere. */
  readonly files?: string;
  /** Told about uploads whose content is missing. */
  readonly onMissing: (uploadId: string) => void;
}

/**
 * Writes a backup of a service that may go on meanwhile. Every key is whole in itself; keys among each other may be
 * some moments apart. The file appears under its name only when it is complete.
 *
 * @returns what it holds, and the SHA-256 of the file itself, in hex; the one inside it is of its lines
 */
export async function writeBackup(redis: Redis, path: string, input: BackupInput): Promise<Omit<End, 'end'>> {
  const partial = `${path}.partial`;
  const ofFile = createHash('sha256');
  const totals = { keys: 0, files: 0, sha256: '' };
  async function* checked() {
    const hash = createHash('sha256');
    for await (const line of lines(redis, input)) {
      if ('key' in line) totals.keys++;
      if ('file' in line && !line.more) totals.files++;
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      yield text;
    }
    totals.sha256 = hash.digest('hex');
    yield `${JSON.stringify({ end: true, ...totals })}\n`;
  }
  async function* hashed(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      ofFile.update(chunk);
      yield chunk;
    }
  }
  try {
    const file = createWriteStream(partial, { mode: 0o600, flush: true });
    await pipeline(Readable.from(checked()), createGzip(), hashed, file);
    await rename(partial, path);
    return { ...totals, sha256: ofFile.digest('hex') };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function* lines(redis: Redis, { header, files, onMissing }: BackupInput) {
  yield header;
  for (const key of await findDurableKeys(redis)) {
    const uploadId = uploadIdOf(key);
    // An upload that is not kept yet, or being removed, is nothing to come back to.
    if (uploadId !== undefined && (await redis.hget(key, 'state')) !== 'kept') continue;
    if (uploadId !== undefined && files !== undefined) {
      const found = yield* pieces(join(files, uploadId), uploadId);
      if (!found) onMissing(uploadId);
    }
    const line = await dumpKey(redis, key);
    if (line) yield line;
  }
}

async function dumpKey(redis: Redis, key: string): Promise<KeyLine | undefined> {
  const dayCount = dayCountOf(key);
  if (dayCount !== undefined) return dumpDayCount(redis, key, dayCount);
  const keyId = apiKeyIdOf(key);
  const replies = await redis
    .multi()
    .dumpBuffer(key)
    .pttl(key)
    .time()
    .zcard(redisKeys.keyFlight(keyId ?? ''))
    .exec();
  const [dump, ttl, time, inFlight] = (replies ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  }) as [Buffer | null, number, [string, string], number];
  // It expired a moment ago.
  if (dump === null || dump === undefined) return undefined;
  const now = Number(time[0]) * 1000 + Math.floor(Number(time[1]) / 1000);
  return keyLine(key, dump, ttl, now, keyId === undefined ? {} : { inFlight });
}

async function dumpDayCount(redis: Redis, key: string, { day, address }: DayCount): Promise<KeyLine | undefined> {
  const reply = await dumpDayCountScript(redis, [key, redisKeys.openUploads], [redisKeys.upload(''), day, address]);
  if (reply === null) return undefined;
  const [dump, ttl, now, inWork] = reply as [Buffer, number, number, number];
  return keyLine(key, dump, ttl, now, { inWork });
}

function keyLine(key: string, dump: Buffer, ttl: number, now: number, taken: Partial<KeyLine>): KeyLine {
  return { key, expiresAt: ttl < 0 ? 0 : now + ttl, dump: dump.toString('base64'), ...taken };
}

/** The content of an upload in pieces; gives whether there is one. */
async function* pieces(path: string, file: string): AsyncGenerator<FileLine, boolean> {
  try {
    let data: string | undefined;
    for await (const chunk of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      if (data !== undefined) yield { file, data, more: true };
      data = (chunk as Buffer).toString('base64');
    }
    yield { file, data: data ?? '', more: false };
    return true;
  } catch (error) {
    // A read that fails does not say of which file.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw Object.assign(error as Error, { path });
    return false;
  }
}
