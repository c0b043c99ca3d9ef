import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import {
  type End,
  endSchema,
  type FileLine,
  type Header,
  headerSchema,
  type KeyLine,
  lineSchema,
} from './backup-format.ts';

/** A backup that must not be restored, with what is wrong with it. */
export class DamagedBackup extends Error {
  constructor(path: string, reason: string) {
    super(`${path} is not a whole backup of Lontar: ${reason}. Nothing was changed.`);
    this.name = 'DamagedBackup';
  }
}

export interface VerifiedBackup {
  readonly header: Header;
  readonly end: End;
  /** All keys and pieces of files, in order; may be asked for again. */
  lines(): AsyncGenerator<KeyLine | FileLine>;
}

/**
 * Reads a whole backup and checks it, so that its restoring can trust it.
 *
 * @throws DamagedBackup; the system's error when the file cannot be opened or read
 */
export async function verifyBackup(path: string): Promise<VerifiedBackup> {
  const damaged = (reason: string) => new DamagedBackup(path, reason);
  const found = await stat(path);
  if (found.isDirectory()) throw damaged('it is a folder');
  // Contents are read a second time, when a pipe would be empty and the service's own data gone.
  if (!found.isFile()) throw damaged('it is not an ordinary file');
  const hash = createHash('sha256');
  const counted = { keys: 0, files: 0 };
  let header: Header | undefined;
  let end: End | undefined;
  try {
    for await (const text of textLines(path)) {
      if (end) throw damaged('something follows its end');
      const value: unknown = JSON.parse(text);
      if (header === undefined) header = readHeader(value, damaged);
      else if (endSchema.safeParse(value).success) end = endSchema.parse(value);
      else count(lineSchema.parse(value), counted);
      if (!end) hash.update(`${text}\n`);
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (error instanceof DamagedBackup || syscall !== undefined) throw error;
    throw damaged(code?.startsWith('Z_') ? 'it is cut off or not compressed by us' : 'a line cannot be read');
  }
  if (header === undefined || end === undefined) throw damaged('its end is missing');
  if (end.sha256 !== hash.digest('hex')) throw damaged('its checksum is wrong');
  if (end.keys !== counted.keys || end.files !== counted.files) throw damaged('its counts are wrong');
  return { header, end, lines: () => contentLines(path) };
}

function readHeader(value: unknown, damaged: (reason: string) => DamagedBackup): Header {
  const parsed = headerSchema.safeParse(value);
  if (!parsed.success) throw damaged('its header is not one that this version knows');
  return parsed.data;
}

function count(line: KeyLine | FileLine, counted: { keys: number; files: number }): void {
  if ('key' in line) counted.keys++;
  else if (!line.more) counted.files++;
}

async function* contentLines(path: string): AsyncGenerator<KeyLine | FileLine> {
  let isFirst = true;
  for await (const text of textLines(path)) {
    const parsed = lineSchema.safeParse(JSON.parse(text));
    if (!isFirst && parsed.success) yield parsed.data;
    isFirst = false;
  }
}

async function* textLines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.on('error', (error) => unpacked.destroy(error));
  const reader = createInterface({ input: file.pipe(unpacked), crlfDelay: Number.POSITIVE_INFINITY });
  let failure: Error | undefined;
  // A reader ends quietly when its input fails.
  unpacked.on('error', (error) => {
    failure = error;
    reader.close();
  });
  yield* reader;
  if (failure) throw failure;
}
