import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What the built page depends on, from the project's folder. */
const SOURCES = ['dashboard/web', 'dashboard/vite.config.ts', 'dashboard/package.json', 'shared/src'];
const BUILT = 'dashboard/dist/index.html';

/**
 * Builds the dashboard's page where it is missing or older than its sources; that takes about a second.
 *
 * @param root the project's folder
 * @returns what went wrong, in the builder's words; `undefined` when the page stands
 */
export async function buildPage(root: string): Promise<string | undefined> {
  const built = join(root, BUILT);
  const newest = Math.max(...SOURCES.map((source) => newestChange(join(root, source))));
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return undefined;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  // An image carries the built page and no builder.
  if (!existsSync(vite)) return existsSync(built) ? undefined : 'Vite is not installed.';
  try {
    await run(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: join(root, 'dashboard') });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** When a file, or anything below a folder, last changed, Unix ms. */
function newestChange(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}
