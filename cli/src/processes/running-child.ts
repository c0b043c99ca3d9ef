import { type ChildProcess, spawn } from 'node:child_process';
import { removePid, writePid } from '../home/pid-file.ts';
import { openLog } from './log-file.ts';

/** How to run one process of the service. */
export interface ProcessSpec {
  /** `redis`, `gateway-1`, …: names its log, its pid file and what is said about it. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  readonly log: string;
  readonly pidFile: string;
}

export interface RunningChild {
  readonly pid: number | undefined;
  readonly startedAt: number;
  /** Resolves when the process has ended, with how, in words. Never rejects. */
  readonly ended: Promise<string>;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts a process in a session of its own, so that Ctrl-C in the terminal reaches the launcher alone, which then stops
 * everything in order. The process holds the other end of a pipe of ours, and learns from it when we die.
 */
export function startChild(spec: ProcessSpec): RunningChild {
  const log = openLog(spec.log);
  const child = spawn(spec.command, spec.args, {
    cwd: spec.workingFolder,
    env: spec.environment,
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
    detached: true,
  });
  log.close();
  if (child.pid !== undefined) writePid(spec.pidFile, child.pid);
  const ended = untilEnd(child).then((how) => {
    removePid(spec.pidFile);
    return how;
  });
  return { pid: child.pid, startedAt: Date.now(), ended, signal: (signal) => void child.kill(signal) };
}

function untilEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      // Without a process there is no exit; with one, an error is only a signal that could not be sent.
      if (child.pid === undefined) resolve(error.message);
    });
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code ?? 'unknown'}` : signal));
  });
}
