import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { end, endWithUs, launch, ROOT } from '../../harness/launch.ts';

const START_MS = 90_000;

/** A process that is measured. Its output goes to a file, as it would in operation, so that it need not be read. */
export interface Measured {
  readonly name: string;
  readonly pid: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface StartOptions {
  readonly name: string;
  /** Script and arguments for Node. */
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Folder for the output. */
  readonly folder: string;
  /** Root of the checkout that the script is of; this one where absent. */
  readonly root?: string | undefined;
  /** The `msg` of the JSON line that says that it is ready. */
  readonly readyMessage?: string;
  /** Keeps a processor profile in this folder when the process is stopped. */
  readonly profileFolder?: string | undefined;
}

/** Starts a Node process and waits until it says that it is ready. @returns it, and the line that it said */
export async function startProcess(options: StartOptions): Promise<[Measured, Record<string, unknown>]> {
  const { name, command, environment, folder, root = ROOT, readyMessage, profileFolder } = options;
  const log = join(folder, `${name}.log`);
  const output = openSync(log, 'w');
  const profiling = profileFolder
    ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, `--cpu-prof-name=${name}.cpuprofile`]
    : [];
  const child = launch([...profiling, ...command], {
    folder: root,
    environment: { NODE_ENV: 'production', ...environment },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  endWithUs(child);
  const measured: Measured = {
    name,
    pid: child.pid ?? 0,
    async stop(signal = profileFolder ? 'SIGTERM' : 'SIGKILL') {
      await end(child, signal);
    },
  };
  const line = readyMessage === undefined ? {} : await untilSaid(child, log, readyMessage, name);
  return [measured, line];
}

async function untilSaid(
  child: ChildProcess,
  log: string,
  message: string,
  name: string,
): Promise<Record<string, unknown>> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const line = readFileSync(log, 'utf8')
      .split('\n')
      .find((text) => text.includes(`"msg":"${message}"`));
    if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
    await delay(50);
  }
  throw new Error(`${name} did not say "${message}":\n${readFileSync(log, 'utf8').slice(-2000)}`);
}
