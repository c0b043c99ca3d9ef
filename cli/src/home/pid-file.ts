import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../files/new-file.ts';
import type { Home } from './home.ts';

/** `LONTAR_HOME/run/<name>.pid`. */
export function pidFile(home: Home, name: string): string {
  return join(home.run, `${name}.pid`);
}

export function writePid(path: string, pid: number): void {
  replaceFile(path, `${pid}\n`);
}

export function removePid(path: string): void {
  rmSync(path, { force: true });
}

/** The process id in a file, or `undefined` where there is none. */
export function readPid(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
    return pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a process with this id runs, whichever user owns it. One that has ended and waits to be collected does not.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

/**
 * The command line of a running process. Numbers are used again: before a process is believed to be ours, or is
 * stopped, this must fit.
 */
export function commandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    const listed = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return listed.status === 0 ? listed.stdout.trim() : undefined;
  }
}

/** The folder a running process works in, where the system says. */
export function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function isZombie(pid: number): boolean {
  try {
    // The state follows the program's name, which stands in brackets and may hold anything.
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
