import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { readAudit } from '@lontar/shared/admin/audit.ts';
import { hashApiKey, mintApiKey } from '@lontar/shared/api-key.ts';
import { deleteKey, revokeKey, rotateKey, updateKey } from '@lontar/shared/keys/change-key.ts';
import { createKey } from '@lontar/shared/keys/create-key.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';

/** What the admin API does to keys, cut off between any two of its steps, as the death of its process does. */

const PEPPER = 'a pepper of this test, longer than 32 characters';
const ACTOR = { by: 'token', id: 'A1b2C3d4E5' } as const;
/** More steps than any of the changes has. */
const MOST_STEPS = 60;

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis({ durable: true });
});
afterAll(() => redis.stop());
beforeEach(() => redis.client.flushall());

class Killed extends Error {}

/** A connection whose owner dies before its n-th command. */
function dyingAfter(steps: number): { readonly redis: Redis; readonly isDead: () => boolean } {
  let left = steps;
  const dying = new Proxy(redis.client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        left -= 1;
        if (left < 0) return Promise.reject(new Killed());
        return (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { redis: dying, isDead: () => left < 0 };
}

/** Every key that would work, is listed; every key that is listed, is whole; every change stands in the log. */
async function checkWhole(): Promise<void> {
  const records = await redis.client.keys(redisKeys.apiKey('*'));
  const ids = records.map((name) => name.slice(redisKeys.apiKey('').length)).sort();
  expect((await redis.client.zrange(redisKeys.apiKeyIndex, '0', '-1')).sort()).toEqual(ids);
  for (const name of records)
    expect(await redis.client.hgetall(name)).toMatchObject({ hash: expect.any(String), name: 'shop' });
}

const place = (client: Redis) => ({ redis: client, pepper: PEPPER });

/** Runs a change again and again on fresh data, cut off one step later each time, until it gets through. */
async function cutEverywhere(
  prepare: () => Promise<string>,
  change: (client: Redis, id: string) => Promise<unknown>,
  check: (id: string, isDone: boolean) => Promise<void>,
): Promise<number> {
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    await redis.client.flushall();
    const id = await prepare();
    const before = (await readAudit(redis.client, {}, 50)).entries.length;
    const { redis: dying, isDead } = dyingAfter(steps);
    await change(dying, id).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
    const noted = (await readAudit(redis.client, {}, 50)).entries.length - before;
    expect(noted).toBeLessThanOrEqual(1);
    await checkWhole();
    await check(id, noted === 1);
    if (!isDead()) return steps;
  }
  throw new Error('it has more steps than are tried');
}

const made = async () => (await createKey(place(redis.client), { name: 'shop' }, { actor: ACTOR })).record.id;
const stored = (id: string) => redis.client.hgetall(redisKeys.apiKey(id));

test('a key is made wholly or not, and a repeat of the request gives the one that was made', async () => {
  const steps = await cutEverywhere(
    () => Promise.resolve(''),
    (client) => createKey(place(client), { name: 'shop', credits: 5 }, { actor: ACTOR, seed: 'token A1 order-1' }),
    async (_id, isDone) => {
      const there = await redis.client.zcard(redisKeys.apiKeyIndex);
      expect(there).toBe(isDone ? 1 : 0);
      const again = await createKey(
        place(redis.client),
        { name: 'shop', credits: 5 },
        { actor: ACTOR, seed: 'token A1 order-1' },
      );
      expect([again.repeated, await redis.client.zcard(redisKeys.apiKeyIndex)]).toEqual([isDone, 1]);
      expect((await stored(again.record.id))['hash']).toBe(hashApiKey(again.key, PEPPER));
    },
  );
  expect(steps).toBeGreaterThan(2);
});

test('a key is rotated wholly or not: the secret of before is good until the new one is there, and stays so for the overlap', async () => {
  const first = mintApiKey();
  const steps = await cutEverywhere(
    async () => (await createKey(place(redis.client), { name: 'shop' }, { actor: ACTOR, mint: () => first })).record.id,
    (client, id) => rotateKey(place(client), id, { actor: ACTOR, overlapMs: 60_000 }),
    async (id, isDone) => {
      const { hash, oldHash } = await stored(id);
      expect(isDone ? oldHash : hash).toBe(hashApiKey(first.key, PEPPER));
    },
  );
  expect(steps).toBeGreaterThan(2);
});

test.each<[string, (client: Redis, id: string) => Promise<unknown>, (record: Record<string, string>) => boolean]>([
  ['deleted', (client, id) => deleteKey(client, id, { actor: ACTOR }), (record) => record['hash'] === undefined],
  ['revoked', (client, id) => revokeKey(client, id, { actor: ACTOR }), ({ state }) => state === 'revoked'],
  [
    'changed',
    (client, id) => updateKey(client, id, { credits: 9 }, { actor: ACTOR }),
    ({ credits }) => credits === '9',
  ],
])('a key is %s wholly or not, with its entry in the log', async (what, change, isSo) => {
  const prepare = async () => {
    const id = await made();
    // Only a key that has ended can be deleted.
    if (what === 'deleted') await revokeKey(redis.client, id, { actor: ACTOR });
    return id;
  };
  const steps = await cutEverywhere(prepare, change, async (id, isDone) => {
    expect(isSo(await stored(id))).toBe(isDone);
  });
  expect(steps).toBeGreaterThan(1);
});
