const SLASH = 47;

/** A URL that paths are appended to: without the slashes at its end. */
export function withoutSlashesAtEnd(url: string): string {
  let end = url.length;
  while (end > 0 && url.charCodeAt(end - 1) === SLASH) end--;
  return url.slice(0, end);
}
