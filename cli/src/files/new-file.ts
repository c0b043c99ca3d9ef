import { randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** For its owner alone: what the operator's commands write holds secrets or callers' data. */
export const OWNER_ONLY = 0o600;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
/**
 * Neither a file that is there nor one that a link leads to: the user who put it there chose its mode and may read it.
 */
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const RANDOM_BYTES = 8;

/** What the name of a file ends with that is on its way to another name; it cannot be guessed and occupied. */
export const DRAFT_SUFFIX = /\.[0-9a-f]{16}\.partial$/;

/** The name of a file on its way to `path`, in the same folder. */
export function draftOf(path: string): string {
  return `${path}.${randomBytes(RANDOM_BYTES).toString('hex')}.partial`;
}

/**
 * Creates a file that was not there.
 *
 * @throws the system's EEXIST where anything stands under that name, a link that leads nowhere too
 */
export function createFile(path: string, mode = OWNER_ONLY): Promise<FileHandle> {
  return open(path, NEW_FILE, mode);
}

/** As `createFile`, with its content, flushed to the disk. */
export function writeNewFile(path: string, text: string, mode = OWNER_ONLY): void {
  const file = openSync(path, NEW_FILE, mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Puts a file in place of whatever has that name, whole or not at all. A link under the name is replaced, not followed,
 * and the mode of what was there is not kept.
 *
 * @throws the system's error when it cannot be written; what was there stays, and no draft is left
 */
export function replaceFile(path: string, text: string, mode = OWNER_ONLY): void {
  const draft = draftOf(path);
  try {
    writeNewFile(draft, text, mode);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Makes a name that was given, by a rename for example, survive a power failure. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
