import { type DestinationStream, type Logger, pino } from 'pino';
import { isOpenOn, openRotatingOutput } from './rotating-output.ts';

export type { Logger } from 'pino';

const LOG_PIECE_BYTES = 4_096;
const LOG_FLUSH_MS = 100;
/** Lines that wait for a reader who does not read, or for a full disk; those beyond are lost. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * A service's logger: JSON lines on standard output. Prompts, answers, keys and upstream bodies must never be given to
 * it; as a second line of defence well-known names of secrets are cut out, and errors are reduced to type, message and
 * stack, because provider errors carry whole requests and responses.
 */
export function createLogger(service: string, level: string, destination: DestinationStream = openLogOutput()): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
    redact: {
      paths: [
        'apikey',
        'apiKey',
        'authorization',
        'prompt',
        'text',
        'answer',
        'password',
        'pepper',
        '*.apikey',
        '*.apiKey',
        '*.authorization',
        '*.prompt',
        '*.text',
      ],
      censor: '[cut]',
    },
  };
  return pino(options, destination);
}

/**
 * Where a service's lines go: standard output, written in pieces and at least ten times a second, because a system call
 * for each line would be a twentieth of what a request costs the gateway. What is left is written when the process exits;
 * a killed one loses a tenth of a second.
 *
 * @param file the file that standard output is open on, where the service is to rotate it
 */
export function openLogOutput(file?: string): DestinationStream {
  if (file !== undefined && isOpenOn(file)) return openRotatingOutput(file);
  const output = pino.destination({ sync: false, minLength: LOG_PIECE_BYTES, maxLength: MOST_WAITING_BYTES });
  // A full disk must not end the service: the lines wait, and the next flush tries again. When it stops, pino's own last
  // flush would try for ever.
  let refused = false;
  output.on('error', () => {
    refused = true;
  });
  output.on('write', () => {
    refused = false;
  });
  process.prependListener('exit', () => {
    if (refused) output.destroy();
  });
  setInterval(() => output.flush(), LOG_FLUSH_MS).unref();
  return output;
}

/** A URL's path, with the values of its query cut: the query holds keys and prompts. */
export function loggableUrl(url: string): string {
  const question = url.indexOf('?');
  return question < 0 ? url : `${url.slice(0, question)}?…`;
}

/** What of an error may be logged: its type, message and stack; never the properties that libraries hang on it. */
function describeError(error: unknown): Record<string, string> {
  if (!(error instanceof Error)) return { type: typeof error };
  return { type: error.name, message: error.message, stack: error.stack ?? '' };
}
