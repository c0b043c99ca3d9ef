import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync } from 'node:fs';
import { draftOf, writeNewFile } from '../files/new-file.ts';
import type { Home, SecretName } from './home.ts';

const SECRET_BYTES = 32;

/**
 * A kept secret, or `undefined` where none was made yet.
 *
 * @throws the system's error when the file is there and cannot be read
 */
export function readSecret(home: Home, name: SecretName): string | undefined {
  try {
    return readFileSync(home.secret(name), 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * A kept secret; made of 256 random bits the first time. It appears under its name whole or not at all, and when two
 * make it at once both get the same.
 *
 * @throws the system's error when it can be neither read nor written
 */
export function readOrMakeSecret(home: Home, name: SecretName): string {
  const kept = readSecret(home, name);
  if (kept !== undefined) return kept;
  const path = home.secret(name);
  const draft = draftOf(path);
  writeNewFile(draft, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}
