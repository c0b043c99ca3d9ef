import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { redisTime } from '../../testing/redis-time.ts';
import { countReservations, reserve } from '../../testing/reservations.ts';
import type { GenerationJob } from '../generation-job.ts';
import { type GenerationQueue, openGenerationQueue } from '../generation-queue.ts';
import { giveBackJobs } from '../queue/give-back.ts';
import { queueKeys } from '../queue/queue-keys.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { rejoin, settle } from './settle.ts';
import type { Settlement } from './settlement.ts';
import { type Ending, runTurn, type TurnResult } from './turn.ts';

let server: TestRedis;
let redis: Redis;
let queue: GenerationQueue;

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.client;
  queue = openGenerationQueue(redis);
});
afterAll(async () => {
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  await redis.hset(redisKeys.apiKey('k'), { id: 'k', charged: 9 });
  for (const gateway of ['g1', 'g2']) await redis.xadd(redisKeys.inbox(gateway), '*', 'opened', '1');
});

const idOf = (number: number) => `req_${String(number).padStart(22, '0')}`;
const answered = (text: string): Settlement => ({
  ...{ v: 1, outcome: 'answered', text, masked: { url: 0, key: 0, ip: 0, connection: 0 } },
  ...{ usage: { input: 1, output: 2 }, work: { attempts: 1, queuedMs: 1, modelMs: 1, maskMs: 0.1 } },
});
const failed: Settlement = { v: 1, outcome: 'failed', error: 'upstream_error' };

async function enqueue(count: number, prompt = 'hi'): Promise<void> {
  for (let number = 1; number <= count; number++) {
    await reserve(redis, idOf(number), 'k');
    await queue.add({ v: 1, id: idOf(number), prompt } as GenerationJob, redisTime());
  }
}

const take = (most: number, lock = 'lock') => runTurn(redis, { endings: [], take: most, lock });
const end = (endings: Ending[], then = 0) => runTurn(redis, { endings, take: then, lock: 'next' });
const idsOf = ({ taken }: TurnResult) => (taken instanceof Error ? [taken.message] : taken.map(([id]) => id));
const ending = (number: number, over: Partial<Ending['settle']> = {}, lock = 'lock'): Ending => ({
  requestId: idOf(number),
  lock,
  settle: { keyId: 'k', settlement: answered(`text ${number}`), cost: 'yes', attempt: 1, replyTo: 'g1', ...over },
});
const entriesOf = async (gateway: string) =>
  (await redis.xrange(redisKeys.inbox(gateway), '-', '+')).slice(1).map(([, fields]) => fields);
const outcomes = ({ ended }: TurnResult) =>
  ended.map((one) => (one instanceof Error ? 'error' : `${one.settled?.kind} ${one.job}`));

describe('one turn', () => {
  test('stores a long text as the JSON that is there, and never that of another text', async () => {
    await enqueue(3);
    await take(3);
    const text = 'é "said"\n'.repeat(4_000);
    const textJson = Buffer.from(JSON.stringify(text).replaceAll('é', '\\u00e9'));
    const masked = text.replaceAll('said', '***');
    const result = await end([
      ending(1, { settlement: answered(''), textJson }),
      ending(2, { settlement: answered(masked), textJson, replyTo: 'g2' }),
      ending(3, { settlement: answered(text) }),
    ]);
    expect(outcomes(result)).toEqual(['settled finished', 'settled finished', 'settled finished']);
    const plain = JSON.stringify(answered(text));
    const reply = (number: number, json: string) => ['id', idOf(number), 'settlement', json];
    const inEscapes = plain.replaceAll('é', '\\u00e9');
    expect(await entriesOf('g1')).toEqual([[...reply(1, inEscapes), ...reply(3, plain)]]);
    expect(await entriesOf('g2')).toEqual([reply(2, JSON.stringify(answered(masked)))]);
    expect(await redis.get(redisKeys.inboxBytes('g1'))).toBe(String(Buffer.byteLength(inEscapes + plain)));
  });

  test('settles, finishes, replies with one entry to each gateway, and takes the next jobs', async () => {
    await enqueue(5);
    await take(3);
    const result = await end(
      [ending(1), ending(2, { replyTo: 'g2' }), ending(3, { settlement: failed, cost: 'no' })],
      9,
    );
    expect(outcomes(result)).toEqual(['settled finished', 'settled finished', 'settled finished']);
    expect(idsOf(result)).toEqual([idOf(4), idOf(5)]);
    expect(await queue.counts()).toMatchObject({ waiting: 0, active: 2 });
    expect(await countReservations(redis)).toBe(2);
    expect(await redis.hget(redisKeys.apiKey('k'), 'charged')).toBe('8');
    const refunded = JSON.stringify({ ...failed, charged: false });
    const reply = (number: number, json: string) => ['id', idOf(number), 'settlement', json];
    expect(await entriesOf('g1')).toEqual([[...reply(1, JSON.stringify(answered('text 1'))), ...reply(3, refunded)]]);
    expect(await entriesOf('g2')).toEqual([reply(2, JSON.stringify(answered('text 2')))]);
    const bytes = Buffer.byteLength(JSON.stringify(answered('text 1')) + refunded);
    expect(await redis.get(redisKeys.inboxBytes('g1'))).toBe(String(bytes));
    expect(await redis.pttl(redisKeys.inboxBytes('g1'))).toBeGreaterThan(0);
  });

  test('told again changes nothing: one answer, one charge, one reply', async () => {
    await enqueue(1);
    await take(1);
    await end([ending(1)]);
    const again = await end([ending(1, { settlement: failed })]);
    expect(outcomes(again)).toEqual(['already gone']);
    expect(again.ended[0]).toMatchObject({ settled: { settlement: { text: 'text 1' } } });
    expect(await redis.hget(redisKeys.apiKey('k'), 'charged')).toBe('9');
    expect(await entriesOf('g1')).toHaveLength(1);
  });

  test('in which one ending fails leaves the others whole, and the jobs taken', async () => {
    await enqueue(4);
    await take(3);
    await redis.set(redisKeys.request(idOf(2)), 'no hash');
    const result = await end([ending(1), ending(2), ending(3)], 1);
    expect(outcomes(result)).toEqual(['settled finished', 'error', 'settled finished']);
    expect(idsOf(result)).toEqual([idOf(4)]);
    await redis.del(redisKeys.request(idOf(2)));
    expect(outcomes(await end([ending(2)]))).toEqual(['settled finished']);
  });

  test('whose inbox is broken settles all the same: the result is stored', async () => {
    await enqueue(1);
    await take(1);
    await redis.del(redisKeys.inbox('g1'));
    await redis.set(redisKeys.inbox('g1'), 'no stream');
    expect(outcomes(await end([ending(1)]))).toEqual(['settled finished']);
    expect(await redis.hget(redisKeys.request(idOf(1)), 'charge')).toBe('charge');
  });

  test('that cannot take leaves its endings whole', async () => {
    await enqueue(1);
    await take(1);
    await redis.set(queueKeys.waiting, 'no list');
    const result = await end([ending(1)], 1);
    expect(outcomes(result)).toEqual(['settled finished']);
    expect(result.taken).toBeInstanceOf(Error);
  });

  test.each([
    ['whose lock has ended', async () => redis.del(`${queueKeys.job(idOf(1))}:lock`)],
    ['whose lock is of another start', async () => redis.set(`${queueKeys.job(idOf(1))}:lock`, 'another')],
  ])('leaves a job alone %s', async (_what, lose) => {
    await enqueue(1);
    await take(1);
    await lose();
    expect(outcomes(await end([ending(1)]))).toEqual(['settled lost']);
    expect(await redis.exists(queueKeys.job(idOf(1)))).toBe(1);
  });

  test('of a start that a later one has overtaken settles nothing', async () => {
    await enqueue(1);
    await take(1);
    const later = {
      requestId: idOf(1),
      keyId: 'k',
      replyTo: 'g1',
      start: 2,
      losses: 1,
      receivedAt: redisTime(0),
      redisBackAt: redisTime(0),
    };
    await rejoin(redis, { ...later, alone: false, freeFailuresPerHour: 5 });
    expect(outcomes(await end([ending(1, {}, 'old lock')]))).toEqual(['fenced lost']);
    expect(await countReservations(redis)).toBe(1);
  });

  test('gives free failures of the hour within their bound, several in one turn', async () => {
    await enqueue(3);
    await take(3);
    const costly = { settlement: failed, freeFailuresPerHour: 2 };
    await end([ending(1, costly), ending(2, costly), ending(3, costly)]);
    expect(await redis.hget(redisKeys.apiKey('k'), 'charged')).toBe('7');
  });

  test('leaves out of replies what was streamed, replies to all who follow, and removes what streams have left', async () => {
    await enqueue(4);
    await take(4);
    const left = (number: number) => [
      ...['text', 'reasoning'].map((track) => redisKeys.partial(idOf(number), track)),
      redisKeys.followers(idOf(number)),
    ];
    for (const key of [1, 2, 3, 4].flatMap(left)) await redis.set(key, 'x');
    const whole = { ...answered('text 2'), reasoning: 'Hm.', textLength: undefined };
    const streamed = { followers: ['g2', 'g1', 'gone'] };
    await end([
      ending(1),
      ending(2, { settlement: whole, streamed }),
      ending(3, { settlement: failed, cost: 'no', streamed: { followers: [] } }),
      ending(4, { streamed: { followers: [] } }, 'lost lock'),
    ]);
    const stored = (await redis.hget(redisKeys.request(idOf(2)), 'result')) ?? '';
    expect(JSON.parse(stored)).toMatchObject({ text: 'text 2', reasoning: 'Hm.' });
    const [[, first = '', , , , second = '', , short = '', ...others] = []] = await entriesOf('g1');
    expect([first, second]).toEqual([idOf(1), idOf(2)]);
    expect(JSON.parse(short)).toMatchObject({ text: '', textLength: 6, reasoningLength: 3 });
    expect(JSON.parse(short)).not.toHaveProperty('reasoning');
    expect(others).toEqual(expect.arrayContaining([JSON.stringify({ ...failed, charged: false })]));
    expect(await entriesOf('g2')).toEqual([['id', idOf(2), 'settlement', short]]);
    expect(await redis.exists(redisKeys.inbox('gone'))).toBe(0);
    expect(await redis.exists(...left(1))).toBe(3);
    expect(await redis.exists(...[2, 3, 4].flatMap(left))).toBe(0);
  });

  test('makes an answer of its partial texts and the rest, and takes no partial text that is another', async () => {
    await enqueue(3);
    await take(3);
    const text = 'Café "🌐" \\ a/b\x00\x1f\x7f\u2028 and on';
    const settlement = { ...answered(text), reasoning: 'Hm, é.' };
    const kept = { textBytes: Buffer.byteLength('Café "🌐" '), reasoningBytes: Buffer.byteLength('Hm, é') };
    const streamed = { followers: ['g2'], kept };
    // The first has more than its worker knows of; the second lost something; of the third nothing is left.
    await redis.mset(redisKeys.partial(idOf(1), 'text'), text, redisKeys.partial(idOf(1), 'reasoning'), 'Hm, é');
    await redis.mset(
      redisKeys.partial(idOf(2), 'text'),
      text.slice(1),
      redisKeys.partial(idOf(2), 'reasoning'),
      'Hm, é',
    );
    const endings = [1, 2, 3].map((number) => ending(number, { settlement, streamed }));
    expect(outcomes(await end(endings))).toEqual(['settled finished', 'settled finished', 'settled finished']);
    for (const number of [1, 2, 3]) {
      const stored = (await redis.hget(redisKeys.request(idOf(number)), 'result')) ?? '';
      expect(JSON.parse(stored)).toEqual(settlement);
    }
    const replies = (await entriesOf('g2')).flatMap((fields) => fields.filter((_field, index) => index % 4 === 3));
    for (const reply of replies) {
      const lengths = { textLength: text.length, reasoningLength: 6 };
      expect(JSON.parse(reply)).toEqual({ ...settlement, text: '', reasoning: undefined, ...lengths });
    }
    expect(replies).toHaveLength(3);
    expect(outcomes(await end([ending(1, { settlement, streamed })]))).toEqual(['already gone']);
  });

  test('settles even where Redis is full, and takes', async () => {
    await enqueue(2);
    await take(1);
    await redis.config('SET', 'maxmemory', '1mb');
    try {
      await expect(redis.set('x', 'y')).rejects.toThrow('OOM');
      expect(outcomes(await end([ending(1)], 1))).toEqual(['settled finished']);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
  });
});

describe('jobs', () => {
  test('are taken up to a bound of bytes; the rest stays where it was, and others are woken', async () => {
    await enqueue(4, 'x'.repeat(150_000));
    await redis.del(queueKeys.marker);
    expect(idsOf(await take(4))).toEqual([idOf(1), idOf(2)]);
    expect(await redis.lrange(queueKeys.waiting, 0, -1)).toEqual([idOf(4), idOf(3)]);
    expect(await redis.lrange(queueKeys.active, 0, -1)).toEqual([idOf(2), idOf(1)]);
    expect(await redis.zrange(queueKeys.marker, '0', '-1')).toEqual(['0']);
  });

  test('that were removed are not taken for others', async () => {
    await enqueue(3);
    await redis.del(queueKeys.job(idOf(2)));
    expect(idsOf(await take(3))).toEqual([idOf(1), idOf(3)]);
    expect(await redis.llen(queueKeys.active)).toBe(2);
  });

  test('that are given back unstarted count no start, and come first', async () => {
    await enqueue(3);
    await take(2);
    const given = [1, 2].map((number) => ({ requestId: idOf(number), lock: 'lock' }));
    for (let repeat = 0; repeat < 2; repeat++) await giveBackJobs(redis, given);
    await giveBackJobs(redis, [{ requestId: idOf(3), lock: 'lock' }]);
    expect(await queue.counts()).toMatchObject({ waiting: 3, active: 0 });
    const again = await take(1, 'again');
    expect(idsOf(again)).toEqual([idOf(1)]);
    expect(await redis.hget(queueKeys.job(idOf(1)), 'ats')).toBe('1');
  });

  test('that are delayed come when they are due, and tell when the next is', async () => {
    await enqueue(2);
    await redis.del(queueKeys.waiting);
    const later = Date.now() + 60_000;
    await redis.zadd(queueKeys.delayed, Date.now() * 4096, idOf(1), later * 4096, idOf(2));
    const { nextAt, ...result } = await take(5);
    expect(idsOf({ nextAt, ...result })).toEqual([idOf(1)]);
    expect(nextAt).toBe(later);
  });
});

test('an inbox that holds too many bytes is emptied; what was in it is found as stored results', async () => {
  await enqueue(3);
  await take(3);
  await redis.set(redisKeys.inboxBytes('g1'), 67_108_800);
  await end([ending(1)]);
  expect(await entriesOf('g1')).toEqual([]);
  expect(await redis.get(redisKeys.inboxBytes('g1'))).toBe('0');
  await settle(redis, { requestId: idOf(2), ...ending(2).settle, keyId: 'k', settlement: answered('two') });
  expect(await redis.xlen(redisKeys.inbox('g1'))).toBe(1);
});
