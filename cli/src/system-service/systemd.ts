import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Environment } from '@lontar/shared/config/read-config.ts';
import { replaceFile } from '../files/new-file.ts';
import { systemEnvironment } from '../settings/services.ts';
import { findProgram } from '../system/programs.ts';
import { type QuietRun, runQuietly } from '../system/run-quietly.ts';
import type { Scope } from './unit.ts';

const TIMEOUT_MS = 60_000;
/** Starting may install the dependencies. */
const START_TIMEOUT_MS = 900_000;
const READABLE = 0o644;
/** There where the machine was booted with systemd. */
const BOOTED = '/run/systemd/system';

/** One service as systemd knows it. */
export interface ServiceManager {
  readonly unitFile: string;
  /** Whether a unit was written. */
  isInstalled(): boolean;
  /** @throws the system's error when the file cannot be written */
  write(unit: string): void;
  remove(): void;
  /** What systemd finds wrong with a unit; `undefined` where it finds nothing, or cannot be asked. */
  findFaults(): Promise<string | undefined>;
  /** Whether systemd runs here and takes orders from this user. */
  canOperate(): Promise<boolean>;
  start(): Promise<QuietRun>;
  stop(): Promise<QuietRun>;
  /** The newest lines of its log, where they can be read. */
  lastWords(): Promise<string>;
  /** What systemd says of it, by the names of its properties. */
  show(): Promise<Record<string, string>>;
}

/**
 * @param name of the unit, without `.service`
 * @param folder where units are kept, for tests; else where systemd of the scope looks for them
 */
export function serviceManager(name: string, scope: Scope, environment: Environment, folder?: string): ServiceManager {
  const unitFile = join(folder ?? unitFolder(scope, environment), `${name}.service`);
  const own = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_CONFIG_HOME'];
  const variables = {
    // Without a login there is none, and systemd-analyze asks for one.
    XDG_RUNTIME_DIR: tmpdir(),
    ...systemEnvironment(environment),
    ...Object.fromEntries(own.flatMap((key) => (environment[key] ? [[key, environment[key]]] : []))),
  };
  const scoped = scope === 'user' ? ['--user'] : [];
  const run = async (program: string, args: readonly string[], timeoutMs = TIMEOUT_MS): Promise<QuietRun> => {
    const path = findProgram([program], environment['PATH']);
    if (path === undefined) return { succeeded: false, output: `there is no ${program} here` };
    return runQuietly(path, [...scoped, ...args], { environment: variables, timeoutMs });
  };
  const inOrder = async (...steps: readonly (readonly string[])[]): Promise<QuietRun> => {
    let last: QuietRun = { succeeded: true, output: '' };
    for (const step of steps) {
      last = await run('systemctl', step, START_TIMEOUT_MS);
      if (!last.succeeded) return last;
    }
    return last;
  };
  return {
    unitFile,
    isInstalled: () => existsSync(unitFile),
    write(unit) {
      mkdirSync(dirname(unitFile), { recursive: true });
      replaceFile(unitFile, unit, READABLE);
    },
    remove: () => rmSync(unitFile, { force: true }),
    async findFaults() {
      if (findProgram(['systemd-analyze'], environment['PATH']) === undefined) return undefined;
      const { succeeded, output } = await run('systemd-analyze', ['verify', '--recursive-errors=no', unitFile]);
      // Of other units on the machine, and of what an older systemd does not know, it says what is of no use here.
      const ours = output.split('\n').filter((line) => line.includes(`${name}.service`));
      return succeeded || ours.length === 0 ? undefined : ours.join('\n');
    },
    async canOperate() {
      return existsSync(BOOTED) && (await run('systemctl', ['show', '--property=Version'])).succeeded;
    },
    start: () => inOrder(['daemon-reload'], ['enable', `${name}.service`], ['restart', `${name}.service`]),
    stop: () => inOrder(['disable', '--now', `${name}.service`]),
    async lastWords() {
      const { succeeded, output } = await run('journalctl', [
        '-u',
        `${name}.service`,
        '-n',
        '5',
        '-o',
        'cat',
        '--no-pager',
      ]);
      return succeeded ? output.trim() : '';
    },
    async show() {
      const wanted = [
        'ActiveState',
        'SubState',
        'ActiveEnterTimestamp',
        'MainPID',
        'NRestarts',
        'MemoryCurrent',
        'Result',
      ];
      const { output } = await run('systemctl', ['show', `--property=${wanted.join()}`, `${name}.service`]);
      return propertiesOf(output);
    },
  };
}

/** Lines `Name=value`. */
function propertiesOf(output: string): Record<string, string> {
  return Object.fromEntries(
    output.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
}

function unitFolder(scope: Scope, environment: Environment): string {
  if (scope === 'system') return '/etc/systemd/system';
  return join(environment['XDG_CONFIG_HOME'] || join(environment['HOME'] ?? '', '.config'), 'systemd', 'user');
}
