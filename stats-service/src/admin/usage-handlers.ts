import { adminFailure } from '@lontar/shared/admin/admin-errors.ts';
import { type HttpAnswer, success } from '@lontar/shared/http/envelope.ts';
import { InvalidTerms } from '@lontar/shared/keys/key-refusals.ts';
import { listKeys } from '@lontar/shared/keys/list-keys.ts';
import { keysNow } from '@lontar/shared/keys/read-key.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { lastDays, type Period, readDate, readUsage, type UsageRow } from '@lontar/shared/usage/read-usage.ts';
import { NO_KEY, OTHER_KEYS } from '@lontar/shared/usage/usage-counts.ts';
import { type KeyNames, namesOf, USAGE_CSV_HEAD, usageCsv } from '@lontar/shared/usage/usage-table.ts';
import type { AdminCall, AdminDeps } from './admin-call.ts';

const USUAL_DAYS = 30;
/** Keys of a page. */
const KEYS_AT_ONCE = 200;

interface UsagePage {
  readonly rows: readonly UsageRow[];
  readonly names: ReadonlyMap<string, KeyNames>;
  readonly next: string | null;
}

/** @throws when Redis fails */
export async function tellUsage(deps: AdminDeps, call: AdminCall): Promise<HttpAnswer> {
  const page = await readPage(deps.redis, call.query);
  if ('status' in page) return page;
  const rows = page.rows.map((row) => Object.assign({ name: '', owner: '' }, page.names.get(row.key), row));
  return success({ rows, cursor: page.next });
}

/** @throws when Redis fails */
export async function tellUsageAsCsv(deps: AdminDeps, call: AdminCall): Promise<HttpAnswer> {
  const page = await readPage(deps.redis, call.query);
  if ('status' in page) return page;
  // Pages put together are one table.
  const head = call.query['cursor'] === undefined ? USAGE_CSV_HEAD : '';
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="usage.csv"',
    ...(page.next === null ? {} : { 'x-next-cursor': page.next }),
  };
  const lines = page.rows.map((row) => usageCsv(row, page.names.get(row.key)));
  return { status: 200, headers, body: head + lines.join('') };
}

async function readPage(redis: Redis, query: AdminCall['query']): Promise<UsagePage | HttpAnswer> {
  const period = periodOf(query, await keysNow(redis));
  if (typeof period === 'string') return adminFailure('invalid', period);
  try {
    const { ids, next } = await idsOf(redis, query);
    const rows: UsageRow[] = [];
    for await (const some of readUsage(redis, ids, period)) rows.push(...some);
    return { rows, names: await namesOf(redis, [...new Set(rows.map(({ key }) => key))]), next };
  } catch (error) {
    if (error instanceof InvalidTerms) return adminFailure('invalid', error.message);
    throw error;
  }
}

/** A period, or what is wrong with it. */
function periodOf({ from: first, to: last }: AdminCall['query'], now: number): Period | string {
  const usual = lastDays(USUAL_DAYS, now);
  const [from, to] = [
    first === undefined ? usual.from : readDate(first),
    last === undefined ? usual.to : readDate(last),
  ];
  if (from === undefined || to === undefined) return 'from and to must be days such as 2026-01-31';
  return from <= to ? { from, to } : 'from must not be after to';
}

interface IdPage {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/** So many keys at a time: those that there are, those that were deleted, then what belongs to none. */
async function idsOf(redis: Redis, { key, owner, cursor = 'keys.' }: AdminCall['query']): Promise<IdPage> {
  if (key !== undefined) return { ids: [key], next: null };
  const [, what, place = ''] = /^(keys|deleted|rest)\.(.*)$/.exec(cursor) ?? [];
  if (what === 'keys') {
    const page = await listKeys(redis, { owner, limit: KEYS_AT_ONCE, cursor: place === '' ? undefined : place });
    const after = owner === undefined ? 'deleted.0' : null;
    return { ids: page.keys.map(({ id }) => id), next: page.cursor === null ? after : `keys.${page.cursor}` };
  }
  if (what === 'deleted' && /^\d{1,9}$/.test(place)) {
    const from = Number(place);
    const ids = await redis.zrange(redisKeys.apiKeysDeleted, String(from), String(from + KEYS_AT_ONCE - 1));
    // One that was made again is told with those that there are.
    const isThere = await Promise.all(ids.map((id) => redis.exists(redisKeys.apiKey(id))));
    const next = ids.length === KEYS_AT_ONCE ? `deleted.${from + KEYS_AT_ONCE}` : 'rest.';
    return { ids: ids.filter((_, index) => isThere[index] === 0), next };
  }
  if (what === 'rest') return { ids: [NO_KEY, OTHER_KEYS], next: null };
  throw new InvalidTerms([{ field: 'cursor', rule: 'must be that of the page before' }]);
}
