import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';

/** A name is known for so long, ms: an operator who gives another one sees it soon. */
const KNOWN_FOR_MS = 10_000;
const MOST_KNOWN = 10_000;

/** Puts the names of API keys beside their ids, for the operator alone; that of a deleted key for a week after. */
export interface KeyNames {
  /** Never rejects: where Redis fails, rows stay as they are. */
  add(rows: readonly LogRow[]): Promise<LogRow[]>;
}

/** Never throws; see `KeyNames` for what happens where Redis fails. */
export function createKeyNames(redis: Redis): KeyNames {
  const known = new Map<string, { readonly name: string | undefined; readonly until: number }>();

  async function learn(ids: readonly string[]): Promise<void> {
    const names = await redis.pipeline(ids.map((id) => ['hget', redisKeys.apiKey(id), 'name'])).exec();
    const gone = ids.filter((_, index) => names?.[index]?.[0] === null && names[index][1] === null);
    const left =
      gone.length === 0 ? [] : await redis.pipeline(gone.map((id) => ['get', redisKeys.keyDeleted(id)])).exec();
    const nameLeft = new Map(gone.map((id, index) => [id, nameOfDeleted(left?.[index]?.[1])]));
    if (known.size + ids.length > MOST_KNOWN) known.clear();
    const until = performance.now() + KNOWN_FOR_MS;
    for (const [index, id] of ids.entries()) {
      const [error, name] = names?.[index] ?? [];
      if (!error) known.set(id, { name: typeof name === 'string' ? name : nameLeft.get(id), until });
    }
  }

  return {
    async add(rows) {
      const now = performance.now();
      const ids = new Set(rows.flatMap(({ keyId }) => keyId ?? []));
      const unknown = [...ids].filter((id) => (known.get(id)?.until ?? 0) <= now);
      if (unknown.length > 0) await learn(unknown).catch(() => undefined);
      return rows.map((row) => {
        const keyName = row.keyId === undefined ? undefined : known.get(row.keyId)?.name;
        return keyName === undefined ? row : { ...row, keyName };
      });
    },
  };
}

/** What `delete-key.lua` leaves of a name. */
function nameOfDeleted(left: unknown): string | undefined {
  return typeof left === 'string' && left.startsWith('1 ') ? left.slice(2) : undefined;
}
