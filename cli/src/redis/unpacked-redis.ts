import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@lontar/shared/config/read-config.ts';
import { draftOf } from '../files/new-file.ts';
import type { Home } from '../home/home.ts';
import { systemEnvironment } from '../settings/services.ts';
import { unpackPackages } from '../system/apt.ts';
import { type ProgressStream, withProgress } from '../system/progress.ts';
import { runQuietly } from '../system/run-quietly.ts';
import type { RedisProgram } from './redis-program.ts';

const VERSION_TIMEOUT_MS = 5_000;

/**
 * The Redis of the system's packages, unpacked in `LONTAR_HOME/redis-program` and not installed. It is unpacked once; the
 * system's updates do not reach it: remove the folder to get a newer one. Never rejects.
 *
 * @returns why not, where that cannot be
 */
export async function unpackRedis(
  environment: Environment,
  home: Home,
  progress: ProgressStream,
): Promise<Extract<RedisProgram, { kind: 'server' }> | string> {
  const place = join(home.folder, 'redis-program');
  const present = await programIn(place, environment);
  if (present !== undefined) return present;
  const draft = draftOf(place);
  try {
    mkdirSync(draft, { mode: 0o700 });
    const unpacked = await withProgress('Fetching redis-server for this user alone', progress, () =>
      unpackPackages(['redis-server', 'redis-tools'], draft, environment),
    );
    if (!unpacked.installed) return `redis-server could not be unpacked for this user alone: ${unpacked.reason}`;
    if ((await programIn(draft, environment)) === undefined) return 'The unpacked redis-server does not run here.';
    rmSync(place, { recursive: true, force: true });
    renameSync(draft, place);
    return (await programIn(place, environment)) ?? 'The unpacked redis-server does not run here.';
  } catch (error) {
    return `redis-server could not be unpacked for this user alone: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The server in a folder with unpacked packages, if it runs. */
async function programIn(place: string, environment: Environment) {
  const path = join(place, 'root', 'usr', 'bin', 'redis-server');
  if (!existsSync(path)) return undefined;
  const libraries = ['usr/lib', 'lib'].flatMap((name) => foldersOf(join(place, 'root', name))).join(':');
  const variables = { ...systemEnvironment(environment), LD_LIBRARY_PATH: libraries };
  const run = await runQuietly(path, ['--version'], { environment: variables, timeoutMs: VERSION_TIMEOUT_MS });
  return run.succeeded ? ({ kind: 'server', path, libraries } as const) : undefined;
}

/** The folders of one system in a folder for libraries, such as `x86_64-linux-gnu`. */
function foldersOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.includes('-linux-gnu'))
    .map((name) => join(folder, name));
}
