import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where system programs may be although PATH does not say so (cron jobs, restricted shells, Homebrew). */
const USUAL_FOLDERS = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];

/** The first of these programs that there is, as a path; `undefined` where there is none. */
export function findProgram(names: readonly string[], searchPath: string | undefined): string | undefined {
  const folders = [...(searchPath ?? '').split(delimiter).filter((folder) => folder !== ''), ...USUAL_FOLDERS];
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
