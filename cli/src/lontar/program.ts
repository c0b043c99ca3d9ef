import type { Environment } from '@lontar/shared/config/read-config.ts';
import { showHidden } from '@lontar/shared/hidden-characters.ts';
import { VERSION } from '@lontar/shared/version.ts';
import { Command } from 'commander';
import { describeFailure, EXIT } from '../failure/failure.ts';
import type { Surroundings } from '../settings/environment.ts';
import { nameCommands, typedCommand } from '../settings/typed-command.ts';
import { type CommandContext, createContext, type Streams } from './command-context.ts';
import { addAdminTokensCommand } from './commands/admin-tokens.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBackupCommand, addRestoreCommand } from './commands/backup.ts';
import { addConfigCommand } from './commands/config.ts';
import { addDashboardCommand } from './commands/dashboard.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addIpsCommand } from './commands/ips.ts';
import { addKeysCommand } from './commands/keys.ts';
import { addMaskCommand } from './commands/mask.ts';
import { addModelsCommand } from './commands/models.ts';
import { addQueueCommand } from './commands/queue.ts';
import { addServiceCommand } from './commands/service.ts';
import { addSessionsCommand } from './commands/sessions.ts';
import { addUsageCommand } from './commands/usage.ts';

/** Every command of `lontar`. A new one is a file beside these and a line here. */
const COMMANDS: readonly ((program: Command, context: CommandContext) => void)[] = [
  addKeysCommand,
  addUsageCommand,
  addIpsCommand,
  addQueueCommand,
  addModelsCommand,
  addDashboardCommand,
  addSessionsCommand,
  addAdminTokensCommand,
  addAuditCommand,
  addDoctorCommand,
  addConfigCommand,
  addServiceCommand,
  addMaskCommand,
  addBackupCommand,
  addRestoreCommand,
];

const EXIT_CODES_HELP = `
Exit codes:
  0  done
  1  failed
  2  wrong usage or configuration
  3  what was named does not exist
  4  Redis cannot be reached`;

/**
 * Runs one command.
 *
 * @param args the words after `lontar`
 * @param environment of this process, which says how commands are typed here
 * @returns the exit code
 */
export async function runLontar(
  args: readonly string[],
  readSurroundings: () => Surroundings,
  streams: Streams,
  environment: Environment = {},
): Promise<number> {
  const say = (text: string) => streams.err.write(safeLines(nameCommands(text, environment)));
  try {
    const program = new Command(typedCommand(environment))
      .description('Operates a Lontar service: its API keys, its health, its settings.')
      .version(VERSION, '-V, --version', 'print the version')
      .option('--json', 'print data as JSON, for programs')
      .addHelpText('after', EXIT_CODES_HELP)
      .configureHelp({ showGlobalOptions: true })
      .configureOutput({
        writeOut: (text) => streams.out.write(text),
        writeErr: (text) => say(text),
      })
      .showHelpAfterError('(add --help for the usage)')
      .exitOverride();
    const context = createContext(readSurroundings, environment, streams, () => program.opts()['json'] === true);
    for (const add of COMMANDS) add(program, context);
    await program.parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    const { exitCode, message } = describeFailure(error);
    if (message !== undefined) say(`${message}\n`);
    return exitCode;
  }
}

/** A message repeats what was given: strip terminal escapes. */
function safeLines(text: string): string {
  return text.split('\n').map(showHidden).join('\n');
}
