import { addressBits } from '@lontar/shared/address.ts';
import { DEFAULT_CONCURRENCY, DEFAULT_STORAGE_BYTES } from '@lontar/shared/api-key-record.ts';
import { PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import { findHidden } from '@lontar/shared/hidden-characters.ts';
import { MASK_TYPES, type MaskType } from '@lontar/shared/settlement/settlement.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from '../failure/failure.ts';
import { BYTE_SIZE_EXAMPLES, parseByteSize, showByteSize } from '../keys/byte-size.ts';
import { DURATION_EXAMPLES, type Moment, momentMs, parseDuration, parseMoment } from '../keys/duration.ts';
import type { AddressRule, KeyLimits } from '../keys/key-limits.ts';

const MOST_REQUESTS = 1_000_000_000;
const MOST_NAME_CHARACTERS = 100;
const MOST_ADDRESSES = 100;

/** What takes a limit away. A word, because commander turns `null` into an empty text. */
const NONE = 'none';
type OrNone<Value> = Value | typeof NONE;

/** Options of `keys create` and `keys update` as commander gives them. */
export interface KeyOptions {
  readonly name?: string;
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
  const add = (flags: string, about: string, parse: (text: string) => unknown) =>
    command.addOption(new Option(flags, about).argParser(orNone(parse)));
  add('--per-hour <N>', 'requests in any 3,600 seconds', (text) => count(text, 1_000_000));
  add('--per-day <N>', 'requests in a UTC day', (text) => count(text, MOST_REQUESTS));
  add('--credits <N>', 'answered requests in all; one answer costs one credit', (text) => count(text, MOST_REQUESTS));
  add('--concurrency <N>', `requests in flight at once (${DEFAULT_CONCURRENCY} unless given)`, (text) =>
    count(text, 10_000),
  );
  add('--models <a,b>', `models the key may use, of ${PUBLIC_MODELS.join(', ')} (all unless given)`, models);
  add('--addresses <cidr,…>', 'addresses and networks the key may be used from (all unless given)', addresses);
  add('--max-output-tokens <N>', 'the longest answer, tokens', (text) => count(text, 1_000_000));
  add(
    '--storage <BYTES>',
    `what the files it uploads may take: ${BYTE_SIZE_EXAMPLES} (${showByteSize(DEFAULT_STORAGE_BYTES)} unless given)`,
    byteSize,
  );
  add(
    '--expires <DATE>',
    `when the key ends: 2027-01-31, 2027-01-31T18:00Z, or from now: ${DURATION_EXAMPLES}`,
    moment,
  );
  addPolicyOptions(command);
  return clearable
    ? command.addHelpText('after', '\nA limit is taken away with "none", for example: --per-day none')
    : command;
}

/** What is no limit, and has a word for each of its values. */
function addPolicyOptions(command: Command): void {
  const leaves = new Option(
    '--on-disconnect <WHAT>',
    'what becomes of a request whose caller leaves (abort unless given)',
  );
  command
    .option('--mask <TYPES>', `what is masked in answers under /v1: all, or some of ${MASK_TYPES.join()}`, maskTypes)
    .option('--keep-own', 'leave values as they are that the caller sent with the same request, under /v1')
    .option('--no-keep-own', 'mask them too (unless given)')
    .option('--address-limit', 'the hourly limit of addresses binds the key (unless given)')
    .option('--no-address-limit', 'it does not, nor do the requests of the key count for others there')
    .addOption(leaves.choices(['abort', 'finish']));
}

/**
 * A key's name: what lists and the dashboard show.
 *
 * @throws CommandFailure rather than commander's error, which repeats what was given
 */
export function keyName(text: string): string {
  const name = text.trim();
  const hidden = findHidden(name);
  if (name !== '' && name.length <= MOST_NAME_CHARACTERS && hidden === undefined) return name;
  throw new CommandFailure(
    EXIT.usage,
    `error: option '--name <NAME>' must have 1 to ${MOST_NAME_CHARACTERS} characters that are seen: no tabs, line breaks, other control characters or marks that turn the direction of writing${hidden === undefined ? '' : `; it has ${hidden}`}.`,
  );
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
export function keyLimits(options: KeyOptions, nowMs: number): KeyLimits {
  return {
    name: options.name,
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

function expiryMs(expires: Moment | null | undefined, nowMs: number): number | null | undefined {
  if (expires === undefined || expires === null) return expires;
  const expiresAt = momentMs(expires, nowMs);
  if (expiresAt > nowMs) return expiresAt;
  throw new CommandFailure(
    EXIT.usage,
    `error: option '--expires <DATE>' must lie in the future; ${new Date(expiresAt).toISOString()} has passed.`,
  );
}

function count(text: string, most: number): number {
  const value = Number(text);
  if (!/^\d{1,10}$/.test(text) || value < 1 || value > most) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  }
  return value;
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

function models(text: string): string[] {
  const names = listOf(text);
  const unknown = names.filter((name) => !(PUBLIC_MODELS as readonly string[]).includes(name));
  if (unknown.length > 0 || names.length === 0) {
    throw new InvalidArgumentError(`It must be a list of ${PUBLIC_MODELS.join(', ')}.`);
  }
  return names;
}

/** In the order of MASK_TYPES, each once. */
function maskTypes(text: string): readonly MaskType[] {
  const names = listOf(text);
  if (names.length === 1 && names[0] === 'all') return MASK_TYPES;
  const isKnown = names.every((name) => (MASK_TYPES as readonly string[]).includes(name));
  if (isKnown && names.length > 0) return MASK_TYPES.filter((type) => names.includes(type));
  throw new InvalidArgumentError(`It must be all, or a list of ${MASK_TYPES.join(', ')}, such as url,key.`);
}

function addresses(text: string): AddressRule[] {
  const rules = listOf(text).map((item) => ({ text: item, bits: addressBits(item) }));
  const valid = rules.filter((rule): rule is AddressRule => rule.bits !== undefined);
  const wrong = rules.find(({ bits }) => bits === undefined);
  if (wrong) {
    throw new InvalidArgumentError(
      `${JSON.stringify(wrong.text)} is no address or network. Examples: 203.0.113.9, 198.51.100.0/24, 2001:db8::/48.`,
    );
  }
  if (valid.length === 0 || valid.length > MOST_ADDRESSES) {
    throw new InvalidArgumentError(`It must have 1 to ${MOST_ADDRESSES} addresses or networks.`);
  }
  return valid;
}

function moment(text: string): Moment {
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
