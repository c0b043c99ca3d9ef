import type { KeyUse } from '@lontar/shared/admin/admin-schemas.ts';
import type { KeyInUse } from '@lontar/shared/keys/read-key.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { lastDays, readUsage, sumUsage, type UsageRow } from '@lontar/shared/usage/read-usage.ts';

const windowsScript = loadScript(new URL('./key-windows.lua', import.meta.url));
const USE_DAYS = 30;
const DAY_MS = 86_400_000;
/** As key-limits.lua of the gateway notes a day with its count, in one number. */
const DAY_FACTOR = 10_000_000_000;

/**
 * What some keys have used: of what is counted by day, and of their limits.
 *
 * @param records those of a page
 * @param now Redis's clock, Unix ms
 * @throws when Redis fails
 */
export async function readKeyUse(
  redis: Redis,
  records: readonly KeyInUse[],
  now: number,
): Promise<ReadonlyMap<string, KeyUse>> {
  const ids = records.map(({ id }) => id);
  const limited = records.filter(({ perHour }) => perHour !== undefined);
  const [rows, hours] = await Promise.all([
    readRows(redis, ids, now),
    limited.length === 0
      ? []
      : windowsScript(
          redis,
          limited.map(({ id }) => redisKeys.keyHour(id)),
          [],
        ),
  ]);
  const hourOf = new Map(limited.map(({ id }, index) => [id, Number((hours as number[])[index])]));
  const today = lastDays(1, now).to;
  return new Map(
    records.map((record) => {
      const own = rows.get(record.id) ?? [];
      const use = {
        today: total(own.filter(({ date }) => date === today)),
        last30Days: total(own),
        hourUsed: hourOf.get(record.id) ?? null,
        dayUsed: record.perDay === undefined ? null : dayUsed(record, now),
      };
      return [record.id, use];
    }),
  );
}

async function readRows(redis: Redis, ids: readonly string[], now: number): Promise<Map<string, UsageRow[]>> {
  const rows = new Map<string, UsageRow[]>();
  for await (const some of readUsage(redis, ids, lastDays(USE_DAYS, now))) {
    for (const row of some) rows.set(row.key, [...(rows.get(row.key) ?? []), row]);
  }
  return rows;
}

function total(rows: readonly UsageRow[]): KeyUse['today'] {
  const { requests, promptTokens, completionTokens } = sumUsage(rows);
  return { requests, tokens: promptTokens + completionTokens };
}

function dayUsed({ dayCount }: KeyInUse, now: number): number {
  const noted = Number(dayCount ?? 0);
  return Math.floor(noted / DAY_FACTOR) === Math.floor(now / DAY_MS) ? noted % DAY_FACTOR : 0;
}
