import { Command, InvalidArgumentError } from 'commander';

const MOST_PROCESSES = 64;

export interface StartOptions {
  readonly workers: number;
  readonly gateways: number;
}

/**
 * Reads the words after `npm start --`, or as that is typed here.
 *
 * @throws CommanderError for unknown or bad options, and after `--help`
 */
export function readOptions(
  args: readonly string[],
  typed: string,
  streams: { out: { write(text: string): unknown }; err: { write(text: string): unknown } },
): StartOptions {
  const command = new Command(typed)
    .description(
      'Starts Lontar: a Redis of its own unless REDIS_URL names one, gateway, worker and stats-service. Ctrl-C stops it.',
    )
    .option('--workers <N>', 'how many workers', processCount, 1)
    .option('--gateways <N>', 'how many gateways; those beyond the first take the next free ports', processCount, 1)
    .allowExcessArguments(false)
    .addHelpText('after', '\nSettings come from the environment and the file .env; see docs/configuration.md.')
    .configureOutput({ writeOut: (text) => streams.out.write(text), writeErr: (text) => streams.err.write(text) })
    .showHelpAfterError(`(${helpLine(typed)})`)
    .exitOverride();
  return command.parse(args, { from: 'user' }).opts<StartOptions & Record<string, unknown>>();
}

/** npm keeps for itself what does not stand behind `--`. */
function helpLine(typed: string): string {
  const behind = typed.startsWith('npm ') ? `Options stand behind --: ${typed} --workers 2. ` : '';
  return `${behind}Ports and the like are settings: PORT=9000. ${typed} --help shows the options`;
}

function processCount(text: string): number {
  const count = Number(text);
  if (!/^\d{1,3}$/.test(text) || count < 1 || count > MOST_PROCESSES) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_PROCESSES}.`);
  }
  return count;
}
