/** An entry of package-lock.json, as far as it matters here. */
export interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export type LockPackages = Readonly<Record<string, LockEntry>>;

const SYSTEMS = new Set(['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']);
const EXACT_VERSION = /^\d+\.\d+\.\d+$/;

/**
 * The entries that a lockfile lacks: binaries for other systems than the one it was made on. npm leaves out those that
 * its registry does not have (mirrors often carry only some systems), and `npm ci` then refuses the whole lockfile.
 *
 * Only packages with a system in their name and an exact version are added; they are never fetched on a system that
 * they are not for. Their checksums are asked for afterwards (`integrity.ts`), and are missing where the registry lacks
 * the package.
 */
export function missingPlatformEntries(packages: LockPackages): Record<string, LockEntry> {
  const missing: Record<string, LockEntry> = {};
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const hoisted = `node_modules/${name}`;
      if (packages[hoisted] || packages[`${path}/${hoisted}`]) continue;
      const platform = platformOf(name);
      if (platform === undefined || !EXACT_VERSION.test(version)) continue;
      missing[hoisted] = { version, ...(entry.dev ? { dev: true } : {}), optional: true, ...platform };
    }
  }
  return missing;
}

/** The lockfile with those entries, in npm's order. */
export function completeLockfile<Lockfile extends { packages: LockPackages }>(lockfile: Lockfile): Lockfile {
  const all = { ...lockfile.packages, ...missingPlatformEntries(lockfile.packages) };
  const sorted = Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lockfile, packages: Object.fromEntries(sorted) };
}

/** `@oxlint/binding-linux-arm64-musl` is for Linux on arm64 with musl. */
function platformOf(name: string): { os: string[]; cpu: string[]; libc?: string[] } | undefined {
  const words = (name.split('/').at(-1) ?? name).split('-');
  const at = words.findIndex((word) => SYSTEMS.has(word));
  const [system, cpu, library] = at < 0 ? [] : words.slice(at);
  if (system === undefined || cpu === undefined) return undefined;
  const libc = library === 'gnu' ? ['glibc'] : library === 'musl' ? ['musl'] : undefined;
  return { os: [system], cpu: [cpu], ...(libc ? { libc } : {}) };
}
