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

const SCAN_COUNT = 1_000;

export function isDurable(name: string): boolean {
  return DURABLE.some((pattern) => pattern.test(name)) && !FLEETING.some((pattern) => pattern.test(name));
}

/** Names of all durable keys; each once, those that come or go meanwhile perhaps. */
export async function findDurableKeys(redis: Redis): Promise<string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, names] = await redis.scan(cursor, 'MATCH', toGlob(redisKeys.apiKeyIndex), 'COUNT', SCAN_COUNT);
    for (const name of names) if (isDurable(name)) found.add(name);
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

function toPattern(name: string): RegExp {
  const [head = '', ...rest] = name.split('*').map((text) => text.replaceAll(/[{}().?+^$|[\]\\]/g, '\\$&'));
  return new RegExp(`^${[head, ...rest].join('.+')}$`);
}

/** Everything under the hash tag that all of Lontar's keys carry. */
function toGlob(example: string): string {
  return `${example.slice(0, example.indexOf('}') + 1)}:*`;
}
