import type { LockEntry, LockPackages } from './complete-lockfile.ts';

/** A package of the registry at one version. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

const FOLDER = 'node_modules/';

/**
 * The entries of a lockfile that come from the registry and carry no checksum: npm would take whatever it is given for
 * them.
 */
export function entriesWithoutIntegrity(packages: LockPackages): Record<string, PackageVersion> {
  const lacking: Record<string, PackageVersion> = {};
  for (const [path, entry] of Object.entries(packages)) {
    if (!path.includes(FOLDER) || isNotFetched(entry) || typeof entry['integrity'] === 'string') continue;
    lacking[path] = { name: nameOf(path, entry), version: entry.version ?? '' };
  }
  return lacking;
}

/** The lockfile with checksums added where there were none; what is there stays. */
export function addIntegrity<Lockfile extends { packages: LockPackages }>(
  lockfile: Lockfile,
  found: ReadonlyMap<string, string>,
): Lockfile {
  const packages = Object.entries(lockfile.packages).map(([path, entry]): [string, LockEntry] => {
    const integrity = found.get(path);
    if (integrity === undefined || typeof entry['integrity'] === 'string') return [path, entry];
    // Behind the version, where npm writes it.
    const { version, ...others } = entry;
    return [path, { ...(version === undefined ? {} : { version }), integrity, ...others }];
  });
  return { ...lockfile, packages: Object.fromEntries(packages) };
}

/** Links lead to folders of this repository; what is bundled comes with another package and its checksum. */
function isNotFetched(entry: LockEntry): boolean {
  return entry['link'] === true || entry['inBundle'] === true;
}

function nameOf(path: string, entry: LockEntry): string {
  const name = entry['name'];
  return typeof name === 'string' ? name : path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
}
