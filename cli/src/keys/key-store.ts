import { hashApiKey, type MintedKey, mintApiKey } from '@lontar/shared/api-key.ts';
import { type ApiKeyRecord, apiKeyRecordSchema } from '@lontar/shared/api-key-record.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { waitForAppendOnlyFile } from '../redis/append-only.ts';
import { type DeleteResult, deleteKey } from './delete-key.ts';
import { type FieldChange, fieldsOf, type KeyLimits } from './key-limits.ts';

const createScript = loadScript(new URL('./create-key.lua', import.meta.url));
const changeScript = loadScript(new URL('./change-key.lua', import.meta.url));
const READ_AT_ONCE = 500;
const HOUR_MS = 3_600_000;

/** A key's record, and what its uploads take, bytes; those on their way are among them. */
export interface KeyInUse extends ApiKeyRecord {
  readonly stored: number;
}

/** A key that was just made: the only time that it can be shown. */
export interface IssuedKey {
  readonly key: string;
  readonly record: KeyInUse;
}

/** A record that is there but makes no sense. */
export class UnreadableKey extends Error {
  constructor(id: string, problems: readonly { path: readonly PropertyKey[]; message: string }[]) {
    const described = problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    super(`The record of the key ${id} cannot be read: ${described}`);
    this.name = 'UnreadableKey';
  }
}

export interface KeyList {
  /** Oldest first. */
  readonly records: readonly KeyInUse[];
  readonly unreadable: readonly UnreadableKey[];
}

export type ChangeResult = 'changed' | 'missing' | 'revoked';

/** `earlierUntil`, Unix ms: nothing was changed, because the secret before the last rotation is good until then. */
export type RotateResult = IssuedKey | Exclude<ChangeResult, 'changed'> | { readonly earlierUntil: number };

/** The operator's side of the API keys; admission in the gateway reads what this writes. */
export interface KeyStore {
  create(limits: KeyLimits & { name: string }): Promise<IssuedKey>;
  /** All keys, those that cannot be read apart. */
  list(): Promise<KeyList>;
  /** @throws UnreadableKey */
  find(id: string): Promise<KeyInUse | undefined>;
  /** How many failures that may have cost money were given back to a key in the last hour (`FREE_FAILURES_PER_HOUR`). */
  freeFailures(id: string): Promise<number>;
  /** How many there are, whatever their state. */
  count(): Promise<number>;
  /** A revoked key stays as it was when it ended. */
  update(id: string, limits: KeyLimits): Promise<ChangeResult>;
  /** From the next request on the key is refused. Revoking twice changes nothing. */
  revoke(id: string): Promise<ChangeResult>;
  /**
   * Gives the key a new secret under the same id; the old one stays good for `overlapMs`. A record keeps one old secret:
   * an earlier one that is still good ends only with `endOverlap`, else nothing is changed.
   */
  rotate(id: string, overlapMs: number, terms?: { readonly endOverlap?: boolean }): Promise<RotateResult>;
  /** Deletes a revoked key and what is kept of it. */
  delete(id: string): Promise<DeleteResult>;
  /** Removes every trace of a key that served a purpose of our own, such as the first start's test request. */
  forget(id: string): Promise<void>;
  /** The clock that admission goes by, Unix ms. */
  now(): Promise<number>;
}

/**
 * @param redis where the keys live
 * @param pepper the secret that keys are hashed under; the gateway must have the same
 * @param mint makes keys; given by tests
 * @throws nothing itself; its functions reject when Redis fails, and whether a key was changed is then unknown
 */
export function openKeyStore(redis: Redis, pepper: string, mint: (id?: string) => MintedKey = mintApiKey): KeyStore {
  const now = async () => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  };
  const find = (id: string) => readRecord(redis, id);
  const apply = async (
    id: string,
    fields: FieldChange,
    terms: { onlyActive?: boolean; keepOverlap?: boolean; keepHashUntil?: number } = {},
  ) => {
    const pairs = Object.entries(fields.set).flat();
    const guards = [terms.onlyActive ? 'active' : '', terms.keepOverlap ? 'overlap' : ''];
    const result = await changeScript(
      redis,
      [redisKeys.apiKey(id)],
      [...guards, terms.keepHashUntil ?? '', pairs.length / 2, ...pairs, ...fields.remove],
    );
    await waitForAppendOnlyFile(redis);
    return result as ChangeResult | number;
  };
  const change = async (id: string, fields: FieldChange, terms: { onlyActive?: boolean } = {}) =>
    (await apply(id, fields, terms)) as ChangeResult;

  return {
    now,
    find,
    count: () => redis.zcard(redisKeys.apiKeyIndex),
    async freeFailures(id) {
      const since = (await now()) - HOUR_MS;
      return (await redis.lrange(redisKeys.keyFreeFailures(id), 0, -1)).filter((at) => Number(at) > since).length;
    },
    async create(limits) {
      const createdAt = await now();
      for (;;) {
        const { id, key } = mint();
        const own = { id, hash: hashApiKey(key, pepper), state: 'active', createdAt: String(createdAt), charged: '0' };
        const fields = Object.entries({ ...own, ...fieldsOf(limits).set }).flat();
        const keys = [redisKeys.apiKey(id), redisKeys.apiKeyIndex];
        // Taken ids are all but impossible; handing out a taken id would be worse than trying again.
        if ((await createScript(redis, keys, [id, createdAt, ...fields])) === 0) continue;
        await waitForAppendOnlyFile(redis);
        return { key, record: await mustFind(redis, id) };
      }
    },
    list: () => listRecords(redis),
    update: (id, limits) => change(id, fieldsOf(limits), { onlyActive: true }),
    async revoke(id) {
      const revoked = { state: 'revoked', revokedAt: String(await now()) } as const;
      const result = await change(id, { set: revoked, remove: ['oldHash', 'oldHashUntil'] }, { onlyActive: true });
      return result === 'missing' ? 'missing' : 'changed';
    },
    async rotate(id, overlapMs, { endOverlap = false } = {}) {
      const { key } = mint(id);
      const fields = {
        set: { hash: hashApiKey(key, pepper) },
        remove: overlapMs > 0 ? [] : (['oldHash', 'oldHashUntil'] as const),
      };
      const keep = overlapMs > 0 ? { keepHashUntil: (await now()) + overlapMs } : {};
      const result = await apply(id, fields, { onlyActive: true, keepOverlap: !endOverlap, ...keep });
      if (typeof result === 'number') return { earlierUntil: result };
      return result === 'changed' ? { key, record: await mustFind(redis, id) } : result;
    },
    delete: (id) => deleteKey(redis, id),
    async forget(id) {
      const own = [redisKeys.apiKey(id), redisKeys.keyHour(id), redisKeys.keyFreeFailures(id)];
      await redis.multi().del(own).zrem(redisKeys.apiKeyIndex, id).exec();
    },
  };
}

async function listRecords(redis: Redis): Promise<KeyList> {
  const ids = await redis.zrange(redisKeys.apiKeyIndex, '0', '-1');
  const records: KeyInUse[] = [];
  const unreadable: UnreadableKey[] = [];
  const readOrTell = (id: string) =>
    readRecord(redis, id).catch((error: unknown) => {
      if (error instanceof UnreadableKey) return error;
      throw error;
    });
  for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
    for (const found of await Promise.all(ids.slice(start, start + READ_AT_ONCE).map(readOrTell))) {
      if (found instanceof UnreadableKey) unreadable.push(found);
      else if (found !== undefined) records.push(found);
    }
  }
  return { records, unreadable };
}

async function readRecord(redis: Redis, id: string): Promise<KeyInUse | undefined> {
  const [fields, stored] = await Promise.all([
    redis.hgetall(redisKeys.apiKey(id)),
    redis.hget(redisKeys.uploadStorage, `key:${id}`),
  ]);
  if (Object.keys(fields).length === 0) return undefined;
  const parsed = apiKeyRecordSchema.safeParse(fields);
  if (!parsed.success) throw new UnreadableKey(id, parsed.error.issues);
  return { ...parsed.data, stored: Number(stored ?? 0) };
}

async function mustFind(redis: Redis, id: string): Promise<KeyInUse> {
  const record = await readRecord(redis, id);
  if (record === undefined) throw new Error(`The key ${id} was written but cannot be read back.`);
  return record;
}
