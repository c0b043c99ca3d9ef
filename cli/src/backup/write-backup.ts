import { createHash } from 'node:crypto';
import { constants, lstatSync, readdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { createFile, DRAFT_SUFFIX, draftOf, flushFolder } from '../files/new-file.ts';
import { type End, type FileLine, type Header, PIECE_BYTES } from './backup-format.ts';
import { openSigner } from './backup-signature.ts';
import { apiKeyIdOf, findDurableKeys, uploadIdOf } from './durable-keys.ts';
import { readKey } from './read-key.ts';

/** A draft that was not written to for this long is of a backup that was broken off, ms. */
const ABANDONED_MS = 3_600_000;

export interface BackupInput {
  readonly header: Header;
  /** What the file is signed under; absent where it is not known. */
  readonly pepper?: string;
  /** Folder with contents of uploads; absent where they are kept elsewhere. */
  readonly files?: string;
  /** Called with uploads whose content is missing. */
  readonly onMissing: (uploadId: string) => void;
}

/** Something stands under a backup's name that is no file of which a backup may take the place. */
export class OccupiedPlace extends Error {
  constructor(path: string) {
    super(`${path} is not a file. Name one to write, such as lontar.backup in a folder.`);
    this.name = 'OccupiedPlace';
  }
}

/** What a backup holds: Redis entries, of which some are API keys, and files. */
interface Written extends Omit<End, 'end'> {
  readonly apiKeys: number;
}

/**
 * Writes a backup of a service that may go on meanwhile. Every entry is whole in itself; entries among each other may
 * be some moments apart. The file appears under its name only when it is complete, for its owner's eyes alone.
 *
 * @returns what it holds, and the SHA-256 of the file itself, in hex; the one inside it is of its lines
 * @throws OccupiedPlace
 */
export async function writeBackup(redis: Redis, path: string, input: BackupInput): Promise<Written> {
  requireReplaceable(path);
  await removeAbandonedDrafts(path);
  const draft = draftOf(path);
  const ofFile = createHash('sha256');
  const totals = { keys: 0, files: 0, sha256: '' };
  let apiKeys = 0;
  async function* checked() {
    const hash = createHash('sha256');
    for await (const line of lines(redis, input)) {
      if ('key' in line && !line.more) totals.keys++;
      if ('key' in line && !line.more && apiKeyIdOf(line.key) !== undefined) apiKeys++;
      if ('file' in line && !line.more) totals.files++;
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      yield text;
    }
    totals.sha256 = hash.digest('hex');
    yield `${JSON.stringify({ end: true, ...totals })}\n`;
  }
  async function* signed(chunks: AsyncIterable<Buffer>) {
    const signer = input.pepper === undefined ? undefined : openSigner(input.pepper);
    for await (const chunk of chunks) {
      ofFile.update(chunk);
      signer?.update(chunk);
      yield chunk;
    }
    if (signer === undefined) return;
    const trailer = signer.trailer();
    ofFile.update(trailer);
    yield trailer;
  }
  const file = await createFile(draft);
  try {
    await pipeline(Readable.from(checked()), createGzip(), signed, file.createWriteStream({ flush: true }));
    requireReplaceable(path);
    await rename(draft, path);
    await flushFolder(dirname(path));
    return { ...totals, apiKeys, sha256: ofFile.digest('hex') };
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * A link is no file to replace: a backup would end elsewhere than its name says.
 *
 * @throws OccupiedPlace where something else than a file stands; the system's error when the place cannot be read
 */
export function requireReplaceable(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new OccupiedPlace(path);
}

/** What a backup of the same name left that was killed; one that is being written meanwhile stays. */
async function removeAbandonedDrafts(path: string): Promise<void> {
  const folder = dirname(path);
  const names = readdirSync(folder).filter(
    (name) => DRAFT_SUFFIX.test(name) && name.replace(DRAFT_SUFFIX, '') === basename(path),
  );
  for (const name of names) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (found?.isFile() && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(join(folder, name), { force: true });
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
    yield* await readKey(redis, key);
  }
}

/** The content of an upload in pieces; gives whether there is one. */
async function* pieces(path: string, file: string): AsyncGenerator<FileLine, boolean> {
  try {
    // Not what a link leads to: a backup would carry files of other folders away.
    const content = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    let data: string | undefined;
    for await (const chunk of content.createReadStream({ highWaterMark: PIECE_BYTES })) {
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
