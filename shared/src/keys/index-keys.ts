import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { entriesOf } from './index-entries.ts';
import { INDEX_KEYS } from './key-scripts.ts';

const indexScript = loadScript(new URL('./index-keys.lua', import.meta.url));

/** Keys that one script call takes. */
const AT_ONCE = 200;
/** Pause between two of them, so that thousands of keys do not hold Redis, ms. */
const PAUSE_MS = 2;

/** A key to index, and an entry that was found in the index though it is not the key's. */
export interface Unindexed {
  readonly id: string;
  readonly stale?: string;
}

/**
 * Puts keys into the sets that they are listed by which are not there yet: those of an earlier version of Lontar, and those
 * that a command of an earlier version has made since. Goes through all keys, some at once, only where some are missing.
 * It can be broken off at any point, and run at the same time by several.
 *
 * @returns how many were put there
 * @throws when Redis fails; the rest is then put there by the next call
 */
export async function indexMissingKeys(redis: Redis): Promise<number> {
  const [all, indexed] = await Promise.all([redis.zcard(redisKeys.apiKeyIndex), redis.zcard(redisKeys.apiKeyUse)]);
  if (indexed >= all) return 0;
  let done = 0;
  for await (const ids of pagesOfKeys(redis)) {
    const minutes = await redis.zmscore(redisKeys.apiKeyUse, ...ids);
    const missing = ids.filter((_, index) => minutes[index] === null);
    if (missing.length > 0)
      done += await indexKeys(
        redis,
        missing.map((id) => ({ id })),
      );
  }
  return done;
}

/**
 * Indexes every key anew, as after a restore, which does not bring back what can be made of the records.
 *
 * @throws when Redis fails; call it again then
 */
export async function indexAllKeys(redis: Redis): Promise<void> {
  for await (const ids of pagesOfKeys(redis))
    await indexKeys(
      redis,
      ids.map((id) => ({ id })),
    );
}

/**
 * Indexes some keys by what their records say now.
 *
 * @returns how many
 * @throws when Redis fails; asked again, it does the rest
 */
export async function indexKeys(redis: Redis, keys: readonly Unindexed[]): Promise<number> {
  const asked = await Promise.all(
    keys.map(async ({ id, stale }) => {
      const [name, owner, createdAt] = await redis.hmget(redisKeys.apiKey(id), 'name', 'owner', 'createdAt');
      const add = entriesOf({ id, name: name ?? '', owner: owner ?? undefined, createdAt: Number(createdAt) || 0 });
      const remove = stale === undefined || add.includes(stale) ? [] : [stale];
      return { id, name: name ?? '', owner: owner ?? '', remove, add };
    }),
  );
  const names = [...INDEX_KEYS, ...keys.map(({ id }) => redisKeys.apiKey(id))];
  return Number(await indexScript(redis, names, [JSON.stringify(asked)]));
}

async function* pagesOfKeys(redis: Redis): AsyncGenerator<string[]> {
  for (let from = 0; ; from += AT_ONCE) {
    // By place, because keys of another program may have been given one time. What moves up meanwhile is found next time.
    const ids = await redis.zrange(redisKeys.apiKeyIndex, String(from), String(from + AT_ONCE - 1));
    if (ids.length > 0) yield ids;
    if (ids.length < AT_ONCE) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
