import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { countReservations, reserve } from '../../testing/reservations.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { readSettlement, rejoin, settle } from './settle.ts';
import type { Settlement } from './settlement.ts';

const requestId = 'req_0000000000000000000001';
const keyId = 'k1';
const gateway = 'gateway-1';
const answered: Settlement = {
  v: 1,
  outcome: 'answered',
  text: 'masked',
  masked: { url: 0, key: 1, ip: 0, connection: 0 },
  usage: { input: 1, output: 2 },
  work: { attempts: 1, queuedMs: 1, modelMs: 1, maskMs: 0.1 },
};
const failed: Settlement = { v: 1, outcome: 'failed', error: 'upstream_error' };

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.client;
});
afterAll(() => server.stop());
beforeEach(async () => {
  await redis.flushall();
  // What admission leaves behind for one admitted request, and a gateway that is up.
  await redis.hset(redisKeys.apiKey(keyId), { id: keyId, charged: 5 });
  await reserve(redis, requestId, keyId);
  await redis.xadd(redisKeys.inbox(gateway), '*', 'opened', '1');
});

const charged = async () => Number(await redis.hget(redisKeys.apiKey(keyId), 'charged'));
const replies = async () =>
  (await redis.xrange(redisKeys.inbox(gateway), '-', '+')).slice(1).map(([, fields]) => fields);

describe('settle', () => {
  test('stores the outcome with an expiry, frees the reservation, and replies', async () => {
    expect(await settle(redis, { requestId, keyId, settlement: answered, attempt: 1, replyTo: gateway })).toEqual({
      kind: 'settled',
    });
    expect(await readSettlement(redis, requestId)).toEqual(answered);
    expect(await redis.pttl(redisKeys.request(requestId))).toBeGreaterThan(500_000);
    expect(await countReservations(redis)).toBe(0);
    expect(await replies()).toEqual([['id', requestId, 'settlement', JSON.stringify(answered)]]);
    expect(await charged()).toBe(5);
  });

  test('gives a charge back, once, where the caller was told of a failure', async () => {
    await settle(redis, { requestId, keyId, settlement: answered, attempt: 1, replyTo: gateway });
    for (let repeat = 0; repeat < 2; repeat++) {
      const result = await settle(redis, { requestId, keyId, settlement: failed, takeBack: true });
      expect(result).toEqual({ kind: 'already', settlement: answered });
      expect(await charged()).toBe(4);
    }
  });

  test('settles even where Redis is full: what was admitted is done and paid for', async () => {
    await redis.config('SET', 'maxmemory', '1mb');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    try {
      await expect(redis.set('x', 'y')).rejects.toThrow('OOM');
      const result = await settle(redis, { requestId, keyId, settlement: answered, attempt: 1, replyTo: gateway });
      expect(result).toEqual({ kind: 'settled' });
      expect(await replies()).toHaveLength(1);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
  });

  test.each([
    ['an answer', answered, 5],
    ['a prompt that the safety filter refused', { v: 1, outcome: 'failed', error: 'content_blocked' }, 5],
    ['a failure of the upstream', failed, 4],
    ['a timeout', { v: 1, outcome: 'failed', error: 'timed_out' }, 4],
    ['masking that failed', { v: 1, outcome: 'failed', error: 'masking_failed' }, 4],
    ['a caller who left', { v: 1, outcome: 'failed', error: 'client_closed' }, 4],
  ] as [string, Settlement, number][])(
    'of %s leaves the right number of charges',
    async (_what, settlement, expected) => {
      await settle(redis, { requestId, keyId, settlement });
      expect(await charged()).toBe(expected);
    },
  );

  test('lets the first of many concurrent settlements win, and tells the others which', async () => {
    const results = await Promise.all(
      [failed, answered, failed, answered].map((settlement, index) =>
        settle(redis, { requestId, keyId, settlement, attempt: index % 2, replyTo: gateway }),
      ),
    );
    expect(results).toEqual([
      { kind: 'settled' },
      { kind: 'already', settlement: failed },
      { kind: 'already', settlement: failed },
      { kind: 'already', settlement: failed },
    ]);
    expect(await charged()).toBe(4);
    expect(await replies()).toHaveLength(1);
  });

  test('of an unknown request changes nothing', async () => {
    const before = await redis.keys('*');
    const settlement = answered;
    expect(await settle(redis, { requestId: 'req_x', keyId, settlement, replyTo: gateway })).toEqual({ kind: 'gone' });
    expect((await redis.keys('*')).sort()).toEqual(before.sort());
    expect(await charged()).toBe(5);
  });

  test('does not bring back the inbox of a gateway that is gone', async () => {
    await redis.del(redisKeys.inbox(gateway));
    await settle(redis, { requestId, keyId, settlement: answered, replyTo: gateway });
    expect(await redis.exists(redisKeys.inbox(gateway))).toBe(0);
    expect(await readSettlement(redis, requestId)).toEqual(answered);
  });

  test('does not make a record for a key that is gone', async () => {
    await redis.del(redisKeys.apiKey(keyId));
    await settle(redis, { requestId, keyId, settlement: failed });
    expect(await redis.exists(redisKeys.apiKey(keyId))).toBe(0);
  });

  test('tells the workers when it cancels', async () => {
    const subscriber = redis.duplicate();
    await subscriber.subscribe(redisKeys.cancellations);
    const heard = new Promise((resolve) => {
      subscriber.once('message', (_channel: string, id: string) => resolve(id));
    });
    await settle(redis, { requestId, keyId, settlement: failed, cancel: true });
    expect(await heard).toBe(requestId);
    subscriber.disconnect();
  });

  test('survives scripts that Redis has forgotten', async () => {
    await redis.script('FLUSH');
    expect(await settle(redis, { requestId, keyId, settlement: answered })).toEqual({ kind: 'settled' });
  });
});

describe('rejoin', () => {
  const again = (start: number) => rejoin(redis, { requestId, keyId, replyTo: gateway, start });

  test('fences earlier starts off', async () => {
    expect(await again(2)).toBe('run');
    expect(await settle(redis, { requestId, keyId, settlement: failed, attempt: 1 })).toEqual({ kind: 'fenced' });
    expect(await charged()).toBe(5);
    expect(await settle(redis, { requestId, keyId, settlement: answered, attempt: 2 })).toEqual({ kind: 'settled' });
  });

  test('never lowers the fence, and lets a gateway settle at any time', async () => {
    await again(3);
    expect(await again(2)).toBe('run');
    expect(await settle(redis, { requestId, keyId, settlement: answered, attempt: 2 })).toEqual({ kind: 'fenced' });
    expect(await settle(redis, { requestId, keyId, settlement: failed })).toEqual({ kind: 'settled' });
  });

  test('sends the reply of a settled request again, without a charge', async () => {
    await settle(redis, { requestId, keyId, settlement: answered, attempt: 1 });
    expect(await again(2)).toBe('settled');
    expect(await replies()).toEqual([['id', requestId, 'settlement', JSON.stringify(answered)]]);
    expect(await charged()).toBe(5);
  });

  test('knows when nobody waits', async () => {
    await redis.del(redisKeys.keyFlight(keyId));
    expect(await again(2)).toBe('gone');
  });
});
