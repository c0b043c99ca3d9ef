import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Root of this checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface LaunchOptions {
  /** All that the process finds in its environment, besides `systemEnvironment()`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folder to start in; the root of this checkout where absent. */
  readonly folder?: string;
  readonly stdio: StdioOptions;
  /** The command and arguments that start Node, where it is not started directly. */
  readonly wrapper?: readonly string[];
  /** Makes another command of the whole one, such as one that runs it at a terminal. */
  readonly wrap?: (command: readonly string[]) => readonly string[];
}

/** What every process under test finds in its environment: the program path, the home folder, and where Node caches. */
export function systemEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}

/** Starts Node on a script with arguments. Every process under test is started by this. */
export function launch(script: readonly string[], options: LaunchOptions): ChildProcess {
  const { environment, folder = ROOT, stdio, wrapper = [], wrap = (whole) => whole } = options;
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', ...script];
  const [command = process.execPath, ...args] = wrap(wrapper.concat(node));
  return spawn(command, args, {
    cwd: folder,
    env: { ...systemEnvironment(), ...environment },
    stdio,
  });
}

/** Sends a signal and waits for the end. @returns the exit code, `null` where a signal ended the process */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
  return child.exitCode;
}

const ours = new Set<ChildProcess>();

function killOurs(): void {
  for (const child of ours) child.kill('SIGKILL');
}

/** The process is killed with this one, however this one ends. */
export function endWithUs(child: ChildProcess): void {
  // One listener for all: Node warns of eleven.
  if (ours.size === 0) process.on('exit', killOurs);
  ours.add(child);
  child.once('exit', () => {
    ours.delete(child);
    if (ours.size === 0) process.off('exit', killOurs);
  });
}
