import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { machineNow } from '@lontar/shared/machine-time.ts';
import { requireSpace } from './no-space.ts';

/** A half-written file that was not touched for this long has no writer any more, ms. */
const ABANDONED_MS = 600_000;

/** A folder that contents are written into as they arrive, before they are moved to where they stay. */
export interface Spool {
  /**
   * Writes a content, flushed to the disk.
   *
   * @returns the file's path; the caller moves or removes it
   * @throws whatever the source or the disk throws; no file is left then
   */
  write(id: string, content: Readable, signal: AbortSignal): Promise<string>;
  remove(id: string): Promise<void>;
  /** @throws the first failure, after having tried every file */
  removeLeftovers(): Promise<void>;
}

export function openSpool(folder: string): Spool {
  const pathOf = (id: string) => join(folder, id);
  return {
    async write(id, content, signal) {
      const path = pathOf(id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await requireSpace(folder);
      try {
        await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }), { signal });
        return path;
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
    remove: (id) => rm(pathOf(id), { force: true }),
    async removeLeftovers() {
      const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
      const results = await Promise.allSettled(
        names.map(async (name) => {
          const file = await stat(pathOf(name)).catch(ignoreMissing);
          if (file && machineNow() - file.mtimeMs > ABANDONED_MS) await rm(pathOf(name), { force: true });
        }),
      );
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}

/**
 * Turns "there is no such file" into `undefined`.
 *
 * @throws every other error
 */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
