import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hashApiKey, mintApiKey, readKeyId } from '@lontar/shared/api-key.ts';
import { EARLIER_TERMS, PACKED_TERMS } from '@lontar/shared/api-key-record.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { type IssuedKey, openKeyStore, type RotateResult } from './key-store.ts';

const PEPPER = 'a pepper of this test, longer than 32 characters';
const DAY_MS = 86_400_000;

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis({ durable: true });
});
beforeEach(async () => {
  await redis.client.flushall();
});
afterAll(() => redis.stop());

const store = () => openKeyStore(redis.client, PEPPER);
const stored = (id: string) => redis.client.hgetall(redisKeys.apiKey(id));
const issued = (result: RotateResult): IssuedKey => {
  if (typeof result === 'string' || 'earlierUntil' in result) throw new Error(JSON.stringify(result));
  return result;
};

describe('create', () => {
  test('stores the hash, never the key, and indexes the id', async () => {
    const { key, record } = await store().create({ name: 'shop', perHour: 5, models: ['ai-2.5-pro'] });

    expect(readKeyId(key)).toBe(record.id);
    expect(record).toMatchObject({ name: 'shop', state: 'active', perHour: 5, models: 'ai-2.5-pro', charged: 0 });
    const fields = await stored(record.id);
    expect(fields['hash']).toBe(hashApiKey(key, PEPPER));
    const secret = key.slice('lt_live_'.length + record.id.length + 1);
    expect(JSON.stringify(fields)).not.toContain(secret);
    expect(await redis.client.zscore(redisKeys.apiKeyIndex, record.id)).toBe(String(record.createdAt));
  });

  test('writes addresses in both forms, so that admission need not parse them', async () => {
    const addresses = [
      { text: '10.0.0.0/8', bits: '4:00001010' },
      { text: '192.0.2.0/24', bits: '4:110000000000000000000010' },
    ];
    const { record } = await store().create({ name: 'x', addresses });
    expect(record.addresses).toBe('10.0.0.0/8,192.0.2.0/24');
    expect(record.addressBits).toBe('4:00001010,4:110000000000000000000010');
  });

  test('takes another id when the first is taken, and leaves its owner alone', async () => {
    const first = await store().create({ name: 'first' });
    const before = await stored(first.record.id);
    const ids = [first.record.id, undefined];
    const second = await openKeyStore(redis.client, PEPPER, () => mintApiKey(ids.shift())).create({ name: 'second' });

    expect(second.record.id).not.toBe(first.record.id);
    expect(await stored(first.record.id)).toEqual(before);
    expect((await store().list()).records.map(({ name }) => name)).toEqual(['first', 'second']);
  });
});

describe('a record that cannot be read', () => {
  test('is named with its id and what is wrong, beside all the others', async () => {
    const good = await store().create({ name: 'good' });
    const bad = await store().create({ name: 'bad' });
    await redis.client.hset(redisKeys.apiKey(bad.record.id), { perHour: 'many', state: 'asleep' });

    const { records, unreadable } = await store().list();
    expect(records.map(({ id }) => id)).toEqual([good.record.id]);
    const message = new RegExp(`key ${bad.record.id} cannot be read: state: .+; perHour: `);
    expect(unreadable.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
    await expect(store().find(bad.record.id)).rejects.toThrow(message);
    expect(await store().find('0123456789')).toBeUndefined();
  });

  test('is not one that was given back more than it was charged', async () => {
    const { record } = await store().create({ name: 'x', credits: 5 });
    await redis.client.hset(redisKeys.apiKey(record.id), 'charged', '-1');
    expect(await store().find(record.id)).toMatchObject({ charged: -1 });
  });
});

describe('update', () => {
  test('sets what is given, takes away what is null, leaves the rest', async () => {
    const { record } = await store().create({ name: 'x', perHour: 5, perDay: 50, credits: 500 });
    expect(await store().update(record.id, { perHour: 6, perDay: null })).toBe('changed');

    const changed = await store().find(record.id);
    expect(changed).toMatchObject({ name: 'x', perHour: 6, credits: 500 });
    expect(changed).not.toHaveProperty('perDay');
  });

  test('takes away the packed form of the limits, whatever is changed', async () => {
    const { record } = await store().create({ name: 'x' });
    const change = { name: 'y', perHour: 6, models: null, keepOwn: true } as const;
    for (const limits of Object.entries(change).map(([field, value]) => ({ [field]: value }))) {
      await redis.client.hset(redisKeys.apiKey(record.id), { [PACKED_TERMS]: 'packed', [EARLIER_TERMS]: 'packed' });
      await store().update(record.id, limits);
      const changed = await stored(record.id);
      for (const field of [PACKED_TERMS, EARLIER_TERMS]) expect(changed).not.toHaveProperty(field);
    }
  });

  test('makes no key where there is none', async () => {
    expect(await store().update('0123456789', { perHour: 1 })).toBe('missing');
    expect(await redis.client.dbsize()).toBe(0);
  });
});

describe('revoke', () => {
  test('ends a key for good; twice changes nothing', async () => {
    const { record } = await store().create({ name: 'x' });
    expect(await store().revoke(record.id)).toBe('changed');
    const once = await stored(record.id);
    expect(once).toMatchObject({ state: 'revoked', revokedAt: expect.stringMatching(/^\d+$/) });
    expect(await store().revoke(record.id)).toBe('changed');
    expect(await stored(record.id)).toEqual(once);
  });

  test('ends the overlap of a rotation too', async () => {
    const { record } = await store().create({ name: 'x' });
    await store().rotate(record.id, DAY_MS);
    await store().revoke(record.id);
    expect(await stored(record.id)).not.toHaveProperty('oldHash');
  });

  test('says when there is no such key', async () => {
    expect(await store().revoke('0123456789')).toBe('missing');
  });
});

test('update leaves a revoked key as it was when it ended', async () => {
  const { record } = await store().create({ name: 'x', perHour: 5 });
  await store().revoke(record.id);
  const ended = await stored(record.id);
  expect(await store().update(record.id, { perHour: 6 })).toBe('revoked');
  expect(await stored(record.id)).toEqual(ended);
});

describe('delete', () => {
  test('leaves nothing of a revoked key', async () => {
    const { record } = await store().create({ name: 'x' });
    const { id } = record;
    await redis.client.rpush(redisKeys.keyHour(id), '1');
    await redis.client.rpush(redisKeys.keyFreeFailures(id), '1');
    await redis.client.zadd(redisKeys.keysInFlight, 1, id);
    await store().revoke(id);

    expect(await store().delete(id)).toEqual({ outcome: 'deleted' });
    expect(await redis.client.dbsize()).toBe(0);
    expect(await store().delete(id)).toEqual({ outcome: 'missing' });
  });

  test('gives the memory back', async () => {
    const used = async () => Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))?.[1]);
    // The scripts, and the tables that grow once, are there before anything is measured.
    const makeAndDelete = async (count: number) => {
      const made = await Promise.all(Array.from({ length: count }, (_, i) => store().create({ name: `key ${i}` })));
      const most = await used();
      await Promise.all(made.map(({ record }) => store().revoke(record.id)));
      await Promise.all(made.map(({ record }) => store().delete(record.id)));
      return most;
    };
    await makeAndDelete(500);
    const before = await used();
    const most = await makeAndDelete(500);
    expect((await used()) - before).toBeLessThan((most - before) / 4);
  });

  test('refuses an active key, and one with requests in work or uploads, and changes nothing', async () => {
    const { record } = await store().create({ name: 'x' });
    const { id } = record;
    expect(await store().delete(id)).toEqual({ outcome: 'active' });
    await store().revoke(id);
    const ended = await stored(id);
    await redis.client.zadd(redisKeys.keyUploads(id), 1, 'a', 2, 'b');
    expect(await store().delete(id)).toEqual({ outcome: 'files', count: 2 });
    await redis.client.zadd(redisKeys.keyFlight(id), 1, 'request');
    expect(await store().delete(id)).toEqual({ outcome: 'in work', count: 1 });
    expect(await stored(id)).toEqual(ended);
    expect(await store().count()).toBe(1);
  });

  test('takes a record that cannot be read', async () => {
    const { record } = await store().create({ name: 'x' });
    await redis.client.hset(redisKeys.apiKey(record.id), { state: 'asleep' });
    expect(await store().delete(record.id)).toEqual({ outcome: 'deleted' });
    expect(await redis.client.dbsize()).toBe(0);
  });
});

describe('rotate', () => {
  test('keeps id, limits and charges; the old secret stays good for the overlap', async () => {
    const first = await store().create({ name: 'x', perHour: 5 });
    await redis.client.hset(redisKeys.apiKey(first.record.id), 'charged', 7);
    const before = await store().now();
    const second = issued(await store().rotate(first.record.id, DAY_MS));

    expect(second.key).not.toBe(first.key);
    expect(readKeyId(second.key)).toBe(first.record.id);
    expect(second.record).toMatchObject({ perHour: 5, charged: 7, hash: hashApiKey(second.key, PEPPER) });
    expect(second.record.oldHash).toBe(hashApiKey(first.key, PEPPER));
    expect(second.record.oldHashUntil).toBeGreaterThanOrEqual(before + DAY_MS);
  });

  test.each([0, DAY_MS])(
    'with an overlap of %d ms does not end one that still runs unless an option says so',
    async (overlapMs) => {
      const { record } = await store().create({ name: 'x' });
      const { record: rotated } = issued(await store().rotate(record.id, DAY_MS));
      const before = await stored(record.id);

      expect(await store().rotate(record.id, overlapMs)).toEqual({ earlierUntil: rotated.oldHashUntil });
      expect(await stored(record.id)).toEqual(before);
      const last = issued(await store().rotate(record.id, overlapMs, { endOverlap: true }));
      expect(await stored(record.id)).toMatchObject({ hash: hashApiKey(last.key, PEPPER) });
      expect((await stored(record.id))['oldHash']).toBe(overlapMs > 0 ? before['hash'] : undefined);
    },
  );

  test('of two at once one wins, and the other learns of its overlap', async () => {
    const first = await store().create({ name: 'x' });
    const id = first.record.id;
    const results = await Promise.all([store().rotate(id, DAY_MS), store().rotate(id, DAY_MS)]);
    expect(results.filter((result) => typeof result === 'object' && 'key' in result)).toHaveLength(1);
    expect(results.filter((result) => typeof result === 'object' && 'earlierUntil' in result)).toHaveLength(1);
    expect((await stored(id))['oldHash']).toBe(hashApiKey(first.key, PEPPER));
  });

  test('goes on without a word once the overlap is over', async () => {
    const { record } = await store().create({ name: 'x' });
    await store().rotate(record.id, DAY_MS);
    await redis.client.hset(redisKeys.apiKey(record.id), 'oldHashUntil', (await store().now()) - 1);
    const last = issued(await store().rotate(record.id, 0));
    expect(await stored(record.id)).toMatchObject({ hash: hashApiKey(last.key, PEPPER) });
    expect(await stored(record.id)).not.toHaveProperty('oldHash');
  });

  test('refuses revoked and unknown keys', async () => {
    const { record } = await store().create({ name: 'x' });
    await store().revoke(record.id);
    expect(await store().rotate(record.id, 0)).toBe('revoked');
    expect(await store().rotate('0123456789', 0)).toBe('missing');
  });
});

test('forget leaves no trace', async () => {
  const { record } = await store().create({ name: 'self-test' });
  await store().forget(record.id);
  expect(await redis.client.dbsize()).toBe(0);
  expect(await store().count()).toBe(0);
});

test('lists keys of one millisecond in the order in which they were made', async () => {
  const keys = store();
  const names = Array.from({ length: 50 }, (_, index) => String(index));
  // All are asked for at once: Redis gets and stores them in this order, many within a millisecond.
  await Promise.all(names.map((name) => keys.create({ name })));
  const { records } = await keys.list();
  expect(new Set(records.map(({ createdAt }) => createdAt)).size).toBeLessThan(names.length);
  expect(records.map(({ name }) => name)).toEqual(names);
});

test('lists more keys than are read at once, oldest first', async () => {
  const keys = openKeyStore(redis.client, PEPPER);
  for (let index = 0; index < 501; index += 1) await keys.create({ name: String(index) });
  const times = (await keys.list()).records.map(({ createdAt }) => createdAt);
  expect(times).toHaveLength(501);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});
