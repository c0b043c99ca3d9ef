import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { redisKeys } from '../redis-keys.ts';
import { deleteKey, revokeKey, updateKey } from './change-key.ts';
import { createKey } from './create-key.ts';
import { indexAllKeys, indexMissingKeys } from './index-keys.ts';
import type { KeyQuery } from './key-query.ts';
import { InvalidTerms } from './key-refusals.ts';
import { INDEX_KEYS } from './key-scripts.ts';
import type { KeyTerms } from './key-terms.ts';
import { countKeys, listKeys } from './list-keys.ts';
import { keysNow, showKey } from './read-key.ts';

const actor = { by: 'cli', id: 'tester' } as const;
const change = { actor };

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
beforeEach(async () => {
  await redis.client.flushall();
});
afterAll(() => redis.stop());

const create = async (name: string, terms: KeyTerms = {}) =>
  (await createKey({ redis: redis.client, pepper: 'p'.repeat(40) }, { ...terms, name }, change)).record.id;
/** Names of all pages; pages are as short as they can be, so that every cursor is tried. */
const names = async (query: KeyQuery, limit = 1): Promise<string[]> => {
  const found: string[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < 500 && cursor !== null; page += 1) {
    const next = await listKeys(redis.client, { ...query, limit, cursor: cursor ?? undefined });
    found.push(...next.keys.map(({ name }) => name));
    cursor = next.cursor;
  }
  return found;
};
/** A key as a command of an earlier version makes and changes it. */
const makeOld = async (id: string, name: string, fields: Record<string, string> = {}) => {
  const record = { id, hash: 'h', name, state: 'active', createdAt: '1000', charged: '0', ...fields };
  await redis.client.hset(redisKeys.apiKey(id), record);
  await redis.client.zadd(redisKeys.apiKeyIndex, record.createdAt, id);
};
/** Everything that the sets of the index have. */
const index = async () => Promise.all(INDEX_KEYS.map((set) => redis.client.zrange(set, '0', '-1', 'WITHSCORES')));
const used = (id: string, minute: number) => redis.client.zadd(redisKeys.apiKeyUse, 'XX', minute, id);

describe('orders', () => {
  beforeEach(async () => {
    const ids = [];
    for (const name of ['pear', 'Apple', 'fig', 'Éclair', 'apple']) ids.push(await create(name));
    await used(ids[2] ?? '', 20);
    await used(ids[0] ?? '', 30);
  });

  test.each<[KeyQuery, string[]]>([
    [{}, ['pear', 'Apple', 'fig', 'Éclair', 'apple']],
    [{ descending: true }, ['apple', 'Éclair', 'fig', 'Apple', 'pear']],
    [{ sort: 'name' }, ['Apple', 'apple', 'fig', 'pear', 'Éclair']],
    [{ sort: 'name', descending: true }, ['Éclair', 'pear', 'fig', 'apple', 'Apple']],
  ])('%j', async (query, expected) => {
    for (const limit of [1, 2, 50]) {
      const found = await names(query, limit);
      // Of names that differ in their case alone the id decides.
      expect(found.map((name) => name.toLowerCase())).toEqual(expected.map((name) => name.toLowerCase()));
      expect(found.toSorted()).toEqual(expected.toSorted());
    }
  });

  test('by last use, latest first, those that were never used at the end', async () => {
    const found = await names({ sort: 'used', descending: true });
    expect(found.slice(0, 2)).toEqual(['pear', 'fig']);
    expect(found.toSorted()).toEqual(['Apple', 'apple', 'fig', 'pear', 'Éclair'].toSorted());
  });

  test('go on where they were, though the key in between is gone', async () => {
    for (const sort of ['created', 'name', 'used'] as const) {
      const first = await listKeys(redis.client, { sort, limit: 2 });
      const rest = (await names({ sort }, 50)).slice(2);
      const gone = first.keys[1];
      await deleteKey(redis.client, gone?.id ?? '', change);
      const second = await listKeys(redis.client, { sort, cursor: first.cursor ?? '' });
      expect(second.keys.map(({ name }) => name)).toEqual(rest);
      await create(gone?.name ?? '');
    }
  });
});

describe('searches and filters', () => {
  beforeEach(async () => {
    await create('Shop of Ann', { owner: 'Ann Bold' });
    const revoked = await create('shop two', { owner: 'Ann Bold' });
    await revokeKey(redis.client, revoked, change);
    await create('bot-shop', { owner: 'ann' });
    await create('other', { expiresAt: (await keysNow(redis.client)) + 3_600_000 });
  });

  test.each<[KeyQuery, string[]]>([
    [{ search: 'shop' }, ['Shop of Ann', 'shop two', 'bot-shop']],
    [{ search: 'SHOP o' }, ['Shop of Ann']],
    [{ search: 'ann' }, ['Shop of Ann', 'bot-shop', 'shop two']],
    [{ search: 'nothing' }, []],
    [{ search: 'shop', state: 'active' }, ['Shop of Ann', 'bot-shop']],
    [{ owner: 'Ann Bold' }, ['Shop of Ann', 'shop two']],
    [{ owner: 'Ann Bold', descending: true }, ['shop two', 'Shop of Ann']],
    [{ owner: 'Ann Bold', state: 'revoked' }, ['shop two']],
    [{ owner: 'ann bold' }, []],
    [{ owner: 'Ann' }, []],
    [{ state: 'active' }, ['Shop of Ann', 'bot-shop', 'other']],
    [{ state: 'revoked' }, ['shop two']],
    [{ state: 'expired' }, []],
    [{ state: 'active', sort: 'name' }, ['bot-shop', 'other', 'Shop of Ann']],
  ])('%j finds each key once', async (query, expected) => {
    for (const limit of [1, 50]) expect((await names(query, limit)).toSorted()).toEqual(expected.toSorted());
  });

  test('finds a key by its id, and by the beginning that shows it', async () => {
    const id = await create('named');
    expect(await names({ search: id })).toEqual(['named']);
    expect(await names({ search: `lt_live_${id}` })).toEqual(['named']);
  });

  test('follows every change of name, owner and state, and forgets what is deleted', async () => {
    const id = await create('first', { owner: 'One' });
    const before = await index();
    await updateKey(redis.client, id, { name: 'second name', owner: 'Two' }, change);
    expect([await names({ search: 'first' }), await names({ owner: 'One' })]).toEqual([[], []]);
    expect([await names({ search: 'name' }), await names({ owner: 'Two' })]).toEqual([
      ['second name'],
      ['second name'],
    ]);
    await updateKey(redis.client, id, { name: 'first', owner: 'One' }, change);
    expect(await index()).toEqual(before);
    await updateKey(redis.client, id, { owner: null }, change);
    expect(await names({ owner: 'One' })).toEqual([]);
    await deleteKey(redis.client, id, change);
    expect(JSON.stringify(await index())).not.toContain(id);
  });

  test('of many who rename a key at once, none leaves an entry behind', async () => {
    const id = await create('start');
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map((name) => updateKey(redis.client, id, { name }, change)),
    );
    expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    const { name } = await showKey(redis.client, id);
    const entries = await redis.client.zrange(redisKeys.apiKeyTexts, '0', '-1');
    expect(entries.filter((entry) => entry.endsWith(id))).toEqual([`n${name}\0${id}`]);
  });

  test.each<[KeyQuery, string]>([
    [{ cursor: 'x' }, 'cursor'],
    [{ cursor: Buffer.from('null').toString('base64url') }, 'cursor'],
    [{ cursor: Buffer.from('[-1,"a","b"]').toString('base64url') }, 'cursor'],
    [{ cursor: 'x'.repeat(5_000) }, 'cursor'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 201 }, 'limit'],
    [{ search: 'x'.repeat(10_000) }, 'search'],
  ])('%.60j is refused', async (query, field) => {
    const refused = await listKeys(redis.client, query).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidTerms);
    expect(refused).toMatchObject({ problems: [{ field }] });
  });

  test('a cursor is good for its own query alone', async () => {
    const { cursor } = await listKeys(redis.client, { state: 'active', limit: 1 });
    const other = { state: 'revoked', cursor: cursor ?? '' } as const;
    await expect(listKeys(redis.client, other)).rejects.toBeInstanceOf(InvalidTerms);
  });
});

describe('keys that expire', () => {
  test('change their state by themselves, and back with a later expiry', async () => {
    const id = await create('short', { expiresAt: (await keysNow(redis.client)) + 60_000 });
    expect(await countKeys(redis.client)).toEqual({ active: 1, expired: 0, revoked: 0 });
    const past = (await keysNow(redis.client)) - 1;
    await redis.client.hset(redisKeys.apiKey(id), 'expiresAt', past);
    await redis.client.zadd(redisKeys.apiKeysExpiring, past, id);
    expect(await names({ state: 'expired' })).toEqual(['short']);
    expect(await names({ state: 'active' })).toEqual([]);
    expect(await countKeys(redis.client)).toEqual({ active: 0, expired: 1, revoked: 0 });
    await updateKey(redis.client, id, { expiresAt: null }, change);
    expect(await names({ state: 'active' })).toEqual(['short']);
    await revokeKey(redis.client, id, change);
    expect(await countKeys(redis.client)).toEqual({ active: 0, expired: 0, revoked: 1 });
  });
});

describe('keys of an earlier version', () => {
  test('are indexed once, by whoever lists first, however many there are', async () => {
    for (let n = 0; n < 450; n += 1) await makeOld(`old${String(n).padStart(7, '0')}`, `old ${n}`);
    await makeOld('revokedold', 'ended', { state: 'revoked' });
    await makeOld('broken0000', 'broken', { perHour: 'many' });
    expect(await names({ state: 'revoked' })).toEqual(['ended']);
    expect(await names({ search: '449' })).toEqual(['old 449']);
    expect(await countKeys(redis.client)).toEqual({ active: 451, expired: 0, revoked: 1 });
    const { unreadable } = await listKeys(redis.client, { limit: 200 });
    expect(unreadable.map(({ message }) => message)).toEqual([expect.stringContaining('broken0000')]);
    expect(await indexMissingKeys(redis.client)).toBe(0);
    const before = await index();
    await indexAllKeys(redis.client);
    expect(await index()).toEqual(before);
  });

  test('go on where an indexing was broken off, also with two at once', async () => {
    for (let n = 0; n < 250; n += 1) await makeOld(`old${String(n).padStart(7, '0')}`, `old ${n}`);
    await redis.client.zadd(redisKeys.apiKeyUse, 0, 'old0000000');
    const [first, second] = await Promise.all([indexMissingKeys(redis.client), indexMissingKeys(redis.client)]);
    expect(first + second).toBeGreaterThanOrEqual(249);
    expect(await redis.client.zcard(redisKeys.apiKeyUse)).toBe(250);
  });

  test('that are changed before they are indexed are indexed as they are then', async () => {
    await makeOld('changedold', 'before', { owner: 'One' });
    await updateKey(redis.client, 'changedold', { name: 'after' }, change);
    expect(await names({ search: 'after' })).toEqual(['after']);
    expect(await names({ search: 'before' })).toEqual([]);
  });

  test('that an old command renames or revokes are never listed as what they are not, and mended', async () => {
    const id = await create('before');
    await redis.client.hset(redisKeys.apiKey(id), { name: 'after', state: 'revoked' });
    expect(await names({ search: 'before' })).toEqual([]);
    expect(await names({ search: 'after' })).toEqual(['after']);
    expect(await names({ state: 'active' })).toEqual([]);
    expect(await names({ state: 'revoked' })).toEqual(['after']);
  });
});
