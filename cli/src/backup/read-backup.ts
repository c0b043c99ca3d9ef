import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { BOUNDS, type End, endSchema, type Header, headerSchema, type Line, lineSchemas } from './backup-format.ts';
import { findSignature, type SignedPart } from './backup-signature.ts';
import { checkLines } from './check-lines.ts';
import { type LineBounds, TooLarge, unpackLines } from './text-lines.ts';

/** A backup that must not be restored, with what is wrong with it. */
export class DamagedBackup extends Error {
  constructor(path: string, reason: string) {
    super(`${path} is not a whole backup of Lontar: ${reason}. Nothing was changed.`);
    this.name = 'DamagedBackup';
  }
}

/** A backup's file, which stays open until it is closed, so that all that is read of it is of one file. */
export interface OpenBackup {
  readonly path: string;
  readonly file: FileHandle;
  readonly part: SignedPart;
  /** @throws DamagedBackup where the file is not as it was when it was opened */
  requireUnchanged(): Promise<void>;
}

export interface VerifiedBackup {
  readonly header: Header;
  readonly end: End;
  /** How many of its Redis entries are API keys. */
  readonly apiKeys: number;
  /** All Redis entries and pieces of files, in order; may be read again. */
  lines(): AsyncGenerator<Line>;
}

/**
 * @throws DamagedBackup for what is no file; the system's error when it cannot be opened
 */
export async function openBackup(path: string): Promise<OpenBackup> {
  // Without O_NONBLOCK a pipe without a writer would hold the command up.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    // What the system says of a socket.
    if (error.code === 'ENXIO') throw new DamagedBackup(path, 'it is not an ordinary file');
    throw error;
  });
  try {
    const found = await file.stat({ bigint: true });
    if (found.isDirectory()) throw new DamagedBackup(path, 'it is a folder');
    // It is read several times, when a pipe would be empty and the service's own data gone.
    if (!found.isFile()) throw new DamagedBackup(path, 'it is not an ordinary file');
    const bytes = Number(found.size);
    if (bytes > BOUNDS.file) throw new DamagedBackup(path, 'it is too large');
    const part = await findSignature(file, bytes);
    const requireUnchanged = async () => {
      const now = await file.stat({ bigint: true });
      const isSame = now.size === found.size && now.mtimeNs === found.mtimeNs && now.ctimeNs === found.ctimeNs;
      if (!isSame) throw new DamagedBackup(path, 'it was changed while it was read');
    };
    return { path, file, part, requireUnchanged };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Reads a whole backup and checks it, so that its restoring can trust its form. Whose it is, its signature says.
 *
 * @throws DamagedBackup; the system's error when the file cannot be read
 */
export async function verifyBackup(backup: OpenBackup): Promise<VerifiedBackup> {
  const damaged = (reason: string) => new DamagedBackup(backup.path, reason);
  const hash = createHash('sha256');
  const check = checkLines();
  let header: Header | undefined;
  let end: End | undefined;
  let lines = 0;
  try {
    const bounds = newBounds();
    for await (const text of textLines(backup, bounds)) {
      if (end) throw damaged('something follows its end');
      if ((lines += 1) > BOUNDS.lines) throw damaged('it has too many lines');
      const value: unknown = JSON.parse(text);
      if (header === undefined) {
        header = readHeader(value, damaged);
        bounds.line = BOUNDS.line[header.version];
      } else if (endSchema.safeParse(value).success) end = endSchema.parse(value);
      else {
        const problem = check.problemOf(lineSchemas[header.version].parse(value));
        if (problem !== undefined) throw damaged(problem);
      }
      if (!end) hash.update(`${text}\n`);
    }
  } catch (error) {
    throw asDamage(error, damaged);
  }
  if (header === undefined || end === undefined) throw damaged('its end is missing');
  if (end.sha256 !== hash.digest('hex')) throw damaged('its checksum is wrong');
  if (end.keys !== check.keys || end.files !== check.files) throw damaged('its counts are wrong');
  const problem = check.problemAtEnd();
  if (problem !== undefined) throw damaged(problem);
  const { version } = header;
  return { header, end, apiKeys: check.apiKeys, lines: () => contentLines(backup, version) };
}

/**
 * What went wrong in reading, in words; the system's own errors and those that are in words already stay as they are.
 */
function asDamage(error: unknown, damaged: (reason: string) => DamagedBackup): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof DamagedBackup || syscall !== undefined) return error;
  if (error instanceof TooLarge) return damaged(error.message);
  return damaged(code?.startsWith('Z_') ? 'it is cut off or not compressed by us' : 'a line cannot be read');
}

function readHeader(value: unknown, damaged: (reason: string) => DamagedBackup): Header {
  const parsed = headerSchema.safeParse(value);
  if (!parsed.success) throw damaged('its header is not one that this version knows');
  return parsed.data;
}

async function* contentLines(backup: OpenBackup, version: Header['version']): AsyncGenerator<Line> {
  await backup.requireUnchanged();
  const bounds = { ...newBounds(), line: BOUNDS.line[version] };
  let isFirst = true;
  for await (const text of textLines(backup, bounds)) {
    const parsed = lineSchemas[version].safeParse(JSON.parse(text));
    if (!isFirst && parsed.success) yield parsed.data;
    isFirst = false;
  }
}

function newBounds(): LineBounds {
  // Until the header has given the version.
  return { line: BOUNDS.line[2], unpacked: BOUNDS.unpacked };
}

async function* textLines({ file, part }: OpenBackup, bounds: LineBounds): AsyncGenerator<string> {
  if (part.bytes === 0) return;
  yield* unpackLines(file.createReadStream({ start: 0, end: part.bytes - 1, autoClose: false }), bounds);
}
