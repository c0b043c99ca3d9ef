import { statfs } from 'node:fs/promises';

/** What operating systems and object stores call it when a content does not fit any more. */
const NAMES = new Set([
  'ENOSPC',
  'EDQUOT',
  'QuotaExceeded',
  'QuotaExceededException',
  'InsufficientStorage',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'ServiceQuotaExceededException',
]);
const INSUFFICIENT_STORAGE = 507;

/** Share of a disk that is left to others, such as Redis's append-only file, without which nothing works; and its most. */
const SPARED_SHARE = 0.05;
const MOST_SPARED_BYTES = 536_870_912;

/** Whether a storage failed because it is full. */
export function isNoSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  return NAMES.has(String(code)) || NAMES.has(error.name) || $metadata?.httpStatusCode === INSUFFICIENT_STORAGE;
}

/**
 * Refuses to write into a folder whose disk is all but full.
 *
 * @throws an error for which `isNoSpace` holds
 */
export async function requireSpace(folder: string): Promise<void> {
  // Where that cannot be read, it is tried.
  const disk = await statfs(folder).catch(() => undefined);
  if (disk === undefined || disk.blocks === 0) return;
  const spared = Math.min(MOST_SPARED_BYTES, SPARED_SHARE * disk.blocks * disk.bsize);
  if (disk.bavail * disk.bsize >= spared) return;
  throw Object.assign(new Error('the disk of the uploads is full, apart from what is spared for others'), {
    code: 'ENOSPC',
  });
}
