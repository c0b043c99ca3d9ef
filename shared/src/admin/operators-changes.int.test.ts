import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { hashApiKey } from '../api-key.ts';
import { type GenerationQueue, openGenerationQueue } from '../generation-queue.ts';
import { deleteKey, revokeKey, rotateKey, updateKey } from '../keys/change-key.ts';
import { createKey } from '../keys/create-key.ts';
import { operatorKeys } from '../operator-sessions.ts';
import { queueKeys } from '../queue/queue-keys.ts';
import { redisKeys } from '../redis-keys.ts';
import { blockAddress, listBlockedAddresses, unblockAddress } from './address-blocks.ts';
import { readAudit } from './audit.ts';
import { holdQueue } from './hold-queue.ts';
import { endSessions } from './session-list.ts';

const ANNA = { by: 'session', id: 'abc', from: '192.0.2.1' } as const;
const PEPPER = 'a pepper of this test, longer than 32 characters';
const ADDRESS = '198.51.100.7';

let redis: TestRedis;
let queue: GenerationQueue;

beforeAll(async () => {
  redis = await startTestRedis();
  queue = openGenerationQueue(redis.client);
});
afterAll(async () => {
  await redis.stop();
});
beforeEach(() => redis.client.flushall());

/** What the log says was done, the oldest first. */
const noted = async () =>
  (await readAudit(redis.client, {}, 50)).entries
    .toReversed()
    .map(({ action, target, before, after }) => [action, target, before, after]);

test('each change of a key is noted with the fields that differ, what changes nothing is not, and no secret ever', async () => {
  const place = { redis: redis.client, pepper: PEPPER };
  const addresses = [{ text: '10.0.0.0/8', bits: '4:00001010' }];
  const made = await createKey(place, { name: 'shop', credits: 5, addresses }, { actor: ANNA });
  const { id } = made.record;
  await updateKey(redis.client, id, { credits: 7 }, { actor: ANNA });
  await updateKey(redis.client, id, { credits: 7 }, { actor: ANNA });
  const rotated = await rotateKey(place, id, { actor: ANNA, overlapMs: 60_000 });
  await revokeKey(redis.client, id, { actor: ANNA });
  await revokeKey(redis.client, id, { actor: ANNA });
  await deleteKey(redis.client, id, { actor: ANNA });
  const entries = await noted();
  const until = { oldHashUntil: expect.stringMatching(/^\d{13}$/) };
  expect(entries).toEqual([
    ['key.create', id, null, expect.objectContaining({ name: 'shop', credits: '5', addresses: '10.0.0.0/8' })],
    ['key.update', id, { credits: '5' }, { credits: '7' }],
    ['key.rotate', id, null, until],
    ['key.revoke', id, { state: 'active', ...until }, { state: 'revoked', revokedAt: expect.any(String) }],
    ['key.delete', id, expect.objectContaining({ name: 'shop', state: 'revoked' }), null],
  ]);
  const log = JSON.stringify(await redis.client.xrange(redisKeys.audit, '-', '+'));
  for (const { key } of [made, rotated]) {
    expect(log).not.toContain(key.slice(20, 40));
    expect(log).not.toContain(hashApiKey(key, PEPPER));
  }
});

test('blocks and their end are noted with what was and what is', async () => {
  await blockAddress(redis.client, ADDRESS, 0, ANNA);
  expect(await listBlockedAddresses(redis.client)).toEqual([{ address: ADDRESS, reason: 'operator', until: null }]);
  await blockAddress(redis.client, ADDRESS, 60_000, ANNA);
  expect(await unblockAddress(redis.client, ADDRESS, ANNA)).toBe(true);
  expect(await unblockAddress(redis.client, ADDRESS, ANNA)).toBe(false);
  const [endless, timed] = [
    { by: 'operator', until: 'no end' },
    { by: 'operator', until: expect.stringMatching(/^\d{13}$/) },
  ];
  expect(await noted()).toEqual([
    ['address.block', ADDRESS, null, endless],
    ['address.block', ADDRESS, endless, timed],
    ['address.unblock', ADDRESS, timed, null],
  ]);
});

test('lists of blocked addresses have a bound, and name the longest first', async () => {
  for (const [index, forMs] of [30_000, 0, 90_000, 60_000].entries()) {
    await blockAddress(redis.client, `192.0.2.${index}`, forMs, ANNA);
  }
  await redis.client.zadd(redisKeys.blockedAddresses, Date.now() + 75_000, '192.0.2.9');
  const listed = await listBlockedAddresses(redis.client, 3);
  expect(listed.map(({ address, reason }) => [address, reason])).toEqual([
    ['192.0.2.1', 'operator'],
    ['192.0.2.2', 'operator'],
    ['192.0.2.9', 'limit'],
  ]);
});

test('ended sessions are noted one by one, under their ids and never their digests', async () => {
  const later = Date.now() + 60_000;
  const digests = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
  for (const digest of digests) await redis.client.hset(operatorKeys.sessions, digest, `192.0.2.1 1 1 ${later} token`);
  expect(await endSessions(redis.client, ANNA, 'a'.repeat(12))).toBe(1);
  expect(await endSessions(redis.client, ANNA, 'a'.repeat(12))).toBe(0);
  expect(await endSessions(redis.client, ANNA)).toBe(2);
  const entries = await noted();
  const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(12));
  expect(entries.map(([, target]) => target)).toEqual(expect.arrayContaining(ids));
  expect(entries).toHaveLength(ids.length);
  expect(entries[0]).toEqual(['session.end', 'a'.repeat(12), { address: '192.0.2.1' }, null]);
});

test('the queue is held and goes on as BullMQ knows it, and is noted where that changes something', async () => {
  await redis.client.zadd(queueKeys.marker, 0, '0');
  await holdQueue(redis.client, 'pause', ANNA);
  await holdQueue(redis.client, 'pause', ANNA);
  expect([(await queue.state()).paused, await redis.client.exists(queueKeys.marker)]).toEqual([true, 0]);
  await redis.client.lpush(queueKeys.waiting, 'req_a');
  await holdQueue(redis.client, 'resume', ANNA);
  expect([(await queue.state()).paused, await redis.client.zscore(queueKeys.marker, '0')]).toEqual([false, '0']);
  const [running, paused] = [{ state: 'running' }, { state: 'paused' }];
  expect(await noted()).toEqual([
    ['queue.pause', '', running, paused],
    ['queue.resume', '', paused, running],
  ]);
});
