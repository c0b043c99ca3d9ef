import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { createHome, type Owner, ownerOf } from '../../home/home.ts';
import { isAlive, pidFile, readPid } from '../../home/pid-file.ts';
import { buildPage } from '../../page/build-page.ts';
import { checkSettings } from '../../settings/check-settings.ts';
import type { Surroundings } from '../../settings/environment.ts';
import { userName, userNumbers } from '../../system/user-name.ts';
import { serviceManager } from '../../system-service/systemd.ts';
import { type Scope, unitText } from '../../system-service/unit.ts';
import { showByteSize } from '../byte-size.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';
import { explainFileError } from '../file-failure.ts';

/** On top of what requests in work may take to end. */
const STOP_EXTRA_SECONDS = 35;
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface ServiceOptions {
  readonly system?: boolean;
  readonly user?: boolean;
  readonly name: string;
}

interface InstallOptions extends ServiceOptions {
  readonly memoryMax: string;
  readonly runAs?: string;
  readonly print?: boolean;
  readonly start: boolean;
}

/** `lontar service …`: lets systemd run Lontar, from boot on. */
export function addServiceCommand(program: Command, context: CommandContext): void {
  const service = program
    .command('service')
    .description('let systemd start Lontar at boot, restart it when it hangs, and limit its rights');
  const scoped = (command: Command) =>
    command
      .option('--system', "the machine's systemd (default for root)")
      .option('--user', "this user's systemd (default for all others)")
      .option('--name <NAME>', 'of the unit', unitName, 'lontar');
  scoped(service.command('install').description('write the unit, check it, enable it and start it'))
    .option('--memory-max <SIZE>', 'memory of all its processes together, such as 2G', memorySize, '2G')
    .option('--run-as <USER>', "with --system: its user (default: the folder's owner)")
    .option('--no-start', 'only write and check the unit')
    .option('--print', 'print the unit, and write nothing')
    .action((options: InstallOptions) => install(options, context));
  scoped(service.command('uninstall').description('stop it and remove the unit; all data stay')).action(
    (options: ServiceOptions) => uninstall(options, context),
  );
  scoped(service.command('status').description('whether it runs, since when, and how much memory it uses')).action(
    (options: ServiceOptions) => status(options, context),
  );
}

async function install(options: InstallOptions, context: CommandContext): Promise<void> {
  const { surroundings } = context;
  const scope = scopeOf(options);
  checkSettings(surroundings.environment);
  const owner = ownerFor(options, surroundings);
  const unit = unitOf(options, { scope, owner }, surroundings);
  if (options.print) return void context.streams.out.write(unit);
  createHome(surroundings.home, owner);
  // The unit may not write where the sources are.
  const unbuilt = options.start ? await buildPage(surroundings.root) : undefined;
  if (unbuilt !== undefined) context.streams.err.write(`The page could not be built, so it is missing: ${unbuilt}\n`);
  const manager = serviceManager(options.name, scope, surroundings.environment);
  const replaced = manager.isInstalled();
  try {
    manager.write(unit);
  } catch (error) {
    throw explainFileError(error, 'written', manager.unitFile);
  }
  const faults = await manager.findFaults();
  if (faults !== undefined) throw new CommandFailure(EXIT.failed, `systemd refuses ${manager.unitFile}:\n${faults}`);
  const canStart = options.start && (await manager.canOperate());
  const running = readPid(pidFile(surroundings.home, 'launcher'));
  if (canStart && !replaced && running !== undefined && isAlive(running)) {
    throw new CommandFailure(
      EXIT.failed,
      `${manager.unitFile} is written, but Lontar runs already (process ${running}). Stop it, then: lontar service install`,
    );
  }
  if (canStart) {
    const started = await manager.start();
    if (!started.succeeded)
      throw new CommandFailure(
        EXIT.failed,
        `It could not be started:\n${started.output}\n${await manager.lastWords()}`,
      );
  }
  const told = canStart ? 'It runs, and will at each boot.' : 'It was not started: see the commands of systemctl.';
  const lingers = scope === 'user' && canStart ? ` Without a login too: loginctl enable-linger ${userName()}` : '';
  print(
    context,
    { unit: manager.unitFile, started: canStart },
    `${manager.unitFile} is written and checked. ${told}${lingers}`,
  );
}

async function uninstall(options: ServiceOptions, context: CommandContext): Promise<void> {
  const manager = installed(options, context);
  if (await manager.canOperate()) {
    const stopped = await manager.stop();
    if (!stopped.succeeded) throw new CommandFailure(EXIT.failed, `It could not be stopped:\n${stopped.output}`);
  }
  manager.remove();
  const { home } = context.surroundings;
  print(
    context,
    { unit: manager.unitFile, removed: true },
    `${manager.unitFile} is removed. Data stay in ${home.folder}`,
  );
}

async function status(options: ServiceOptions, context: CommandContext): Promise<void> {
  const manager = installed(options, context);
  const shown = (await manager.canOperate()) ? await manager.show() : {};
  const { ActiveState = 'unknown', SubState = '', MemoryCurrent, NRestarts = '0' } = shown;
  const memory = Number(MemoryCurrent);
  const state = {
    unit: manager.unitFile,
    state: ActiveState,
    detail: SubState,
    since: shown['ActiveEnterTimestamp'] || null,
    restarts: Number(NRestarts),
    memoryBytes: Number.isSafeInteger(memory) ? memory : null,
  };
  const rows = [
    ['unit', state.unit],
    ['state', ActiveState === 'unknown' ? 'unknown: systemd does not answer here' : `${ActiveState} (${SubState})`],
    ['since', state.since ?? '-'],
    ['restarts', String(state.restarts)],
    ['memory', state.memoryBytes === null ? '-' : showByteSize(state.memoryBytes)],
  ];
  print(context, state, alignColumns(rows));
  if (ActiveState !== 'active') throw new CommandFailure(EXIT.failed, 'It does not run.');
}

function installed(options: ServiceOptions, { surroundings }: CommandContext) {
  const manager = serviceManager(options.name, scopeOf(options), surroundings.environment);
  if (manager.isInstalled()) return manager;
  throw new CommandFailure(EXIT.notFound, `There is no ${manager.unitFile}. Make it: lontar service install`);
}

/** Whose processes they will be. */
function ownerFor({ runAs }: InstallOptions, { home }: Surroundings): Owner {
  if (runAs === undefined) return ownerOf(home);
  const numbers = userNumbers(runAs);
  if (numbers === undefined) throw new CommandFailure(EXIT.usage, `There is no user ${runAs} on this machine.`);
  return numbers;
}

function unitOf(
  options: InstallOptions,
  { scope, owner }: { readonly scope: Scope; readonly owner: Owner },
  surroundings: Surroundings,
): string {
  const { root, folder, home, environment, fromFile } = surroundings;
  const launcher = join(home.folder, 'lontar');
  const isPackage = folder !== root && existsSync(launcher);
  const command = isPackage ? [launcher, 'start'] : [process.execPath, join(root, 'cli', 'bootstrap.mjs'), 'start'];
  const givenHome = environment['LONTAR_HOME'] && !fromFile.has('LONTAR_HOME') ? home.folder : undefined;
  const user = scope === 'system' ? (options.runAs ?? userName(owner.uid)) : undefined;
  return unitText({
    scope,
    command,
    folder,
    home: home.folder,
    memoryMax: options.memoryMax,
    ...(givenHome === undefined ? {} : { givenHome }),
    ...(user === undefined ? {} : { user }),
    stopSeconds: Math.ceil(checkSettings(environment).DRAIN_TIMEOUT_MS / 1_000) + STOP_EXTRA_SECONDS,
    searchPath: `${dirname(process.execPath)}:${USUAL_PATH}`,
  });
}

function scopeOf({ system, user }: ServiceOptions): Scope {
  if (system && user) throw new CommandFailure(EXIT.usage, 'error: give --system or --user, not both.');
  if (system || user) return system ? 'system' : 'user';
  return process.getuid?.() === 0 ? 'system' : 'user';
}

function unitName(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be letters, digits, "-" and "_".');
}

function memorySize(text: string): string {
  if (/^[1-9]\d{0,6}[MG]$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a size such as 1500M or 2G.');
}
