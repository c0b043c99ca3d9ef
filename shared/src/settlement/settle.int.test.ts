import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readSettlement } from '../../testing/read-settlement.ts';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { redisTime } from '../../testing/redis-time.ts';
import { countReservations, reserve } from '../../testing/reservations.ts';
import type { GenerationFailure } from '../errors.ts';
import { jobKeys } from '../generation-queue.ts';
import { queueKeys } from '../queue/queue-keys.ts';
import { later } from '../redis-clock.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { noteCost, noteReturn, type RejoinInput, rejoin, settle } from './settle.ts';
import { parseSettlement, type Settlement } from './settlement.ts';

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
const failure = (error: GenerationFailure): Settlement => ({ v: 1, outcome: 'failed', error });
const failed = failure('upstream_error');
const first: RejoinInput = {
  ...{ requestId, keyId, replyTo: gateway, start: 1, losses: 0, alone: false },
  ...{ receivedAt: redisTime(1_000), redisBackAt: redisTime(0) },
  freeFailuresPerHour: 5,
};

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
    const result = await settle(redis, { requestId, keyId, settlement: answered, attempt: 1, replyTo: gateway });
    expect(result).toEqual({ kind: 'settled', settlement: answered });
    expect(await readSettlement(redis, requestId)).toEqual(answered);
    expect(await redis.pttl(redisKeys.request(requestId))).toBeGreaterThan(500_000);
    expect(await countReservations(redis)).toBe(0);
    expect(await replies()).toEqual([['id', requestId, 'settlement', JSON.stringify(answered)]]);
    expect(await charged()).toBe(5);
  });

  test('gives a charge back, once, where the caller had got a failure', async () => {
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
      expect(result).toMatchObject({ kind: 'settled' });
      expect(await replies()).toHaveLength(1);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
  });

  test.each([
    ['an answer', answered, 'yes', 5],
    ['a prompt that the safety filter refused', failure('content_blocked'), 'yes', 5],
    ['an answer without text because the output tokens were used up', failure('output_used_up'), 'yes', 5],
    ['a failure that may have cost money', failure('upstream_error'), 'yes', 4],
    ['a failure that cannot have cost any', failure('upstream_error'), 'no', 4],
    ['a timeout', failure('timed_out'), 'yes', 4],
    ['masking that failed', failure('masking_failed'), 'yes', 4],
    ['a gateway that stopped', failure('service_unavailable'), 'yes', 4],
    ['a caller who left before the model was called', failure('client_closed'), 'no', 4],
    ['a caller who left after that', failure('client_closed'), 'yes', 5],
  ] as [string, Settlement, 'yes' | 'no', number][])(
    'of %s leaves the right number of charges, and says so',
    async (_what, settlement, cost, expected) => {
      await settle(redis, { requestId, keyId, settlement, cost, freeFailuresPerHour: 5, replyTo: gateway });
      expect(await charged()).toBe(expected);
      const stored = await readSettlement(redis, requestId);
      expect(stored).toEqual(settlement === answered ? answered : { ...settlement, charged: expected === 5 });
      expect(parseSettlement((await replies())[0]?.[3] ?? '')).toEqual(stored);
      expect(await redis.hget(redisKeys.request(requestId), 'charge')).toBe(expected === 5 ? 'charge' : 'refund');
    },
  );

  test('lets the first of many concurrent settlements win, and gives the others its outcome', async () => {
    const results = await Promise.all(
      [failed, answered, failed, answered].map((settlement, index) =>
        settle(redis, { requestId, keyId, settlement, attempt: index % 2, replyTo: gateway }),
      ),
    );
    const settlement = { ...failed, charged: false };
    expect(results).toEqual([
      { kind: 'settled', settlement },
      { kind: 'already', settlement },
      { kind: 'already', settlement },
      { kind: 'already', settlement },
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

  test('notifies the workers when it cancels', async () => {
    const subscriber = redis.duplicate();
    await subscriber.subscribe(redisKeys.cancellations);
    const received = new Promise((resolve) => {
      subscriber.once('message', (_channel: string, id: string) => resolve(id));
    });
    await settle(redis, { requestId, keyId, settlement: failed, cancel: true });
    expect(await received).toBe(requestId);
    subscriber.disconnect();
  });

  test('survives scripts that Redis has forgotten', async () => {
    await redis.script('FLUSH');
    expect(await settle(redis, { requestId, keyId, settlement: answered })).toMatchObject({ kind: 'settled' });
  });
});

describe('failures that are given back', () => {
  const ids = Array.from({ length: 60 }, (_, index) => `req_of_many_${index}`);
  const settleOne = (id: string, freeFailuresPerHour = 5, connection = redis) =>
    settle(connection, {
      requestId: id,
      keyId,
      settlement: failure('timed_out'),
      cost: 'yes',
      freeFailuresPerHour,
      cancel: true,
    });
  const given = () => redis.lrange(redisKeys.keyFreeFailures(keyId), 0, -1);
  const isGivenBack = async (id: string, freeFailuresPerHour = 5) => {
    const result = await settleOne(id, freeFailuresPerHour);
    return result.kind === 'settled' && result.settlement.outcome === 'failed' && result.settlement.charged === false;
  };
  const hourAgo = async (offsetMs: number) => {
    const [seconds, micros] = await redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000) - 3_600_000 + offsetMs;
  };
  beforeEach(async () => {
    await redis.hset(redisKeys.apiKey(keyId), { charged: 100 });
    for (const id of ids) await reserve(redis, id, keyId);
  });

  test('are exactly as many as may be, however many settle at once, twice each, over several connections', async () => {
    const connections = [redis, redis.duplicate(), redis.duplicate()];
    const all = [...ids, ...ids].map((id, index) => settleOne(id, 5, connections[index % 3]));
    const results = await Promise.all(all);
    expect(results.filter(({ kind }) => kind === 'settled')).toHaveLength(60);
    expect(await charged()).toBe(100 - 5);
    expect(await given()).toHaveLength(5);
    expect(await redis.pttl(redisKeys.keyFreeFailures(keyId))).toBeGreaterThan(3_500_000);
    for (const connection of connections.slice(1)) connection.disconnect();
  });

  test('leave the window one by one, after a whole hour', async () => {
    const list = redisKeys.keyFreeFailures(keyId);
    await redis.rpush(list, await hourAgo(-1), await hourAgo(60_000), await hourAgo(120_000));
    expect([await isGivenBack('req_of_many_0', 3), await isGivenBack('req_of_many_1', 3)]).toEqual([true, false]);
    expect(await given()).toHaveLength(3);
  });

  test('are none with 0, and follow a setting that was made smaller, or larger', async () => {
    expect(await isGivenBack('req_of_many_0', 0)).toBe(false);
    for (const id of ids.slice(1, 5)) expect(await isGivenBack(id, 4)).toBe(true);
    expect(await isGivenBack('req_of_many_5', 2)).toBe(false);
    expect(await isGivenBack('req_of_many_6', 5)).toBe(true);
    expect(await isGivenBack('req_of_many_7', 5)).toBe(false);
  });

  test('are not held up for ever by what a clock that was wrong has written', async () => {
    await redis.rpush(redisKeys.keyFreeFailures(keyId), await hourAgo(9 * 3_600_000));
    expect(await isGivenBack('req_of_many_0', 1)).toBe(true);
  });

  test('cost nothing where nothing can have been spent', async () => {
    for (const id of ids.slice(0, 20)) {
      await settle(redis, { requestId: id, keyId, settlement: failed, cost: 'no', freeFailuresPerHour: 5 });
    }
    expect(await given()).toHaveLength(0);
    expect(await charged()).toBe(80);
  });

  test('are not used up by a caller who has left: that caller pays', async () => {
    await redis.hset(redisKeys.request('req_of_many_0'), 'left', '1');
    expect(await isGivenBack('req_of_many_0')).toBe(false);
    expect(await given()).toHaveLength(0);
  });
});

describe('prompts that workers die of', () => {
  const FREE = 5;
  const CALLS_AT_MOST = 2 * (1 + FREE);
  let ids = 0;

  /** One request of this key, whose worker dies in each call as long as it is let run. */
  async function pill(over: { readonly stallsFirst?: boolean; readonly leavesIn?: number } = {}) {
    const id = `req_deadly_${ids++}`;
    await reserve(redis, id, keyId);
    let calls = 1;
    let [start, losses] = [1, 0];
    if (over.stallsFirst) await noteCost(redis, { requestId: id, keyId });
    else losses++;
    for (;;) {
      start++;
      const asked = { ...first, requestId: id, start, losses, alone: true, freeFailuresPerHour: FREE };
      const { kind } = await rejoin(redis, asked);
      if (kind !== 'run') break;
      calls++;
      losses++;
      if (calls === over.leavesIn) await redis.hset(redisKeys.request(id), { left: '1' });
    }
    return { calls, isCharged: await settleFailed(id, start) };
  }
  async function stall() {
    const id = `req_stalls_${ids++}`;
    await reserve(redis, id, keyId);
    return { calls: 2, isCharged: await settleFailed(id, 1) };
  }
  async function settleFailed(id: string, attempt: number): Promise<boolean> {
    const settlement = failure('internal_error');
    const result = await settle(redis, {
      ...{ requestId: id, keyId, settlement, cost: 'yes', freeFailuresPerHour: FREE, attempt },
    });
    return result.kind === 'settled' && result.settlement.outcome === 'failed' && result.settlement.charged === true;
  }
  /** Calls until the key has paid its one credit. */
  async function callsUntilPaid(next: (request: number) => Promise<{ calls: number; isCharged: boolean }>) {
    let calls = 0;
    for (let request = 0; request < 100; request++) {
      const { calls: made, isCharged } = await next(request);
      calls += made;
      if (isCharged) return calls;
    }
    throw new Error('the key never paid');
  }

  test.each([0, 1, 2, 3, 4, 5, 6])(
    'cost no more calls than free failures stand for, behind %i stalls',
    async (stalls) => {
      const calls = await callsUntilPaid((request) => (request < stalls ? stall() : pill()));
      expect(calls).toBeLessThanOrEqual(CALLS_AT_MOST);
      expect(await redis.llen(redisKeys.keyFreeFailures(keyId))).toBeLessThanOrEqual(FREE);
    },
  );

  test.each([
    ['that stall first', { stallsFirst: true }],
    ['whose caller leaves in the second call', { leavesIn: 2 }],
    ['whose caller leaves in the third call', { leavesIn: 3 }],
  ])('cost no more calls where they are ones %s', async (_which, over) => {
    expect(await callsUntilPaid(() => pill(over))).toBeLessThanOrEqual(CALLS_AT_MOST);
  });

  test('have three calls while the key has free failures left, and use up two of them', async () => {
    expect(await pill()).toEqual({ calls: 3, isCharged: false });
    expect(await redis.llen(redisKeys.keyFreeFailures(keyId))).toBe(2);
  });

  test.each([
    ['its last credit', 5, 2],
    ['a credit that is not its last', 6, 3],
  ])('have no third call on %s: whoever leaves in it would have three for one', async (_which, credits, calls) => {
    await redis.hset(redisKeys.apiKey(keyId), { credits });
    expect(await pill({ leavesIn: 3 })).toMatchObject({ calls });
  });

  test('have two calls where the key has none left: no third worker dies', async () => {
    for (let free = 0; free < FREE; free++) expect(await stall()).toMatchObject({ isCharged: false });
    expect(await pill()).toEqual({ calls: 2, isCharged: true });
  });
});

describe('a settlement that cannot know whether the model was called', () => {
  const { job, lock } = jobKeys(requestId);
  const byGateway = (settlement: Settlement, leaveToWorker = false) =>
    settle(redis, { requestId, keyId, settlement, freeFailuresPerHour: 5, cancel: true, leaveToWorker });
  const left = failure('client_closed');

  test.each([
    ['leaves', left, true],
    ['has waited long enough', failure('timed_out'), false],
  ] as const)('takes the job of a caller who %s out of those that wait', async (_what, settlement, leaveToWorker) => {
    await redis.lpush(queueKeys.waiting, 'req_before', requestId, 'req_after');
    expect(await byGateway(settlement, leaveToWorker)).toMatchObject({ kind: 'settled' });
    expect(await redis.lrange(queueKeys.waiting, 0, -1)).toEqual(['req_after', 'req_before']);
  });

  test('leaves the job of a worker where it is', async () => {
    await redis.set(lock, 'token');
    await redis.lpush(queueKeys.waiting, requestId);
    expect(await byGateway(left, true)).toMatchObject({ kind: 'in work' });
    expect(await redis.lrange(queueKeys.waiting, 0, -1)).toEqual([requestId]);
  });

  test.each([
    ['no worker has started it', {}, 4],
    ['every start has ended, and none may have cost money', { ats: 3, atm: 3 }, 4],
    ['a start has ended unseen, or not at all', { ats: 3, atm: 2 }, 5],
  ] as const)('learns it from the job: %s', async (_what, fields, expected) => {
    if ('ats' in fields) await redis.hset(job, fields);
    await byGateway(left);
    expect(await charged()).toBe(expected);
  });

  test.each([
    ['waits after two starts that were', 2, 4],
    ['has been started again since', 3, 5],
  ] as const)(
    'learns of starts that were handed back before the model was called: the job %s',
    async (_what, ats, expected) => {
      await redis.hset(job, { ats });
      for (const starts of [1, 2, 2]) await noteReturn(redis, { requestId, keyId }, starts);
      await byGateway(left);
      expect(await charged()).toBe(expected);
    },
  );

  test('learns it from a call that was noted, which is noted for unsettled requests alone', async () => {
    await noteCost(redis, { requestId, keyId });
    await noteCost(redis, { requestId: 'req_unknown', keyId });
    expect(await redis.exists(redisKeys.request('req_unknown'))).toBe(0);
    await redis.hset(job, { ats: 1, atm: 1 });
    await byGateway(left);
    expect(await charged()).toBe(5);
  });

  test('leaves a request to the worker that has its job, marks it, and notifies the worker each time', async () => {
    const subscriber = redis.duplicate();
    await subscriber.subscribe(redisKeys.cancellations);
    let received = 0;
    subscriber.on('message', () => received++);
    await redis.set(lock, 'worker');
    for (let repeat = 0; repeat < 2; repeat++) expect(await byGateway(left, true)).toEqual({ kind: 'in work' });
    expect(await countReservations(redis)).toBe(1);
    expect(await rejoin(redis, { ...first, start: 2 })).toEqual({
      kind: 'left',
      spent: false,
    });
    const byWorker = { requestId, keyId, settlement: left, cost: 'yes', attempt: 2, replyTo: gateway } as const;
    expect(await settle(redis, byWorker)).toEqual({ kind: 'settled', settlement: { ...left, charged: true } });
    expect(await byGateway(left, true)).toEqual({ kind: 'already', settlement: { ...left, charged: true } });
    while (received < 2) await new Promise(setImmediate);
    subscriber.disconnect();
  });

  test('settles itself once no worker has the job any more', async () => {
    await redis.hset(job, { ats: 1 });
    await redis.set(lock, 'worker');
    expect(await byGateway(left, true)).toEqual({ kind: 'in work' });
    await redis.del(lock);
    expect(await byGateway(left, true)).toEqual({ kind: 'settled', settlement: { ...left, charged: true } });
  });

  test('marks nothing where there is no such reservation', async () => {
    await redis.set(lock, 'worker');
    await redis.del(redisKeys.keyFlight(keyId));
    expect(await byGateway(left, true)).toEqual({ kind: 'gone' });
    expect(await redis.exists(redisKeys.request(requestId))).toBe(0);
  });
});

test('settling removes what a stream has left', async () => {
  const left = [redisKeys.partial(requestId, 'text'), redisKeys.partial(requestId, 'reasoning')];
  for (const key of left) await redis.set(key, 'Some of it');
  await redis.sadd(redisKeys.followers(requestId), 'g2');
  await settle(redis, { requestId, keyId, settlement: failed });
  expect(await redis.exists(...left, redisKeys.followers(requestId))).toBe(0);
});

describe('rejoin', () => {
  const again = (start: number, over: Partial<RejoinInput> = {}) => rejoin(redis, { ...first, start, ...over });

  test('fences earlier starts off', async () => {
    expect(await again(2)).toEqual({ kind: 'run', spent: false });
    expect(await settle(redis, { requestId, keyId, settlement: failed, attempt: 1 })).toEqual({ kind: 'fenced' });
    expect(await charged()).toBe(5);
    expect(await settle(redis, { requestId, keyId, settlement: answered, attempt: 2 })).toMatchObject({
      kind: 'settled',
    });
  });

  test('lets no start run that a later one has overtaken, and lets a gateway settle at any time', async () => {
    expect(await again(3, { losses: 2 })).toEqual({ kind: 'run', spent: false });
    for (const losses of [0, 1]) expect(await again(2, { losses })).toEqual({ kind: 'overtaken' });
    // Its own reply may have been lost.
    expect(await again(3, { losses: 2 })).toEqual({ kind: 'run', spent: false });
    expect(await settle(redis, { requestId, keyId, settlement: answered, attempt: 2 })).toEqual({ kind: 'fenced' });
    expect(await settle(redis, { requestId, keyId, settlement: failed })).toMatchObject({ kind: 'settled' });
  });

  test('breaks a stream that was seen of an earlier start, and fences that one off; the same start goes on', async () => {
    await redis.hset(redisKeys.request(requestId), { visible: '2' });
    expect(await again(2)).toEqual({ kind: 'run', spent: false });
    // However many died of it: it is over.
    expect(await again(4, { losses: 3 })).toEqual({ kind: 'broken', spent: false });
    expect(await settle(redis, { requestId, keyId, settlement: answered, attempt: 2 })).toEqual({ kind: 'fenced' });
    await redis.hset(redisKeys.request(requestId), { left: '1' });
    expect(await again(5, { losses: 4 })).toMatchObject({ kind: 'left' });
  });

  test('sends the reply of a settled request again, without a charge', async () => {
    await settle(redis, { requestId, keyId, settlement: answered, attempt: 1 });
    expect(await again(2)).toEqual({ kind: 'settled' });
    expect(await replies()).toEqual([['id', requestId, 'settlement', JSON.stringify(answered)]]);
    expect(await charged()).toBe(5);
  });

  test('knows when no caller waits', async () => {
    await redis.del(redisKeys.keyFlight(keyId));
    expect(await again(2)).toEqual({ kind: 'gone' });
  });

  test('lets a job run alone after two deaths of workers, and not at all after three', async () => {
    expect(await again(2, { losses: 1 })).toMatchObject({ kind: 'run' });
    expect(await again(3, { losses: 2 })).toMatchObject({ kind: 'alone' });
    expect(await again(3, { losses: 2, alone: true })).toMatchObject({ kind: 'run' });
    expect(await again(4, { losses: 3, alone: true })).toMatchObject({ kind: 'deadly' });
  });

  test('counts each death once, however often it is asked', async () => {
    for (let repeat = 0; repeat < 5; repeat++) expect(await again(2, { losses: 1 })).toMatchObject({ kind: 'run' });
    expect(await again(3, { losses: 1 })).toMatchObject({ kind: 'run' });
  });

  test('blames no job for what happened while it waited to be alone', async () => {
    await again(2, { losses: 1 });
    for (let start = 3; start < 10; start++)
      expect(await again(start, { losses: start - 1 })).toMatchObject({ kind: 'alone' });
    expect(await again(10, { losses: 9, alone: true })).toMatchObject({ kind: 'run' });
  });

  test('blames no job for a lock that was lost while Redis was away, but once: each time costs a call', async () => {
    const afterAnAbsence = (start: number) =>
      again(start, { losses: start - 1, redisBackAt: later(redisTime(), 1_000), alone: true });
    for (const start of [2, 3, 4]) expect(await afterAnAbsence(start)).toMatchObject({ kind: 'run' });
    expect(await afterAnAbsence(5)).toMatchObject({ kind: 'deadly', deaths: 3 });
  });

  test('counts the death of a start although the next one was lost before it could ask', async () => {
    expect(await again(3, { losses: 2 })).toMatchObject({ kind: 'run' });
    expect(await again(5, { losses: 4 })).toMatchObject({ kind: 'alone' });
  });

  test('does not blame a retry for the loss of a start that never asked', async () => {
    await again(2);
    for (let start = 4; start < 12; start += 2) {
      expect(await again(start, { losses: start / 2 - 1 })).toMatchObject({ kind: 'run' });
    }
  });

  test('counts retries and jobs handed back as no deaths', async () => {
    for (let start = 2; start < 10; start++) expect(await again(start)).toMatchObject({ kind: 'run' });
  });

  test('fences nothing off for a job that has to wait to be alone', async () => {
    await again(2, { losses: 1 });
    await again(3, { losses: 2 });
    expect(await settle(redis, { requestId, keyId, settlement: answered, attempt: 2 })).toMatchObject({
      kind: 'settled',
    });
    expect(await again(3, { losses: 2, alone: true })).toEqual({ kind: 'settled' });
  });

  test('gives no job up whose caller has left, and does not let it wait: its worker settles it, and asks no model', async () => {
    await redis.hset(redisKeys.request(requestId), { left: '1', deaths: '2', losses: '2', fence: '3', begun: '2000' });
    expect(await again(4, { losses: 2 })).toEqual({ kind: 'left', spent: false });
    expect(await again(5, { losses: 3 })).toEqual({ kind: 'left', spent: false });
    expect(await settle(redis, { requestId, keyId, settlement: failed, attempt: 4 })).toEqual({ kind: 'fenced' });
  });

  test('reports a call that was noted, whatever else it says', async () => {
    await noteCost(redis, { requestId, keyId });
    expect(await again(2, { losses: 1 })).toEqual({ kind: 'run', spent: true });
    expect(await again(3, { losses: 2 })).toEqual({ kind: 'alone', spent: true });
    expect(await again(3, { losses: 2, alone: true })).toEqual({ kind: 'run', spent: true });
    expect(await again(4, { losses: 3 })).toEqual({ kind: 'deadly', spent: true, deaths: 3 });
  });
});
