import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing, openSpool } from './spool.ts';
import type { UploadStorage } from './upload-storage.ts';

/**
 * Uploads as files of a folder: `files/<id>` whole, `partial/<id>` on their way. Several gateways may share the folder.
 */
export function openDiskStorage(folder: string): UploadStorage {
  const files = join(folder, 'files');
  const spool = openSpool(join(folder, 'partial'));
  return {
    kind: 'disk',
    async write(id, content, signal) {
      const partial = await spool.write(id, content, signal);
      try {
        await mkdir(files, { recursive: true, mode: 0o700 });
        await rename(partial, join(files, id));
        await flushFolder(files);
      } catch (error) {
        await this.remove(id);
        throw error;
      }
    },
    async read(id) {
      const file = await open(join(files, id)).catch(ignoreMissing);
      return file?.createReadStream();
    },
    async remove(id) {
      await spool.remove(id);
      await rm(join(files, id), { force: true });
    },
    removeLeftovers: () => spool.removeLeftovers(),
  };
}

/** A new name is safe from a crash only when the folder that holds it has been flushed. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
