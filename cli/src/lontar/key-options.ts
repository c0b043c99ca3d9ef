import { DEFAULT_CONCURRENCY, DEFAULT_STORAGE_BYTES } from '@lontar/shared/api-key-record.ts';
import { InvalidTerms } from '@lontar/shared/keys/key-refusals.ts';
import { readTerm, requireFuture, type TermName } from '@lontar/shared/keys/key-rules.ts';
import type { AddressRule, KeyTerms } from '@lontar/shared/keys/key-terms.ts';
import { MASK_TYPES, type MaskType } from '@lontar/shared/settlement/settlement.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from '../failure/failure.ts';
import { BYTE_SIZE_EXAMPLES, parseByteSize, showByteSize } from './byte-size.ts';
import { DURATION_EXAMPLES, type Moment, momentMs, parseDuration, parseMoment } from './duration.ts';

/** What takes a limit away. A word, because commander turns `null` into an empty text. */
const NONE = 'none';
type OrNone<Value> = Value | typeof NONE;

/** Options of `keys create` and `keys update` as commander gives them. */
export interface KeyOptions {
  readonly name?: string;
  readonly owner?: OrNone<string>;
  readonly note?: OrNone<string>;
  readonly perHour?: OrNone<number>;
  readonly perDay?: OrNone<number>;
  readonly credits?: OrNone<number>;
  readonly concurrency?: OrNone<number>;
  readonly models?: OrNone<readonly string[]>;
  readonly addresses?: OrNone<readonly AddressRule[]>;
  readonly maxOutputTokens?: OrNone<number>;
  readonly storage?: OrNone<number>;
  readonly expires?: OrNone<Moment>;
  readonly mask?: readonly MaskType[];
  readonly keepOwn?: boolean;
  readonly addressLimit?: boolean;
  readonly onDisconnect?: 'abort' | 'finish';
}

/**
 * Adds the options that say what a key may do.
 *
 * @param clearable whether `none` takes a limit away, as it does when a key is updated
 */
export function addKeyOptions(command: Command, clearable: boolean): Command {
  const orNone = <Value>(parse: (text: string) => Value) => {
    return (text: string) => (clearable && text === NONE ? NONE : parse(text));
  };
  // An update changes what is given alone, and goes by no default.
  const usual = (value: string) => (clearable ? '' : ` (default: ${value})`);
  const add = (flags: string, about: string, parse: (text: string) => unknown) =>
    command.addOption(new Option(flags, about).argParser(orNone(parse)));
  add('--owner <OWNER>', 'who the key belongs to, in your own words: a name, an address, a number', (text) =>
    words('owner', text),
  );
  add('--note <NOTE>', 'a note for yourself', (text) => words('note', text));
  add('--per-hour <N>', 'requests in any 3,600 seconds', (text) => count('perHour', text));
  add('--per-day <N>', 'requests in a UTC day', (text) => count('perDay', text));
  add('--credits <N>', 'answered requests in all; one answer costs one credit', (text) => count('credits', text));
  add('--concurrency <N>', `requests in flight at once${usual(String(DEFAULT_CONCURRENCY))}`, (text) =>
    count('concurrency', text),
  );
  add('--models <a,b>', `models the key may use${usual('all')}, listed by lontar models list`, models);
  add('--addresses <cidr,…>', `addresses and networks the key may be used from${usual('all')}`, addresses);
  add('--max-output-tokens <N>', 'the longest answer, tokens', (text) => count('maxOutputTokens', text));
  add(
    '--storage <BYTES>',
    `how much its uploaded files may take: ${BYTE_SIZE_EXAMPLES}${usual(showByteSize(DEFAULT_STORAGE_BYTES))}`,
    byteSize,
  );
  add(
    '--expires <DATE>',
    `when the key ends: 2027-01-31, 2027-01-31T18:00Z, or from now: ${DURATION_EXAMPLES}`,
    moment,
  );
  addPolicyOptions(command, usual);
  return clearable
    ? command.addHelpText('after', '\n"none" removes a limit, or brings back the default: --per-day none')
    : command;
}

/** What is no limit, and has a word for each of its values. */
function addPolicyOptions(command: Command, usual: (value: string) => string): void {
  const leaves = new Option(
    '--on-disconnect <WHAT>',
    `whether a request ends or goes on when its caller disconnects${usual('abort')}`,
  );
  command
    .option('--mask <TYPES>', `what is masked in answers under /v1: all, or some of ${MASK_TYPES.join()}`, maskTypes)
    .option('--keep-own', 'under /v1, do not mask values that the caller sent in the same request')
    .option('--no-keep-own', `mask these values, too${usual('yes')}`)
    .option('--address-limit', `RATE_LIMIT_PER_HOUR of the address applies to the key${usual('yes')}`)
    .option('--no-address-limit', 'RATE_LIMIT_PER_HOUR does not apply to the key, and does not count its requests')
    .addOption(leaves.choices(['abort', 'finish']));
}

/**
 * A key's name: what lists and the dashboard show.
 *
 * @throws CommandFailure rather than commander's error, which repeats what was given
 */
export function keyName(text: string): string {
  return words('name', text);
}

function words(field: 'name' | 'owner' | 'note', text: string): string {
  try {
    return readTerm(field, text) ?? '';
  } catch (error) {
    if (!(error instanceof InvalidTerms)) throw error;
    const flags = `--${field} <${field.toUpperCase()}>`;
    throw new CommandFailure(EXIT.usage, `error: option '${flags}' ${error.problems[0]?.rule}.`);
  }
}

/**
 * A length of time, ms.
 *
 * @throws InvalidArgumentError for what is none; commander names the option with it
 */
export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new InvalidArgumentError(`It must be a length of time, such as ${DURATION_EXAMPLES}; or 0.`);
  return ms;
}

/**
 * What the options mean for a key.
 *
 * @param nowMs the clock of Redis, by which keys expire
 * @throws CommandFailure when the key would have expired already
 */
export function keyTerms(options: KeyOptions, nowMs: number): KeyTerms {
  return {
    name: options.name,
    owner: limitOf(options.owner),
    note: limitOf(options.note),
    perHour: limitOf(options.perHour),
    perDay: limitOf(options.perDay),
    credits: limitOf(options.credits),
    concurrency: limitOf(options.concurrency),
    models: limitOf(options.models),
    addresses: limitOf(options.addresses),
    maxOutputTokens: limitOf(options.maxOutputTokens),
    storage: limitOf(options.storage),
    expiresAt: expiryMs(limitOf(options.expires), nowMs),
    mask: options.mask,
    keepOwn: options.keepOwn,
    addressLimit: options.addressLimit,
    onDisconnect: options.onDisconnect,
  };
}

function limitOf<Value>(option: OrNone<Value> | undefined): Value | null | undefined {
  return option === NONE ? null : option;
}

/**
 * When what is made expires, Unix ms.
 *
 * @param nowMs the clock of Redis
 * @throws CommandFailure when that has passed
 */
export function expiryMs(expires: Moment | null | undefined, nowMs: number): number | null | undefined {
  if (expires === undefined || expires === null) return expires;
  const expiresAt = momentMs(expires, nowMs);
  try {
    requireFuture(expiresAt, nowMs);
  } catch (error) {
    if (!(error instanceof InvalidTerms)) throw error;
    throw new CommandFailure(EXIT.usage, `error: option '--expires <DATE>' ${error.problems[0]?.rule}.`);
  }
  return expiresAt;
}

/** One field by its rule, which commander puts behind the option's name. */
function term<Name extends TermName>(name: Name, value: unknown): ReturnType<typeof readTerm<Name>> {
  try {
    return readTerm(name, value);
  } catch (error) {
    if (error instanceof InvalidTerms) throw new InvalidArgumentError(`It ${error.problems[0]?.rule}.`);
    throw error;
  }
}

function count(
  name: 'perHour' | 'perDay' | 'credits' | 'concurrency' | 'maxOutputTokens',
  text: string,
): number | null {
  return term(name, /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN);
}

function byteSize(text: string): number {
  const bytes = parseByteSize(text);
  if (bytes === undefined) {
    throw new InvalidArgumentError(
      `It must be a number of bytes, such as ${BYTE_SIZE_EXAMPLES} (1 KB is 1,024 bytes).`,
    );
  }
  return bytes;
}

function models(text: string): readonly string[] | null {
  return term('models', listOf(text));
}

function maskTypes(text: string): readonly MaskType[] {
  return term('mask', text.trim() === 'all' ? 'all' : listOf(text));
}

function addresses(text: string): readonly AddressRule[] | null {
  return term('addresses', listOf(text));
}

/**
 * A date, or a length of time from now.
 *
 * @throws InvalidArgumentError for what is none
 */
export function moment(text: string): Moment {
  const parsed = parseMoment(text);
  if (parsed === undefined) {
    throw new InvalidArgumentError(
      `It must be a date (2027-01-31), a date and time (2027-01-31T18:00Z) or a time from now (${DURATION_EXAMPLES}).`,
    );
  }
  return parsed;
}

function listOf(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))];
}
