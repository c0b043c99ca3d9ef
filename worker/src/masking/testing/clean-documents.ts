import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMasker } from '../mask.ts';

/** What the adjudicated list says about one package: every changed line, by hash, was read and found right. */
export interface CleanPackage {
  readonly name: string;
  readonly version: string;
  readonly changed: readonly string[];
}

export interface ChangedLine {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly hash: string;
}

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { version?: string; os?: string[]; cpu?: string[]; optional?: boolean; link?: boolean }>
  >;
}

const root = new URL('../../../../', import.meta.url).pathname;

/** Packages at the top of node_modules that every platform installs, with their versions, by the lockfile. */
export function installedPackages(): { name: string; version: string }[] {
  const lockfile: Lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(lockfile.packages).flatMap(([path, { version, os, cpu, optional, link }]) => {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (
      name === undefined ||
      version === undefined ||
      link === true ||
      optional === true ||
      os !== undefined ||
      cpu !== undefined
    )
      return [];
    return existsSync(join(root, path, 'package.json')) ? [{ name, version }] : [];
  });
}

function markdownFiles(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : markdownFiles(path);
      return entry.name.endsWith('.md') ? [path] : [];
    })
    .sort();
}

/** Masks the Markdown of a package and returns the lines that change and how many characters were read. */
export function maskPackage(name: string): { changed: ChangedLine[]; characters: number } {
  const { mask } = createMasker();
  const changed: ChangedLine[] = [];
  let characters = 0;
  for (const file of markdownFiles(join(root, 'node_modules', name))) {
    const text = readFileSync(file, 'utf8');
    characters += text.length;
    const before = text.split('\n');
    const after = mask(text).text.split('\n');
    for (const [index, line] of before.entries()) {
      const masked = after[index] ?? '';
      if (line !== masked)
        changed.push({ file: file.slice(root.length), before: line, after: masked, hash: hashOf(name, line) });
    }
  }
  return { changed, characters };
}

function hashOf(name: string, line: string): string {
  return createHash('sha256').update(`${name}\n${line}`).digest('hex').slice(0, 12);
}
