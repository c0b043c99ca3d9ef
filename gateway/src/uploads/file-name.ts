import { withoutHidden } from '@lontar/shared/hidden-characters.ts';

/** Longest name of a file, bytes of UTF-8; what most file systems take. */
const MOST_BYTES = 255;
const FALLBACK = 'file';

/**
 * A name that is safe to show and to save under: the last part of a path of any system, without hidden characters, at
 * most 255 bytes of UTF-8. The extension survives the cut.
 *
 * @param given what the caller calls it
 * @param fallback for what has no usable character
 */
export function safeFileName(given: string, fallback: string = FALLBACK): string {
  const base = given.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const clean = withoutHidden(base)
    .trim()
    .replace(/[.\s]+$/, '');
  return cutToBytes(clean, MOST_BYTES) || fallback;
}

function cutToBytes(name: string, most: number): string {
  if (Buffer.byteLength(name) <= most) return name;
  const extension = /\.[0-9A-Za-z]{1,16}$/.exec(name)?.[0] ?? '';
  const room = most - extension.length;
  let stem = '';
  let bytes = 0;
  for (const character of name.slice(0, name.length - extension.length)) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    stem += character;
  }
  return stem + extension;
}

/** `Content-Disposition` that makes browsers save, never show (RFC 6266): plain ASCII, and the exact name in UTF-8. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(/['()*!]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
