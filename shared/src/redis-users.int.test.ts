import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { startTestRedis, type TestRedis } from '../testing/redis-server.ts';
import { refusedByRedis, testUsers } from '../testing/redis-users.ts';
import { blockAddress, listBlockedAddresses, unblockAddress } from './admin/address-blocks.ts';
import { readAudit } from './admin/audit.ts';
import { holdQueue } from './admin/hold-queue.ts';
import { endSessions } from './admin/session-list.ts';
import { deleteKey, revokeKey, rotateKey, updateKey } from './keys/change-key.ts';
import { createKey } from './keys/create-key.ts';
import { countKeys, listKeys } from './keys/list-keys.ts';
import { countFreeFailures } from './keys/read-key.ts';
import { redisKeys } from './redis-keys.ts';
import { REDIS_USERS, type RedisUser } from './redis-users.ts';

const ID = 'A1b2C3d4E5';
const session = redisKeys.stats('session:x');
const job = '{lontar}:generation:wait';

/** Versions of Redis and Valkey say it in other words. */
const REFUSED_IN_SCRIPT = /NOPERM|can't (?:run|access)|permission/i;

let server: TestRedis;
let redis: Redis | undefined;
const users = testUsers();

beforeAll(async () => {
  server = await startTestRedis({ args: users.args });
});
beforeEach(async () => {
  await server.client.flushall();
  await server.client.call('ACL', 'LOG', 'RESET');
  await server.client.set(session, '1');
});
afterEach(() => redis?.disconnect());
afterAll(() => server.stop());

function connectAs(user: RedisUser): Redis {
  redis = new Redis(users.urlOf(server.url, user), { enableReadyCheck: false, retryStrategy: () => null });
  return redis;
}

describe.each(REDIS_USERS)('the user %s', (user) => {
  test.each([
    ['FLUSHALL'],
    ['FLUSHDB'],
    ['KEYS', '*'],
    ['CONFIG', 'SET', 'maxmemory', '1'],
    ['ACL', 'LIST'],
    ['SHUTDOWN', 'NOSAVE'],
    ['MONITOR'],
    ['CLIENT', 'KILL', 'ID', '1'],
    ['SCRIPT', 'FLUSH'],
    ['FUNCTION', 'FLUSH'],
    ['REPLICAOF', 'NO', 'ONE'],
    ['SET', 'of-another-program', '1'],
    ['GET', 'of-another-program'],
  ])('may not %s', async (...command) => {
    const [name = '', ...args] = command;
    await expect(connectAs(user).call(name, ...args)).rejects.toThrow(/NOPERM/);
    expect(await refusedByRedis(server.url)).toContainEqual(expect.stringContaining(`${user} `));
  });

  test('reaches no key of another program through a script either', async () => {
    const call = connectAs(user).eval("return redis.call('SET', 'of-another-program', '1')", 0);
    await expect(call).rejects.toThrow(REFUSED_IN_SCRIPT);
    expect(await server.client.exists('of-another-program')).toBe(0);
  });
});

describe('what belongs to another service', () => {
  test.each<[RedisUser, string, string[]]>([
    ['gateway', 'an operator session', ['GET', session]],
    ['gateway', 'to make an operator session', ['SET', session, '1']],
    ['gateway', 'the list of all keys', ['ZRANGE', redisKeys.apiKeyIndex, '0', '-1']],
    ['worker', 'an operator session', ['GET', session]],
    ['worker', 'events', ['XRANGE', redisKeys.events, '-', '+']],
    ['worker', 'an upload', ['HGETALL', redisKeys.upload('x')]],
    ['worker', 'the hour of an address', ['LRANGE', redisKeys.addressHour('192.0.2.1'), '0', '-1']],
    ['worker', 'a ban', ['DEL', redisKeys.addressBan('192.0.2.1')]],
    ['stats-service', "a key's reservations", ['ZRANGE', redisKeys.keyFlight(ID), '0', '-1']],
    ['stats-service', 'to change a count of uploads', ['SET', redisKeys.uploads('2026-01-31', '192.0.2.1'), '0']],
    ['stats-service', 'to put a job into the queue', ['LPUSH', job, 'x']],
    ['stats-service', 'to take a job out', ['DEL', job]],
    ['stats-service', "a caller's answer", ['HGETALL', redisKeys.request('req_x')]],
    ['stats-service', "a gateway's inbox", ['XRANGE', redisKeys.inbox('g'), '-', '+']],
    ['probe', 'anything but its own key', ['SET', redisKeys.probe('gateway-1'), '1']],
  ])('is out of reach of %s: %s', async (user, _what, [name = '', ...args]) => {
    await expect(connectAs(user).call(name, ...args)).rejects.toThrow(/NOPERM/);
  });

  test('stats-service reads the queue, and cannot write to it by a script either', async () => {
    const stats = connectAs('stats-service');
    expect(await stats.llen(job)).toBe(0);
    const push = stats.eval("return redis.call('LPUSH', KEYS[1], 'x')", 1, job);
    await expect(push).rejects.toThrow(REFUSED_IN_SCRIPT);
    expect(await server.client.exists(job)).toBe(0);
  });

  test('stats-service makes, changes and deletes keys', async () => {
    const stats = connectAs('stats-service');
    const place = { redis: stats, pepper: 'a pepper of this test, longer than 32 characters' };
    const actor = { by: 'token', id: 'tok_1' } as const;
    const { id } = (await createKey(place, { name: 'shop' }, { actor })).record;
    await updateKey(stats, id, { credits: 5 }, { actor });
    await rotateKey(place, id, { actor, overlapMs: 60_000 });
    await countFreeFailures(stats, id);
    for (const query of [
      { search: 's' },
      { owner: 'x', descending: true },
      { sort: 'used' },
      { state: 'active' },
    ] as const) {
      expect((await listKeys(stats, query)).cursor).toBeNull();
    }
    expect(await countKeys(stats)).toMatchObject({ active: 1 });
    expect((await revokeKey(stats, id, { actor })).record).toMatchObject({ state: 'revoked', credits: 5, version: 4 });
    await deleteKey(stats, id, { actor });
    expect(await refusedByRedis(server.url)).toEqual([]);
  });

  test('stats-service does what an operator may by the admin API', async () => {
    const stats = connectAs('stats-service');
    const actor = { by: 'token', id: 'tok_1' } as const;
    await blockAddress(stats, '192.0.2.1', 0, actor);
    expect(await listBlockedAddresses(stats)).toHaveLength(1);
    await unblockAddress(stats, '192.0.2.1', actor);
    await holdQueue(stats, 'pause', actor);
    await holdQueue(stats, 'resume', actor);
    await endSessions(stats, actor);
    expect((await readAudit(stats, {}, 10)).entries).toHaveLength(4);
    expect(await refusedByRedis(server.url)).toEqual([]);
  });

  test('the channels of cancellations and of workers are the only ones', async () => {
    const worker = connectAs('worker');
    await expect(worker.subscribe('another')).rejects.toThrow(/NOPERM/);
    expect(await worker.subscribe(redisKeys.cancellations, redisKeys.workerChannel('x'))).toBe(2);
  });
});
