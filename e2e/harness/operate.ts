import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { addAdminTokensCommand } from '../../cli/src/lontar/commands/admin-tokens.ts';
import { addIpsCommand } from '../../cli/src/lontar/commands/ips.ts';
import { addKeysCommand } from '../../cli/src/lontar/commands/keys.ts';
import { addQueueCommand } from '../../cli/src/lontar/commands/queue.ts';
import { addUsageCommand } from '../../cli/src/lontar/commands/usage.ts';
import { type Commands, runCommand } from '../../cli/src/lontar/run-command.ts';
import { readSurroundings } from '../../cli/src/settings/environment.ts';
import { ROOT, systemEnvironment } from './launch.ts';

const run = promisify(execFile);

/**
 * Commands that need little besides Redis. The others load the better part of the services, and get a process for that. Not
 * loaded when they are wanted: Jest refuses that to tests that run side by side.
 */
const IN_PROCESS: Commands = {
  keys: async () => addKeysCommand,
  usage: async () => addUsageCommand,
  ips: async () => addIpsCommand,
  queue: async () => addQueueCommand,
  'admin-tokens': async () => addAdminTokensCommand,
};

/** What a command has written. */
export interface Operated {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the operator's command on the Redis of a stack, with its settings. What tests use again and again runs in their own
 * process: the command from its first word to its output, without the start of Node, which takes longer than all that it
 * does. Tests of the command itself start it: `cli/src/lontar/lontar.int.test.ts`, the containers, the first run.
 *
 * @throws Error with `stdout` and `stderr` where it ends with another code than 0
 */
export async function operate(args: readonly string[], environment: Record<string, string>): Promise<Operated> {
  if (!Object.hasOwn(IN_PROCESS, args[0] ?? '')) {
    return run(process.execPath, ['cli/src/lontar/main.ts', ...args], {
      cwd: ROOT,
      env: { ...systemEnvironment(), ...environment },
    });
  }
  const written = { stdout: '', stderr: '' };
  const streams = {
    in: Readable.from([]),
    out: { write: (text: string) => void (written.stdout += text) },
    err: { write: (text: string) => void (written.stderr += text) },
  };
  const code = await runCommand(IN_PROCESS, args, () => readSurroundings(ROOT, environment), streams, environment);
  if (code !== 0) throw Object.assign(new Error(`lontar ${args.join(' ')}: ${code}\n${written.stderr}`), written);
  return written;
}
