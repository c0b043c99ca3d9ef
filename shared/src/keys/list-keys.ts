import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { entriesOf, idOfEntry, searchPrefixes } from './index-entries.ts';
import { indexKeys, indexMissingKeys, type Unindexed } from './index-keys.ts';
import { KEY_STATES, type KeyQuery, type KeyState, MOST_LISTED_KEYS } from './key-query.ts';
import { InvalidTerms, UnreadableKey } from './key-refusals.ts';
import { INDEX_KEYS } from './key-scripts.ts';
import { type Candidate, idSearched, readCursor, sourcesOf, writeCursor } from './list-sources.ts';
import { findKey, type KeyInUse, keysNow } from './read-key.ts';

const expireScript = loadScript(new URL('./expire-keys.lua', import.meta.url));

export interface KeyPage {
  readonly keys: readonly KeyInUse[];
  /** Records that are there but make no sense; only where nothing but an order was asked for. */
  readonly unreadable: readonly UnreadableKey[];
  /**
   * Where the next page goes on; `null` where this is the last. A page may be short, or empty, and another one follow: each
   * looks at so many keys and no more.
   */
  readonly cursor: string | null;
}

const USUAL_KEYS = 50;
const MOST_SEARCH_CHARACTERS = 200;
/** Keys that one page looks at. */
const MOST_EXAMINED = 300;
const READ_AT_ONCE = 100;
const EXPIRED_AT_ONCE = 500;
const MOST_EXPIRED = 20_000;

/**
 * One page of keys. Takes a time that does not depend on how many there are: no command goes over all of them, but for
 * those of an earlier version of Lontar, which are indexed once.
 *
 * @throws InvalidTerms for a query that makes no sense, such as a cursor of another one
 * @throws when Redis fails
 */
export async function listKeys(redis: Redis, query: KeyQuery): Promise<KeyPage> {
  const limit = checkQuery(query);
  const byState = query.state === 'active' || query.state === 'expired';
  const [now] = await Promise.all([keysNow(redis), indexMissingKeys(redis), byState && moveExpiredKeys(redis)]);
  // Of those that a filter lets through, one page may need many.
  const isFiltered = query.state !== undefined && (query.search !== undefined || query.owner !== undefined);
  const keys: KeyInUse[] = [];
  const unreadable: UnreadableKey[] = [];
  const stale: Unindexed[] = [];
  let last: { source: number; mark: string } | undefined;
  let [examined, isEnd] = [0, true];
  for await (const { source, candidate } of candidatesOf(
    redis,
    query,
    isFiltered ? READ_AT_ONCE : Math.min(limit + 1, READ_AT_ONCE),
  )) {
    if (keys.length === limit || examined === MOST_EXAMINED) {
      isEnd = false;
      break;
    }
    examined += 1;
    last = { source, mark: candidate.mark };
    const found = candidate.key;
    if (found instanceof UnreadableKey) {
      if (query.search === undefined && query.owner === undefined && query.state === undefined) unreadable.push(found);
    } else if (found !== undefined && isListed(found, candidate, query, now)) keys.push(found);
    else if (found !== undefined && !isAsIndexed(found, candidate, now)) {
      stale.push({ id: found.id, ...(candidate.entry !== undefined && { stale: candidate.entry }) });
    }
  }
  // Written by a command of an earlier version, which does not know the index.
  if (stale.length > 0) await indexKeys(redis, stale);
  return { keys, unreadable, cursor: isEnd || last === undefined ? null : writeCursor(query, last) };
}

/**
 * How many keys there are, by state.
 *
 * @throws when Redis fails
 */
export async function countKeys(redis: Redis): Promise<Record<KeyState, number>> {
  await indexMissingKeys(redis);
  await moveExpiredKeys(redis);
  const [active = 0, expired = 0, revoked = 0] = await Promise.all(
    KEY_STATES.map((state) => redis.zcard(redisKeys.apiKeysOf(state))),
  );
  return { active, expired, revoked };
}

/** Moves keys that have expired since this was called last; what is beyond a bound, the next call does. */
async function moveExpiredKeys(redis: Redis): Promise<void> {
  for (let moved = 0; moved < MOST_EXPIRED; moved += EXPIRED_AT_ONCE) {
    if (Number(await expireScript(redis, INDEX_KEYS, [EXPIRED_AT_ONCE])) < EXPIRED_AT_ONCE) return;
  }
}

function checkQuery({ search, limit = USUAL_KEYS }: KeyQuery): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_LISTED_KEYS) {
    throw new InvalidTerms([{ field: 'limit', rule: `must be a whole number from 1 to ${MOST_LISTED_KEYS}` }]);
  }
  if (search !== undefined && search.length > MOST_SEARCH_CHARACTERS) {
    throw new InvalidTerms([{ field: 'search', rule: `must have ${MOST_SEARCH_CHARACTERS} characters at most` }]);
  }
  return limit;
}

interface Examined extends Candidate {
  readonly key: KeyInUse | UnreadableKey | undefined;
}

/** What may be listed, in order, each with its record. */
async function* candidatesOf(
  redis: Redis,
  query: KeyQuery,
  atOnce: number,
): AsyncGenerator<{ readonly source: number; readonly candidate: Examined }> {
  const sources = sourcesOf(redis, query);
  const begin = readCursor(query);
  for (let source = begin?.source ?? 0; source < sources.length; source += 1) {
    let after = source === begin?.source ? begin.mark : undefined;
    for (;;) {
      const found = (await sources[source]?.(after, atOnce)) ?? [];
      const read = await Promise.all(found.map(({ id }) => findOrTell(redis, id)));
      for (const [index, candidate] of found.entries()) {
        yield { source, candidate: { ...candidate, key: read[index] } };
      }
      if (found.length < atOnce) break;
      after = found.at(-1)?.mark;
    }
  }
}

async function findOrTell(redis: Redis, id: string): Promise<KeyInUse | UnreadableKey | undefined> {
  try {
    return await findKey(redis, id);
  } catch (error) {
    if (error instanceof UnreadableKey) return error;
    throw error;
  }
}

/** The state of a key at a moment, Unix ms. */
export function stateOf({ state, expiresAt }: Pick<KeyInUse, 'state' | 'expiresAt'>, now: number): KeyState {
  return state === 'active' && expiresAt !== undefined && expiresAt <= now ? 'expired' : state;
}

function isListed(key: KeyInUse, candidate: Candidate, query: KeyQuery, now: number): boolean {
  if (query.state !== undefined && stateOf(key, now) !== query.state) return false;
  if (query.owner !== undefined && key.owner !== query.owner) return false;
  if (candidate.entry === undefined) return true;
  const own = entriesOf(key);
  if (query.search === undefined) return own.includes(candidate.entry);
  // A key that a search finds in several ways is listed once: by its id, or by the first of its words.
  if (idSearched(query.search) === key.id) return false;
  const found = searchPrefixes(query.search).flatMap((prefix) =>
    own.filter((entry) => entry.startsWith(prefix)).sort(),
  );
  return found[0] === candidate.entry;
}

/** Whether the index says of a key what its record says. */
function isAsIndexed(key: KeyInUse, { entry, of }: Candidate, now: number): boolean {
  if (entry !== undefined) return entriesOf(key).includes(entry) && idOfEntry(entry) === key.id;
  return of === undefined || of === stateOf(key, now);
}
