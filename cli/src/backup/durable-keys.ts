import { isJobKey } from '@lontar/shared/generation-queue.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { ValueType } from './backup-format.ts';
import { isSketch } from './sketch-form.ts';

/** Redis entries that a backup holds: what would be missed for good. */
export interface DurableFamily {
  /** The exact form of their names. */
  readonly names: RegExp;
  readonly type: ValueType;
  /** Fields, members, elements or entries at most; more than Lontar ever writes. */
  readonly most: number;
  /** What an item must be like, beyond what its type asks; absent where any bytes will do. */
  readonly isItem?: (item: readonly Buffer[]) => boolean;
}

const KEY_ID = '[0-9A-Za-z]{10}';
const UPLOAD_ID = 'file_[0-9A-Za-z]{22}';
/** As `limitAddress` writes it. */
const ADDRESS = '(?:unknown|[0-9a-f.:]{2,45}(?:/56)?)';
const DAY = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const MONTH = '[0-9]{4}-[0-9]{2}';
const USAGE_OF = `(?:all|none|others|${KEY_ID})`;
const SCOPE = `(?:all|${DAY})`;
const WINDOW_SECONDS = 4_000;
const SMALL = 20_000;
const LARGE = 20_000_000;
/** What `lontar ips block` writes. A ban that an address earned ends within the hour and is not worth keeping. */
export const OPERATORS_BAN = 'operator';

const EMPTY = Buffer.alloc(0);

const isCount = ([value = Buffer.alloc(0)]: readonly Buffer[]) => /^-?[0-9]{1,15}$/.test(value.toString('latin1'));
/** Statistics that add to a row take it for numbers. */
const isUsage = ([row = EMPTY, counts = EMPTY]: readonly Buffer[]) =>
  /^[0-3][0-9] .{1,100}$/s.test(row.toString()) &&
  /^[0-9]{1,16}(?:,[0-9]{1,16}){0,63}$/.test(counts.toString('latin1'));

/**
 * Every key that a backup may hold and a restore may write. Jobs, reservations, inboxes, pending events, sessions and the
 * like belong to a running service and end with it; they are named in NOT_DURABLE, so that a new kind of key is in one of
 * the two lists.
 */
export const DURABLE: readonly DurableFamily[] = [
  { names: named(redisKeys.apiKey('*'), KEY_ID), type: 'hash', most: 100 },
  { names: named(redisKeys.apiKeyIndex), type: 'zset', most: LARGE },
  { names: named(redisKeys.apiKeyUse), type: 'zset', most: LARGE },
  { names: named(redisKeys.apiKeysDeleted), type: 'zset', most: LARGE },
  { names: named(redisKeys.keyUsage('*', '*'), USAGE_OF, MONTH), type: 'hash', most: SMALL, isItem: isUsage },
  { names: named(redisKeys.keyHour('*'), KEY_ID), type: 'list', most: WINDOW_SECONDS },
  { names: named(redisKeys.addressHour('*'), ADDRESS), type: 'list', most: WINDOW_SECONDS },
  { names: named(redisKeys.addressBadKeys('*'), ADDRESS), type: 'list', most: WINDOW_SECONDS },
  {
    names: named(redisKeys.addressBan('*'), ADDRESS),
    type: 'string',
    most: 1,
    isItem: ([value]) => /^(?:operator|brute-force)$/.test(value?.toString('latin1') ?? ''),
  },
  { names: named(redisKeys.blockedAddresses), type: 'zset', most: LARGE },
  { names: named(redisKeys.uploads('*', '*'), DAY, ADDRESS), type: 'string', most: 1, isItem: isCount },
  { names: named(redisKeys.upload('*'), UPLOAD_ID), type: 'hash', most: 100 },
  { names: named(redisKeys.uploadTotals), type: 'hash', most: SMALL },
  { names: named(redisKeys.adminTokens), type: 'hash', most: SMALL },
  { names: named(redisKeys.audit), type: 'stream', most: LARGE },
  { names: named(redisKeys.stats('totals')), type: 'hash', most: SMALL },
  { names: named(redisKeys.stats('day:*'), DAY), type: 'hash', most: SMALL },
  { names: named(redisKeys.stats('response-times:*'), DAY), type: 'hash', most: SMALL },
  { names: named(redisKeys.stats('*:*'), '(?:users|ips)', SCOPE), type: 'set', most: LARGE },
  {
    names: named(redisKeys.stats('*-sketch:*'), '(?:users|ips)', SCOPE),
    type: 'string',
    most: 1,
    isItem: ([value]) => value !== undefined && isSketch(value),
  },
  { names: named(redisKeys.stats('log')), type: 'stream', most: LARGE },
  { names: named(redisKeys.stats('log-texts')), type: 'stream', most: LARGE },
  { names: named(redisKeys.stats('log-refused')), type: 'list', most: SMALL },
  { names: named(redisKeys.stats('reset')), type: 'hash', most: SMALL },
];

/** Made of the records of API keys, and made anew by a restore. */
const INDEX: readonly RegExp[] = [
  named(redisKeys.apiKeyTexts),
  named(redisKeys.apiKeysOf('*'), '(?:active|expired|revoked)'),
  named(redisKeys.apiKeysExpiring),
];

/**
 * What belongs to requests and uploads in work and to events not yet counted. Their settling would act on keys and
 * statistics that were restored and know nothing of them, so a restore removes it. Nor is what uploads take in the storage
 * backed up: gateways count it from the uploads that are there.
 */
const IN_WORK: readonly RegExp[] = [
  ...INDEX,
  named(redisKeys.keyFlight('*'), '.+'),
  named(redisKeys.keysInFlight),
  named(redisKeys.request('*'), '.+'),
  named(redisKeys.partial('*', '*'), '.+', '(?:text|reasoning)'),
  named(redisKeys.followers('*'), '.+'),
  named(redisKeys.longJobs),
  named(redisKeys.streamNumbers('*'), '.+'),
  named(redisKeys.streamJournal('*'), '.+'),
  named(redisKeys.openUploads),
  named(redisKeys.uploadStorage),
  named(redisKeys.keyUploads('*'), '.+'),
  ...[
    redisKeys.events,
    redisKeys.eventBytes,
    redisKeys.eventTally,
    redisKeys.eventPeople,
    redisKeys.eventTallyTaken,
    redisKeys.eventPeopleTaken,
  ].map((name) => named(name)),
];

/** What a restore leaves alone: it is of the processes that run, or of an operator who is signed in, or looks back minutes. */
const OF_RUNNING: readonly RegExp[] = [
  named(redisKeys.inbox('*'), '.+'),
  named(redisKeys.eventProducer('*'), '.+'),
  named(redisKeys.instances),
  named(redisKeys.clock),
  named(redisKeys.probe('*'), '.+'),
  named(redisKeys.addressDownloads('*'), '.+'),
  named(redisKeys.keyFreeFailures('*'), '.+'),
  named(redisKeys.keyDeleted('*'), '.+'),
  named(redisKeys.cancellations),
  named(redisKeys.workers),
  named(redisKeys.workerChannel('*'), '.+'),
  named(redisKeys.upstream('*'), '.+'),
  named(redisKeys.upstreamPlaces('*'), '.+'),
  named(redisKeys.upstreamRates('*'), '.+'),
  named(redisKeys.upstreamCatalog('*'), '.+'),
  named(redisKeys.upstreamCalls('*'), '.+'),
  named(redisKeys.upstreamChanges),
  named(redisKeys.restoreTrial),
  named(redisKeys.adminTokenUses),
  named(redisKeys.adminRequests('*'), '.+'),
  named(redisKeys.adminBadTokens('*'), '.+'),
  named(redisKeys.adminBan('*'), '.+'),
  named(redisKeys.adminRefused('*', '*'), '.+', '.+'),
  named(redisKeys.auditLogged),
  ...['session:*', 'sign-in:*', 'sign-in-failures:*', 'sign-in-tries:*', 'moment:*'].map((name) =>
    named(redisKeys.stats(name), '.+'),
  ),
  ...['sessions', 'sessions-token', 'sign-in-codes', 'sign-in-tries', 'active-users', 'log-open'].map((name) =>
    named(redisKeys.stats(name)),
  ),
];

const SCAN_COUNT = 1_000;

/** What a key is, by its name; `undefined` for one that a backup does not hold. */
export function durableFamily(name: string): DurableFamily | undefined {
  return DURABLE.find(({ names }) => names.test(name));
}

/** Whether a key is known and not for a backup. */
export function isFleeting(name: string): boolean {
  return isInWork(name) || OF_RUNNING.some((names) => names.test(name));
}

export function isInWork(name: string): boolean {
  return isJobKey(name) || IN_WORK.some((names) => names.test(name));
}

/**
 * Names of all durable keys; each once, those that come or go meanwhile perhaps.
 *
 * @throws when Redis fails
 */
export function findDurableKeys(redis: Redis): Promise<string[]> {
  return findKeys(redis, (name) => durableFamily(name) !== undefined);
}

/**
 * As `findDurableKeys`, of the keys whose name is wanted.
 *
 * @throws when Redis fails
 */
export async function findKeys(redis: Redis, isWanted: (name: string) => boolean): Promise<string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, names] = await redis.scan(cursor, 'MATCH', toGlob(redisKeys.apiKeyIndex), 'COUNT', SCAN_COUNT);
    for (const name of names) if (isWanted(name)) found.add(name);
    cursor = next;
  } while (cursor !== '0');
  return [...found].sort();
}

/** The id in an upload's key; `undefined` for other keys. */
export function uploadIdOf(name: string): string | undefined {
  const prefix = redisKeys.upload('');
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}

/** The id in an API key's record; `undefined` for other keys. */
export function apiKeyIdOf(name: string): string | undefined {
  const prefix = redisKeys.apiKey('');
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}

/** Whether a key is an address's ban. */
export function isBan(name: string): boolean {
  return name.startsWith(redisKeys.addressBan(''));
}

/** An address's uploads of one UTC day. */
export interface DayCount {
  readonly day: string;
  readonly address: string;
}

/** What a count of uploads counts; `undefined` for other keys. */
export function dayCountOf(name: string): DayCount | undefined {
  const prefix = redisKeys.uploads('', '').slice(0, -1);
  if (!name.startsWith(prefix)) return undefined;
  const [day = '', ...address] = name.slice(prefix.length).split(':');
  return { day, address: address.join(':') };
}

/** The names that a pattern with stars means; each star stands for the next of the given expressions. */
function named(pattern: string, ...stars: readonly string[]): RegExp {
  const texts = pattern.split('*').map((text) => text.replaceAll(/[{}().?+^$|[\]\\]/g, '\\$&'));
  return new RegExp(`^${texts.map((text, index) => `${text}${stars[index] ?? ''}`).join('')}$`);
}

/** Everything under the hash tag that all of Lontar's keys carry. */
function toGlob(example: string): string {
  return `${example.slice(0, example.indexOf('}') + 1)}:*`;
}
