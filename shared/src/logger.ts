import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

const LOG_PIECE_BYTES = 4_096;
const LOG_FLUSH_MS = 100;

/** The fields of log lines; every line of one request carries `requestId`. */
export interface LogFields {
  readonly requestId?: string;
  readonly keyId?: string;
  readonly route?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly attempt?: number;
  readonly reason?: string;
}

/**
 * A service's logger: JSON lines on standard output. Prompts, answers, keys and upstream bodies must never be given to
 * it; as a second line of defence well-known names of secrets are cut out, and errors are reduced to type, message and
 * stack, because provider errors carry whole requests and responses.
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
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
  return pino(options, destination ?? openOutput());
}

/**
 * Standard output, written in pieces and at least ten times a second: a system call for each line would be a twentieth of
 * what a request costs the gateway. What is left is written when the process exits; a killed one loses a tenth of a second.
 */
function openOutput(): DestinationStream {
  const output = pino.destination({ sync: false, minLength: LOG_PIECE_BYTES });
  setInterval(() => output.flush(), LOG_FLUSH_MS).unref();
  return output;
}

/** A URL's path, with the values of its query cut: the query holds keys and prompts. */
export function loggableUrl(url: string): string {
  const question = url.indexOf('?');
  return question < 0 ? url : `${url.slice(0, question)}?…`;
}

/** What of an error may be logged: its type, message and stack; never the properties that libraries hang on it. */
export function describeError(error: unknown): Record<string, string> {
  if (!(error instanceof Error)) return { type: typeof error };
  return { type: error.name, message: error.message, stack: error.stack ?? '' };
}
