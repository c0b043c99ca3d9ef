import { type DestinationStream, type Logger, pino } from 'pino';
import { isOpenOn, openRotatingOutput } from './rotating-output.ts';

export type { Logger } from 'pino';

/** Lines are handed to the operating system in pieces of about so many characters, and at least as often as this, ms. */
const LOG_PIECE_CHARS = 16_384;
const LOG_FLUSH_MS = 100;
/** What pino holds back by itself: more than we ever hand over at once, so that it writes when it is told to. */
const HELD_BACK_BYTES = 131_072;
/** Lines that wait for a reader who does not read, or for a full disk; those beyond are lost. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** Of a logger that says nothing: an output listens for the end of the process, and tests make dozens of such loggers. */
const NOWHERE: DestinationStream = { write: () => undefined };

/**
 * A service's logger: JSON lines on standard output. Prompts, answers, keys and upstream bodies must never be given to
 * it; as a second line of defence well-known names of secrets are cut out, and errors are reduced to type, message and
 * stack, because provider errors carry whole requests and responses.
 */
export function createLogger(
  service: string,
  level: string,
  destination: DestinationStream = level === 'silent' ? NOWHERE : openLogOutput(),
): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
  };
  return pino({ ...options, formatters: { ...options.formatters, log: cutSecrets } }, destination);
}

const CUT = '[cut]';
/** Of these `describeError` takes three things and no more. */
const SERIALIZED: ReadonlySet<string> = new Set(['err', 'error']);
/** Names whose values are cut out of a line's fields, and out of objects among them. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(
  'apikey apiKey authorization prompt text answer password pepper'.split(' '),
);
const SECRET_INNER_FIELDS = ['apikey', 'apiKey', 'authorization', 'prompt', 'text'] as const;

/**
 * Cuts well-known names of secrets out of a line. Pino's own redaction copies each field of each line, which was an eighth
 * of all memory that a gateway asked for; a line without such names is left as it is.
 */
function cutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  let cut: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value === undefined || SERIALIZED.has(name)) continue;
    const kept = SECRET_FIELDS.has(name) ? CUT : typeof value === 'object' ? cutInner(value) : value;
    if (kept !== value) (cut ??= { ...fields })[name] = kept;
  }
  return cut ?? fields;
}

function cutInner(value: object | null): unknown {
  if (value === null) return value;
  const named = SECRET_INNER_FIELDS.filter((name) => Object.hasOwn(value, name));
  if (named.length === 0) return value;
  return { ...value, ...Object.fromEntries(named.map((name) => [name, CUT])) };
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
  const output = pino.destination({
    sync: false,
    minLength: HELD_BACK_BYTES,
    maxWrite: HELD_BACK_BYTES + 1,
    maxLength: MOST_WAITING_BYTES,
  });
  // A full disk must not end the service: the lines wait, and the next flush tries again. When it stops, pino's own last
  // flush would try for ever.
  let refused = false;
  /** Handed over and not written yet, bytes: a flush while another piece is being written does nothing. */
  let owed = 0;
  output.on('error', () => {
    refused = true;
  });
  output.on('write', (bytes) => {
    refused = false;
    owed -= bytes;
  });
  output.on('drop', (lost) => {
    owed -= Buffer.byteLength(lost);
  });
  // Pino puts each line behind those before it as one text, and measures that anew: gathered here, each is measured once.
  let lines: string[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  const handOver = () => {
    const piece = lines.join('');
    [lines, characters] = [[], 0];
    owed += Buffer.byteLength(piece);
    if (piece !== '') output.write(piece);
  };
  // Not always: a process that has nothing to say would wake up ten times a second.
  const flush = () => {
    handOver();
    if (owed > 0) output.flush();
    timer = owed > 0 ? setTimeout(flush, LOG_FLUSH_MS).unref() : undefined;
  };
  process.prependListener('exit', () => {
    if (refused) output.destroy();
    else handOver();
  });
  return {
    write(line) {
      lines.push(line);
      characters += line.length;
      timer ??= setTimeout(flush, LOG_FLUSH_MS).unref();
      if (characters < LOG_PIECE_CHARS) return;
      handOver();
      output.flush();
    },
  };
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
