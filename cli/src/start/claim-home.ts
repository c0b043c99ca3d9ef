import { linkSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartFailure } from '../failure/start-failure.ts';
import { draftOf, writeNewFile } from '../files/new-file.ts';
import { readEndpoint, removeEndpoint } from '../home/endpoint.ts';
import type { Home } from '../home/home.ts';
import { commandLine, isAlive, pidFile, readPid, removePid, workingFolder } from '../home/pid-file.ts';

const LAUNCHER = 'launcher';
const LAUNCHER_MAIN = join('cli', 'src', 'start', 'main.ts');
const STOP_GRACE_MS = 10_000;
const LOOK_EVERY_MS = 50;

/**
 * Makes this process the only launcher of a home.
 *
 * @returns a function that gives the home free again
 * @throws StartFailure when another one runs
 */
export function claimHome(home: Home): () => void {
  const path = pidFile(home, LAUNCHER);
  const draft = draftOf(path);
  writeNewFile(draft, `${process.pid}\n`);
  try {
    for (let attempt = 0; !tryLink(draft, path); attempt += 1) {
      const holder = readPid(path);
      if (attempt > 0 || (holder !== undefined && isLauncher(holder))) throw alreadyRunning(home, holder);
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (readPid(path) === process.pid) removePid(path);
  };
}

/**
 * Stops what an earlier launcher left running when it was killed, services first, and clears its traces.
 *
 * @param mains the services' main files, by which a process is known to be ours
 */
export async function stopLeftovers(home: Home, mains: readonly string[], say: (text: string) => void): Promise<void> {
  removeEndpoint(home);
  const names = readdirSync(home.run)
    .filter((file) => file.endsWith('.pid') && file !== `${LAUNCHER}.pid`)
    .map((file) => basename(file, '.pid'))
    .sort((a, b) => Number(a === 'redis') - Number(b === 'redis'));
  for (const name of names) {
    const path = pidFile(home, name);
    const pid = readPid(path);
    if (pid !== undefined && isOurs(pid, home, mains)) {
      say(`${name} of an earlier start still runs (process ${pid}); it is stopped first.`);
      await stopProcess(pid);
    }
    removePid(path);
  }
}

function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isLauncher(pid: number): boolean {
  return isAlive(pid) && (commandLine(pid)?.includes(LAUNCHER_MAIN) ?? false);
}

function isOurs(pid: number, home: Home, mains: readonly string[]): boolean {
  if (!isAlive(pid)) return false;
  const command = commandLine(pid) ?? '';
  if (mains.some((main) => command.includes(main))) return true;
  const folder = workingFolder(pid);
  return /redis-server|valkey-server/.test(command) && (folder === undefined || folder === home.redis);
}

async function stopProcess(pid: number): Promise<void> {
  const deadline = Date.now() + STOP_GRACE_MS;
  signal(pid, 'SIGTERM');
  while (isAlive(pid)) {
    if (Date.now() > deadline) signal(pid, 'SIGKILL');
    await delay(LOOK_EVERY_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Gone in the meantime, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function alreadyRunning(home: Home, pid: number | undefined): StartFailure {
  const address = readEndpoint(home)?.baseUrls[0];
  const where = address === undefined ? '' : ` at ${address}/`;
  return new StartFailure(
    `Lontar already runs from ${home.folder}${where} (process ${pid ?? 'unknown'}). Stop it with Ctrl-C where it runs, or: kill ${pid ?? ''}\nTo run a second one beside it, give it a folder and a port of its own: LONTAR_HOME=.lontar-2 PORT=8081 npm start`,
  );
}
