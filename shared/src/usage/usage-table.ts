import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { csvLine } from './csv.ts';
import type { UsageRow } from './read-usage.ts';
import { NO_KEY, OTHER_KEYS, USAGE_COUNTS, type UsageCount } from './usage-counts.ts';

const IDS_AT_ONCE = 1_000;

/** Whose a key is, as a table of usage says it. */
export interface KeyNames {
  readonly name: string;
  readonly owner: string;
}

const NO_NAMES: KeyNames = { name: '', owner: '' };

/**
 * The ids of everything that usage is counted for, each once, so that their sums are the service's: keys that there are,
 * keys that were deleted, requests without a key, and keys that were not told one by one. In pieces.
 *
 * @throws when Redis fails
 */
export async function* idsWithUsage(redis: Redis): AsyncGenerator<string[]> {
  const seen = new Set<string>();
  for (const set of [redisKeys.apiKeyIndex, redisKeys.apiKeysDeleted]) {
    for (let from = 0; ; from += IDS_AT_ONCE) {
      const ids = await redis.zrange(set, String(from), String(from + IDS_AT_ONCE - 1));
      const fresh = ids.filter((id) => !seen.has(id));
      for (const id of fresh) seen.add(id);
      if (fresh.length > 0) yield fresh;
      if (ids.length < IDS_AT_ONCE) break;
    }
  }
  yield [NO_KEY, OTHER_KEYS];
}

/**
 * Names and owners of keys, as far as they are there.
 *
 * @throws when Redis fails
 */
export async function namesOf(redis: Redis, ids: readonly string[]): Promise<ReadonlyMap<string, KeyNames>> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const [name, owner] = await redis.hmget(redisKeys.apiKey(id), 'name', 'owner');
      return [id, { name: name ?? '', owner: owner ?? '' }] as const;
    }),
  );
  return new Map(found);
}

/** The first line of usage as CSV. */
export const USAGE_CSV_HEAD = csvLine(['date', 'key', 'name', 'owner', 'model', ...USAGE_COUNTS.map(columnOf)]);

/** One row of usage as CSV; names that a spreadsheet would calculate are made harmless. */
export function usageCsv(row: UsageRow, { name, owner }: KeyNames = NO_NAMES): string {
  return csvLine([row.date, row.key, name, owner, row.model, ...USAGE_COUNTS.map((count) => row[count])]);
}

/** `promptTokens` as `prompt_tokens`. */
export function columnOf(count: UsageCount): string {
  return count.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
