import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether two secrets are the same. Compares digests, so that the time reveals nothing of either, not even its length.
 */
export function sameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
