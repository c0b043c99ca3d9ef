import { readFileSync } from 'node:fs';

/** Includes that scripts of all services share. */
const SHARED_INCLUDES = new URL('./script-includes/', import.meta.url);
const DIRECTIVE = /^--- @include (?:"([a-z0-9./-]{1,100})"|<([a-z0-9-]{1,100})>)$/;
const LINE_BREAK = '\n';

/**
 * The whole text of a Redis script: each line `--- @include "x"` gives way to the file `x.lua`, found from the folder of the
 * file that includes it, and each line `--- @include <x>` to that of `script-includes`. A file that was included before is
 * left out. Includes stand at the left margin, where what they declare is there for the rest of the script.
 *
 * @param read gives the text of a file; another one than that of the disk only where a test has files of its own
 * @throws Error naming file and line, where an include cannot be read, is written otherwise, or includes itself
 */
export function expandScript(file: URL, read: (file: URL) => string = readText): string {
  const seen = new Set<string>();
  const expand = (text: string, of: URL, path: readonly string[]): string => {
    const here = [...path, of.href];
    seen.add(of.href);
    const expandLine = (line: string, index: number): string[] => {
      if (!line.includes('@include')) return [line];
      const at = `${of.pathname}:${index + 1}`;
      const included = includedBy(line, of, at);
      if (here.includes(included.href)) throw new Error(`${at}: ${included.pathname} includes itself.`);
      return seen.has(included.href) ? [] : [expand(readIncluded(included, read, at), included, here)];
    };
    return text.trimEnd().split(LINE_BREAK).flatMap(expandLine).join(LINE_BREAK);
  };
  return expand(read(file), file, []);
}

function includedBy(line: string, file: URL, at: string): URL {
  const [, own, shared] = DIRECTIVE.exec(line) ?? [];
  if (own !== undefined) return new URL(`${own}.lua`, file);
  if (shared !== undefined) return new URL(`${shared}.lua`, SHARED_INCLUDES);
  throw new Error(`${at}: an include is a line of its own, --- @include "x" or --- @include <x>, at the left margin.`);
}

function readIncluded(file: URL, read: (file: URL) => string, at: string): string {
  try {
    return read(file);
  } catch (cause) {
    throw new Error(`${at}: ${file.pathname} cannot be read.`, { cause });
  }
}

function readText(file: URL): string {
  return readFileSync(file, 'utf8');
}
