import { isJobKey } from '@lontar/shared/generation-queue.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';

/**
 * Names of what a backup holds: what would be missed for good. Jobs, reservations, inboxes, pending events, sessions and
 * the like belong to a running service and end with it.
 */
const DURABLE = [
  redisKeys.apiKey('*'),
  redisKeys.apiKeyIndex,
  redisKeys.keyHour('*'),
  redisKeys.addressHour('*'),
  redisKeys.addressBadKeys('*'),
  redisKeys.addressBan('*'),
  redisKeys.blockedAddresses,
  redisKeys.uploads('*', '*'),
  redisKeys.upload('*'),
  redisKeys.uploadTotals,
  redisKeys.stats('*'),
].map(toPattern);

/** Of the statistics: sessions and sign-ins, and what looks back minutes only. */
const FLEETING = ['session:*', 'sign-in:*', 'sign-in-failures:*', 'moment:*', 'active-users'].map((name) =>
  toPattern(redisKeys.stats(name)),
);

/**
 * What belongs to requests and uploads in work and to events not yet counted. Their settling would act on keys and
 * statistics that were restored and know nothing of them.
 */
const IN_WORK = [
  redisKeys.keyFlight('*'),
  redisKeys.keysInFlight,
  redisKeys.request('*'),
  redisKeys.openUploads,
  redisKeys.events,
].map(toPattern);

const SCAN_COUNT = 1_000;

export function isDurable(name: string): boolean {
  return DURABLE.some((pattern) => pattern.test(name)) && !FLEETING.some((pattern) => pattern.test(name));
}

export function isInWork(name: string): boolean {
  return isJobKey(name) || IN_WORK.some((pattern) => pattern.test(name));
}

/** Names of all durable keys; each once, those that come or go meanwhile perhaps. */
export function findDurableKeys(redis: Redis): Promise<string[]> {
  return findKeys(redis, isDurable);
}

/** As `findDurableKeys`, of the keys whose name is asked for. */
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

function toPattern(name: string): RegExp {
  const [head = '', ...rest] = name.split('*').map((text) => text.replaceAll(/[{}().?+^$|[\]\\]/g, '\\$&'));
  return new RegExp(`^${[head, ...rest].join('.+')}$`);
}

/** Everything under the hash tag that all of Lontar's keys carry. */
function toGlob(example: string): string {
  return `${example.slice(0, example.indexOf('}') + 1)}:*`;
}
