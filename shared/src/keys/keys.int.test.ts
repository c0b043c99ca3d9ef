import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { hashApiKey, mintApiKey, readKeyId } from '../api-key.ts';
import { EARLIER_TERMS, PACKED_TERMS } from '../api-key-record.ts';
import { redisKeys } from '../redis-keys.ts';
import { deleteKey, revokeKey, rotateKey, updateKey } from './change-key.ts';
import { type CreateTerms, createKey } from './create-key.ts';
import { KeyChanged, KeyMadeBefore, KeyNotFound, KeyRevoked, OverlapRuns } from './key-refusals.ts';
import type { KeyTerms } from './key-terms.ts';
import { findKey, keysNow, readAllKeys, showKey } from './read-key.ts';

const PEPPER = 'a pepper of this test, longer than 32 characters';
const DAY_MS = 86_400_000;
const actor = { by: 'cli', id: 'tester' } as const;
const NO_KEY = '0123456789';

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis({ durable: true });
});
beforeEach(async () => {
  await redis.client.flushall();
});
afterAll(() => redis.stop());

const place = () => ({ redis: redis.client, pepper: PEPPER });
const create = (terms: KeyTerms & { name: string }, how: Partial<CreateTerms> = {}) =>
  createKey(place(), terms, { actor, ...how });
const update = (id: string, terms: KeyTerms, expectedVersion?: number) =>
  updateKey(redis.client, id, terms, { actor, expectedVersion });
const revoke = (id: string) => revokeKey(redis.client, id, { actor });
const rotate = (id: string, overlapMs: number, endOverlap = false) =>
  rotateKey(place(), id, { actor, overlapMs, endOverlap });
const stored = (id: string) => redis.client.hgetall(redisKeys.apiKey(id));
/** What a promise was rejected with. */
const refusal = (done: Promise<unknown>) =>
  done.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('create', () => {
  test('stores the hash, never the key, and indexes the id', async () => {
    const { key, record, before, after } = await create({ name: 'shop', perHour: 5, models: ['ai-2.5-pro'] });

    expect(readKeyId(key)).toBe(record.id);
    expect(record).toMatchObject({
      name: 'shop',
      state: 'active',
      perHour: 5,
      models: 'ai-2.5-pro',
      charged: 0,
      version: 1,
    });
    const fields = await stored(record.id);
    expect(fields['hash']).toBe(hashApiKey(key, PEPPER));
    const secret = key.slice('lt_live_'.length + record.id.length + 1);
    expect(JSON.stringify(fields)).not.toContain(secret);
    expect(await redis.client.zscore(redisKeys.apiKeyIndex, record.id)).toBe(String(record.createdAt));
    expect(before).toEqual({});
    expect(after).toEqual({
      id: record.id,
      name: 'shop',
      state: 'active',
      createdAt: fields['createdAt'],
      perHour: '5',
      models: 'ai-2.5-pro',
    });
  });

  test('writes addresses in both forms, so that admission need not parse them', async () => {
    const addresses = [
      { text: '10.0.0.0/8', bits: '4:00001010' },
      { text: '192.0.2.0/24', bits: '4:110000000000000000000010' },
    ];
    const { record } = await create({ name: 'x', addresses });
    expect(record.addresses).toBe('10.0.0.0/8,192.0.2.0/24');
    expect(record.addressBits).toBe('4:00001010,4:110000000000000000000010');
  });

  test('takes another id when the first is taken, and leaves its owner alone', async () => {
    const first = await create({ name: 'first' });
    const before = await stored(first.record.id);
    const ids = [first.record.id, undefined];
    const second = await create({ name: 'second' }, { mint: () => mintApiKey(ids.shift()) });

    expect(second.record.id).not.toBe(first.record.id);
    expect(await stored(first.record.id)).toEqual(before);
    expect((await readAllKeys(redis.client)).records.map(({ name }) => name)).toEqual(['first', 'second']);
  });
});

describe('create with a seed', () => {
  test('gives the same key to a repeat, and says whether it asked for the same', async () => {
    const seed = 'tok_1 order 77';
    const first = await create({ name: 'shop', credits: 5 }, { seed });
    expect(readKeyId(first.key)).toBe(first.record.id);
    expect(first).toMatchObject({ repeated: false, sameTerms: true });

    await update(first.record.id, { credits: 9 });
    const again = await create({ name: 'shop', credits: 5 }, { seed });
    expect(again).toMatchObject({ key: first.key, repeated: true, sameTerms: true, record: { credits: 9 } });
    const other = await create({ name: 'shop', credits: 6 }, { seed });
    expect(other).toMatchObject({ key: first.key, repeated: true, sameTerms: false });
    expect(await redis.client.zcard(redisKeys.apiKeyIndex)).toBe(1);
  });

  test('gives another key to another seed or pepper', async () => {
    const first = await create({ name: 'x' }, { seed: 'a' });
    const second = await create({ name: 'x' }, { seed: 'b' });
    const third = await createKey({ ...place(), pepper: `${PEPPER}!` }, { name: 'x' }, { actor, seed: 'a' });
    expect(new Set([first, second, third].map(({ key }) => key)).size).toBe(3);
  });

  test('brings no key back that was rotated or deleted since', async () => {
    const { record } = await create({ name: 'x' }, { seed: 'a' });
    await rotate(record.id, DAY_MS);
    expect(await refusal(create({ name: 'x' }, { seed: 'a' }))).toBeInstanceOf(KeyMadeBefore);
    await deleteKey(redis.client, record.id, { actor });
    expect(await refusal(create({ name: 'x' }, { seed: 'a' }))).toBeInstanceOf(KeyMadeBefore);
    expect(await redis.client.pttl(redisKeys.keyDeleted(record.id))).toBeGreaterThan(6 * DAY_MS);
  });
});

describe('a record that cannot be read', () => {
  test('is named with its id and what is wrong, beside all the others', async () => {
    const good = await create({ name: 'good' });
    const bad = await create({ name: 'bad' });
    await redis.client.hset(redisKeys.apiKey(bad.record.id), { perHour: 'many', state: 'asleep' });

    const { records, unreadable } = await readAllKeys(redis.client);
    expect(records.map(({ id }) => id)).toEqual([good.record.id]);
    const message = new RegExp(`key ${bad.record.id} cannot be read: state: .+; perHour: `);
    expect(unreadable.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
    await expect(showKey(redis.client, bad.record.id)).rejects.toThrow(message);
    expect(await findKey(redis.client, NO_KEY)).toBeUndefined();
  });

  test('is not one that was given back more than it was charged', async () => {
    const { record } = await create({ name: 'x', credits: 5 });
    await redis.client.hset(redisKeys.apiKey(record.id), 'charged', '-1');
    expect(await showKey(redis.client, record.id)).toMatchObject({ charged: -1 });
  });
});

describe('update', () => {
  test('sets what is given, takes away what is null, leaves the rest, and says what it changed', async () => {
    const { record } = await create({ name: 'x', perHour: 5, perDay: 50, credits: 500 });
    const change = await update(record.id, { perHour: 6, perDay: null, credits: 500, owner: 'Ann' });

    expect(change).toMatchObject({ before: { perHour: '5', perDay: '50' }, after: { perHour: '6', owner: 'Ann' } });
    expect(change.record).toMatchObject({ name: 'x', perHour: 6, credits: 500, owner: 'Ann', version: 2 });
    expect(change.record).not.toHaveProperty('perDay');
  });

  test('that asks for what is so already changes nothing', async () => {
    const { record } = await create({ name: 'x', perHour: 5 });
    await redis.client.hset(redisKeys.apiKey(record.id), PACKED_TERMS, 'packed');
    const before = await stored(record.id);
    const change = await update(record.id, { name: 'x', perHour: 5, perDay: null });
    expect(change).toMatchObject({ before: {}, after: {}, record: { version: 1 } });
    expect(await stored(record.id)).toEqual(before);
  });

  test('takes away the packed form of the limits, whatever is changed', async () => {
    const { record } = await create({ name: 'x', models: ['ai-2.5-pro'] });
    const change = { name: 'y', perHour: 6, models: null, keepOwn: true } as const;
    for (const limits of Object.entries(change).map(([field, value]) => ({ [field]: value }))) {
      await redis.client.hset(redisKeys.apiKey(record.id), { [PACKED_TERMS]: 'packed', [EARLIER_TERMS]: 'packed' });
      await update(record.id, limits);
      const changed = await stored(record.id);
      for (const field of [PACKED_TERMS, EARLIER_TERMS]) expect(changed).not.toHaveProperty(field);
    }
  });

  test('makes no key where there is none', async () => {
    expect(await refusal(update(NO_KEY, { perHour: 1 }))).toBeInstanceOf(KeyNotFound);
    expect(await redis.client.dbsize()).toBe(0);
  });
});

describe('a change that expects a version', () => {
  test('is refused where another came before, and learns what that changed', async () => {
    const { record } = await create({ name: 'x' });
    await update(record.id, { credits: 5, note: 'paid' }, 1);
    await rotate(record.id, 0);
    const conflict = await refusal(update(record.id, { credits: 9 }, 1));
    expect(conflict).toBeInstanceOf(KeyChanged);
    expect(conflict).toMatchObject({ fields: ['credits', 'note', 'secret'], current: { credits: 5, version: 3 } });
    expect(await refusal(update(record.id, { credits: 9 }, 2))).toMatchObject({ fields: ['secret'] });
    expect((await update(record.id, { credits: 9 }, 3)).record).toMatchObject({ credits: 9, version: 4 });
  });

  test('of two at once one wins, and nothing is lost silently', async () => {
    const { record } = await create({ name: 'x', credits: 1 });
    const results = await Promise.allSettled([2, 3, 4].map((credits) => update(record.id, { credits }, 1)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await showKey(redis.client, record.id)).version).toBe(2);
  });

  test('is held for revoking, rotating and deleting too', async () => {
    const { record } = await create({ name: 'x' });
    await update(record.id, { name: 'y' });
    const late = { actor, expectedVersion: 1 };
    for (const change of [
      revokeKey(redis.client, record.id, late),
      rotateKey(place(), record.id, { ...late, overlapMs: 0 }),
      deleteKey(redis.client, record.id, late),
    ])
      expect(await refusal(change)).toMatchObject({ code: 'key_changed', fields: ['name'] });
    expect(await showKey(redis.client, record.id)).toMatchObject({ state: 'active', version: 2 });
  });

  test('does not know of changes that are long past', async () => {
    const { record } = await create({ name: 'x' });
    for (let credits = 1; credits <= 40; credits += 1) await update(record.id, { credits, name: `n${credits}` });
    expect(await refusal(update(record.id, { name: 'y' }, 1))).toMatchObject({ fields: undefined });
    expect(await refusal(update(record.id, { name: 'y' }, 39))).toMatchObject({ fields: ['credits', 'name'] });
    // A longer value would make Redis keep the whole record in a form that takes five times the memory.
    expect((await stored(record.id))['changes']?.length).toBeLessThanOrEqual(60);
    expect(await redis.client.call('OBJECT', 'ENCODING', redisKeys.apiKey(record.id))).toBe('listpack');
  });

  test('is not refused for what admission has counted', async () => {
    const { record } = await create({ name: 'x', credits: 5 });
    await redis.client.hset(redisKeys.apiKey(record.id), { charged: '3', dayCount: '7', [PACKED_TERMS]: 'packed' });
    expect((await update(record.id, { credits: 9 }, 1)).record).toMatchObject({ charged: 3, version: 2 });
  });
});

describe('revoke', () => {
  test('ends a key for good; twice changes nothing', async () => {
    const { record } = await create({ name: 'x' });
    expect((await revoke(record.id)).after).toEqual({ state: 'revoked', revokedAt: expect.stringMatching(/^\d+$/) });
    const once = await stored(record.id);
    expect(once).toMatchObject({ state: 'revoked', revokedAt: expect.stringMatching(/^\d+$/) });
    expect(await revoke(record.id)).toMatchObject({ before: {}, after: {}, record: { state: 'revoked' } });
    expect(await stored(record.id)).toEqual(once);
  });

  test('ends the overlap of a rotation too', async () => {
    const { record } = await create({ name: 'x' });
    await rotate(record.id, DAY_MS);
    await revoke(record.id);
    expect(await stored(record.id)).not.toHaveProperty('oldHash');
  });

  test('says when there is no such key', async () => {
    expect(await refusal(revoke(NO_KEY))).toBeInstanceOf(KeyNotFound);
  });
});

describe('rotate', () => {
  test('keeps id, limits and charges; the old secret stays good for the overlap', async () => {
    const first = await create({ name: 'x', perHour: 5 });
    await redis.client.hset(redisKeys.apiKey(first.record.id), 'charged', 7);
    const before = await keysNow(redis.client);
    const second = await rotate(first.record.id, DAY_MS);

    expect(second.key).not.toBe(first.key);
    expect(readKeyId(second.key)).toBe(first.record.id);
    expect(second.record).toMatchObject({ perHour: 5, charged: 7, hash: hashApiKey(second.key, PEPPER), version: 2 });
    expect(second.record.oldHash).toBe(hashApiKey(first.key, PEPPER));
    expect(second.record.oldHashUntil).toBeGreaterThanOrEqual(before + DAY_MS);
    expect(second).toMatchObject({ before: {}, after: { oldHashUntil: String(second.record.oldHashUntil) } });
  });

  test.each([0, DAY_MS])(
    'with an overlap of %d ms does not end one that still runs unless an option says so',
    async (overlapMs) => {
      const { record } = await create({ name: 'x' });
      const { record: rotated } = await rotate(record.id, DAY_MS);
      const before = await stored(record.id);

      const running = await refusal(rotate(record.id, overlapMs));
      expect(running).toBeInstanceOf(OverlapRuns);
      expect(running).toMatchObject({ untilMs: rotated.oldHashUntil });
      expect(await stored(record.id)).toEqual(before);
      const last = await rotate(record.id, overlapMs, true);
      expect(await stored(record.id)).toMatchObject({ hash: hashApiKey(last.key, PEPPER) });
      expect((await stored(record.id))['oldHash']).toBe(overlapMs > 0 ? before['hash'] : undefined);
    },
  );

  test('of two at once one wins, and the other learns of its overlap', async () => {
    const first = await create({ name: 'x' });
    const { id } = first.record;
    const results = await Promise.all([refusal(rotate(id, DAY_MS)), refusal(rotate(id, DAY_MS))]);
    expect(results.filter((result) => result === undefined)).toHaveLength(1);
    expect(results.filter((result) => result instanceof OverlapRuns)).toHaveLength(1);
    expect((await stored(id))['oldHash']).toBe(hashApiKey(first.key, PEPPER));
  });

  test('goes on without a word once the overlap is over', async () => {
    const { record } = await create({ name: 'x' });
    await rotate(record.id, DAY_MS);
    await redis.client.hset(redisKeys.apiKey(record.id), 'oldHashUntil', (await keysNow(redis.client)) - 1);
    const last = await rotate(record.id, 0);
    expect(await stored(record.id)).toMatchObject({ hash: hashApiKey(last.key, PEPPER) });
    expect(await stored(record.id)).not.toHaveProperty('oldHash');
  });

  test('refuses revoked and unknown keys', async () => {
    const { record } = await create({ name: 'x' });
    await revoke(record.id);
    expect(await refusal(rotate(record.id, 0))).toBeInstanceOf(KeyRevoked);
    expect(await refusal(rotate(NO_KEY, 0))).toBeInstanceOf(KeyNotFound);
  });
});

test('a revoked key stays as it was when it ended', async () => {
  const { record } = await create({ name: 'x', perHour: 5 });
  await revoke(record.id);
  const ended = await stored(record.id);
  expect(await refusal(updateKey(redis.client, record.id, { perHour: 6 }, { actor }))).toBeInstanceOf(KeyRevoked);
  expect(await stored(record.id)).toEqual(ended);
});

describe('delete', () => {
  test('leaves nothing but its name and that it was deleted, and tells what was there', async () => {
    const { record } = await create({ name: 'x', owner: 'Ann' });
    await redis.client.rpush(redisKeys.keyFreeFailures(record.id), '1');
    await redis.client.rpush(redisKeys.keyHour(record.id), '1');
    const change = await deleteKey(redis.client, record.id, { actor });
    expect(change).toMatchObject({ record: { id: record.id }, before: { name: 'x', owner: 'Ann' }, after: {} });
    expect(change.before).not.toHaveProperty('hash');
    const left = [redisKeys.audit, redisKeys.keyDeleted(record.id), redisKeys.apiKeysDeleted];
    expect((await redis.client.keys('*')).sort()).toEqual(left.sort());
    expect(await redis.client.get(redisKeys.keyDeleted(record.id))).toBe('1 x');
    expect(await refusal(deleteKey(redis.client, record.id, { actor }))).toBeInstanceOf(KeyNotFound);
  });
});

test('lists keys of one millisecond in the order in which they were made', async () => {
  const names = Array.from({ length: 50 }, (_, index) => String(index));
  // All are asked for at once: Redis gets and stores them in this order, many within a millisecond.
  await Promise.all(names.map((name) => create({ name })));
  const { records } = await readAllKeys(redis.client);
  expect(new Set(records.map(({ createdAt }) => createdAt)).size).toBeLessThan(names.length);
  expect(records.map(({ name }) => name)).toEqual(names);
});

test('lists more keys than are read at once, oldest first', async () => {
  for (let index = 0; index < 501; index += 1) await create({ name: String(index) });
  const times = (await readAllKeys(redis.client)).records.map(({ createdAt }) => createdAt);
  expect(times).toHaveLength(501);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});
