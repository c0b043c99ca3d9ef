import type { Environment } from '@lontar/shared/config/read-config.ts';
import { showHidden } from '@lontar/shared/hidden-characters.ts';
import { VERSION } from '@lontar/shared/version.ts';
import { Command } from 'commander';
import { describeFailure, EXIT } from '../failure/failure.ts';
import type { Surroundings } from '../settings/environment.ts';
import { nameCommands, typedCommand } from '../settings/typed-command.ts';
import { type CommandContext, createContext, type Streams } from './command-context.ts';

/** Commands by their names. Each is loaded when it is wanted, and adds itself to the program. */
export type Commands = Readonly<Record<string, () => Promise<(program: Command, context: CommandContext) => void>>>;

const EXIT_CODES_HELP = `
Exit codes:
  0  done
  1  failed
  2  wrong usage or configuration
  3  what was named does not exist
  4  Redis cannot be reached`;

/**
 * Runs one of these commands.
 *
 * @param args the words after `lontar`
 * @param environment of this process, which says how commands are typed here
 * @returns the exit code
 */
export async function runCommand(
  commands: Commands,
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
    for (const load of wantedCommands(commands, args)) (await load())(program, context);
    await program.parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    const { exitCode, message } = describeFailure(error);
    if (message !== undefined) say(`${message}\n`);
    return exitCode;
  }
}

/** The command that is named, or all for whoever wants help with them. The options before a command have no values. */
function wantedCommands(commands: Commands, args: readonly string[]): Commands[string][] {
  const name = args.find((arg) => !arg.startsWith('-')) ?? '';
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return named === undefined ? Object.values(commands) : [named];
}

/** A message repeats what was given: strip terminal escapes. */
function safeLines(text: string): string {
  return text.split('\n').map(showHidden).join('\n');
}
