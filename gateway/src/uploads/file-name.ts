import { withoutHidden } from '@lontar/shared/hidden-characters.ts';
import { UploadProblem } from './upload-problem.ts';

/** Longest name of a file, bytes of UTF-8; what most file systems take. */
const MOST_BYTES = 255;
const FALLBACK = 'file';

/**
 * A name that is safe to show and to save under: the last part of a path of any system, without hidden characters and
 * without dots and blanks at its end.
 *
 * @param given what the caller calls it
 * @param fallback for what has no usable character
 * @throws UploadProblem for a name of more than 255 bytes, before anything else is done with it
 */
export function safeFileName(given: string, fallback: string = FALLBACK): string {
  const bytes = Buffer.byteLength(given);
  if (bytes > MOST_BYTES) {
    throw new UploadProblem(
      'invalid',
      `The name of a file must have at most ${MOST_BYTES} bytes of UTF-8; one of ${bytes} bytes was given.`,
    );
  }
  const base = given.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  return withoutTail(withoutHidden(base).trim()) || fallback;
}

/** Without the dots and blanks that it ends with, which some systems drop and others refuse. */
function withoutTail(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1]?.trim() === '')) end--;
  return name.slice(0, end);
}

/** `Content-Disposition` that makes browsers save, never show (RFC 6266): plain ASCII, and the exact name in UTF-8. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(/['()*!]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
