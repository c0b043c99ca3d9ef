import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Home } from '../home/home.ts';
import { pidFile } from '../home/pid-file.ts';
import type { Surroundings } from '../settings/environment.ts';
import { type ServiceName, serviceEnvironment } from '../settings/services.ts';
import type { ProcessSpec } from './running-child.ts';

/**
 * The C library keeps pools of memory for each of a process's ten threads: nine do little, and keep what they once took. One
 * pool for all is a seventh of an idle service's memory less. The image says the same.
 */
const LEAN_MEMORY = { MALLOC_ARENA_MAX: '1' } as const;

/** The source that a service's process runs; its command line holds this path. */
export function serviceMain(root: string, service: ServiceName): string {
  return join(root, service, 'src', 'main.ts');
}

/**
 * How to run one service from the sources.
 *
 * @param own settings that the launcher decides: ports, addresses, secrets of its own
 */
export function serviceProcess(
  name: string,
  service: ServiceName,
  surroundings: Surroundings,
  own: Readonly<Record<string, string>>,
): ProcessSpec {
  const { root, folder, home, environment } = surroundings;
  const files = filesOf(home, name);
  const tether = pathToFileURL(join(root, 'cli', 'src', 'tether', 'main.ts')).href;
  return {
    name,
    command: process.execPath,
    args: ['--import', tether, '--disable-warning=ExperimentalWarning', serviceMain(root, service)],
    environment: { ...LEAN_MEMORY, ...serviceEnvironment(service, environment, { ...own, LOG_FILE: files.log }) },
    workingFolder: folder,
    ...files,
  };
}

/** Where a process of this name leaves its log and its id. */
export function filesOf(home: Home, name: string): Pick<ProcessSpec, 'log' | 'pidFile'> {
  return { log: join(home.logs, `${name}.log`), pidFile: pidFile(home, name) };
}
