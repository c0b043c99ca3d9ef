import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { redisTime } from '../../testing/redis-time.ts';
import { countReservations, reserve } from '../../testing/reservations.ts';
import type { GenerationJob } from '../generation-job.ts';
import { type GenerationQueue, openGenerationQueue } from '../generation-queue.ts';
import { queueKeys } from '../queue/queue-keys.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { settle } from './settle.ts';
import type { Answered } from './settlement.ts';
import { TAKES_STORED } from './stored-replies.ts';
import { type Ending, runTurn } from './turn.ts';

const NEW = `g${TAKES_STORED}`;
const OLDER = 'g.3';
const LOCK = 'worker:1';
const JSON_OF_TEXT = Buffer.from(JSON.stringify('é "said"\n'.repeat(4_000)).replaceAll('é', '\\u00e9'));
const TEXT = JSON.parse(JSON_OF_TEXT.toString()) as string;

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
  for (const gateway of [NEW, OLDER]) await redis.xadd(redisKeys.inbox(gateway), '*', 'opened', '1');
  await reserve(redis, 'req_1', 'k');
  await queue.add(JOB, redisTime());
  await runTurn(redis, { endings: [], take: 1, lock: LOCK });
});

const JOB: GenerationJob = {
  ...{ v: 1, id: 'req_1', keyId: 'k', gateway: NEW, endpoint: '/api/ai', model: 'ai-2.5-flash', prompt: 'hi' },
  ...{ temperature: 1, maxOutputTokens: 100, receivedAt: redisTime(), deadlineAt: redisTime() },
};
const answered = (text = TEXT): Answered => ({
  ...{ v: 1, outcome: 'answered', text, masked: { url: 0, key: 0, ip: 0, connection: 0 } },
  ...{ usage: { input: 1, output: 2 }, work: { attempts: 1, queuedMs: 1, modelMs: 1, maskMs: 0.1 } },
});
const STORED = JSON.stringify(answered()).replaceAll('é', '\\u00e9');

function ending(settled: Partial<Ending['settle']> = {}, requestId = 'req_1'): Ending {
  const ofText = { settlement: answered(''), textJson: JSON_OF_TEXT };
  const known = { keyId: 'k', ...ofText, cost: 'yes', attempt: 1, replyTo: NEW } as const;
  return { requestId, lock: LOCK, settle: { ...known, ...settled } };
}

async function end(through: Redis, ...endings: Ending[]): Promise<string[]> {
  const { ended } = await runTurn(through, { endings, take: 0, lock: 'next' });
  return ended.map((one) => (one instanceof Error ? one.message : `${one.settled?.kind} ${one.job}`));
}

const result = () => redis.hget(redisKeys.request('req_1'), 'result');
const charged = () => redis.hget(redisKeys.apiKey('k'), 'charged');
const prepared = redisKeys.prepared('req_1', LOCK);
const repliesTo = async (gateway: string) =>
  (await redis.xrange(redisKeys.inbox(gateway), '-', '+')).slice(1).map(([, fields]) => fields);

describe('a long settlement', () => {
  test('is stored as any other, and its gateway gets its name', async () => {
    await redis.hset(redisKeys.request('req_1'), { fence: 1, spent: 1 });
    expect(await end(redis, ending())).toEqual(['settled finished']);
    expect(await redis.hgetall(redisKeys.request('req_1'))).toEqual({
      ...{ result: STORED, charge: 'charge', owner: redisKeys.apiKey('k') },
      ...{ fence: '1', spent: '1' },
    });
    expect(await redis.pttl(redisKeys.request('req_1'))).toBeGreaterThan(60_000);
    expect(await repliesTo(NEW)).toEqual([['stored', 'req_1', 'bytes', String(Buffer.byteLength(STORED))]]);
    expect(await redis.get(redisKeys.inboxBytes(NEW))).toBe('5');
    expect(await charged()).toBe('9');
    expect(await countReservations(redis)).toBe(0);
    expect(await redis.exists(prepared, queueKeys.job('req_1'))).toBe(0);
  });

  test('goes whole to a gateway of an earlier version', async () => {
    expect(await end(redis, ending({ replyTo: OLDER }))).toEqual(['settled finished']);
    expect(await repliesTo(OLDER)).toEqual([['id', 'req_1', 'settlement', STORED]]);
    expect(await result()).toBe(STORED);
  });

  test('goes together with short ones, of the same turn and to the same gateway', async () => {
    await reserve(redis, 'req_2', 'k');
    const short = answered('short');
    expect(await end(redis, ending({ settlement: short }, 'req_2'), ending())).toEqual([
      'settled gone',
      'settled finished',
    ]);
    expect(await repliesTo(NEW)).toEqual([
      ['id', 'req_2', 'settlement', JSON.stringify(short)],
      ['stored', 'req_1', 'bytes', String(Buffer.byteLength(STORED))],
    ]);
  });

  test('changes nothing where the request is settled, and leaves nothing behind', async () => {
    const first = { v: 1, outcome: 'failed', error: 'upstream_error' } as const;
    await settle(redis, { requestId: 'req_1', keyId: 'k', settlement: first, cost: 'no' });
    expect(await end(redis, ending())).toEqual(['already finished']);
    expect(await result()).toBe(JSON.stringify({ ...first, charged: false }));
    expect(await charged()).toBe('8');
    expect(await repliesTo(NEW)).toEqual([]);
    expect(await redis.exists(prepared)).toBe(0);
  });

  test('that is sent again is stored and replied to once', async () => {
    await end(redis, ending());
    expect(await end(redis, ending())).toEqual(['already gone']);
    expect(await result()).toBe(STORED);
    expect(await repliesTo(NEW)).toHaveLength(1);
    expect(await redis.exists(prepared)).toBe(0);
  });

  test.each([
    ['of a start that another has overtaken', 'fenced', () => redis.hset(redisKeys.request('req_1'), 'fence', 2)],
    ['without a reservation', 'gone', () => redis.del(redisKeys.keyFlight('k'))],
  ])('%s settles nothing, and leaves nothing behind', async (_what, outcome, prepare) => {
    await prepare();
    expect(await end(redis, ending())).toEqual([`${outcome} finished`]);
    expect(await result()).toBeNull();
    expect(await redis.exists(prepared)).toBe(0);
    expect(await repliesTo(NEW)).toEqual([]);
  });

  test('is taken, with its text in the script, where Redis is full', async () => {
    await redis.config('SET', 'maxmemory', '1mb');
    try {
      await expect(redis.set('x', 'y')).rejects.toThrow('OOM');
      expect(await end(redis, ending())).toEqual(['settled finished']);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    expect(await result()).toBe(STORED);
    expect(await repliesTo(NEW)).toEqual([['id', 'req_1', 'settlement', STORED]]);
  });

  test('goes away by itself where its script never comes', async () => {
    const withoutScripts = redis.duplicate();
    const send = withoutScripts.sendCommand.bind(withoutScripts);
    withoutScripts.sendCommand = (command) =>
      command.name.startsWith('eval') ? Promise.reject(new Error('lost')) : send(command);
    await expect(end(withoutScripts, ending())).rejects.toThrow('lost');
    expect(await withoutScripts.hget(prepared, 'result')).toBe(STORED);
    withoutScripts.disconnect();
    const left = await redis.pttl(prepared);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
    expect(await end(redis, ending())).toEqual(['settled finished']);
  });
});
