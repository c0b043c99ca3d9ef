import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { startTestGateway } from '../../testing/running-gateway.ts';
import { hasRoomFor } from './hold-long-job.ts';

const LONG = 100_000;
const bounds = { maxQueueBytes: 3 * LONG, reservationMs: 60_000 };
let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(() => redis.client.flushall());

/** Asks for room, and enqueues the job where there is some. */
async function hold(id: string, length = LONG): Promise<boolean> {
  const hasRoom = await hasRoomFor(redis.client, bounds, id, { beginning: 'x'.repeat(length), maxOutputTokens: 1 });
  if (hasRoom) await redis.client.hset(queueKeys.job(id), 'data', 'x');
  return hasRoom;
}
const noLookSince = () => redis.client.hset(redisKeys.longJobs, 'counted', 0);

test('long jobs have room as long as all together are within the bound', async () => {
  expect([await hold('a'), await hold('b'), await hold('c'), await hold('d')]).toEqual([true, true, true, false]);
  expect(await redis.client.pttl(redisKeys.longJobs)).toBeGreaterThan(0);
});

test('one that asks again has the room that it has', async () => {
  for (const id of ['a', 'b', 'c']) await hold(id);
  expect(await hold('a')).toBe(true);
  expect(await redis.client.hget(redisKeys.longJobs, 'total')).toBe(String(3 * LONG));
});

test('a job that has gone leaves its room, which is looked for once a second at most', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await hold(id);
  await redis.client.del(queueKeys.job('b'), queueKeys.job('c'));
  expect(await hold('e')).toBe(false);
  await noLookSince();
  expect(await hold('e')).toBe(true);
  expect(await redis.client.hgetall(redisKeys.longJobs)).toMatchObject({ a: '100000', e: '100000', total: '200000' });
  expect(await redis.client.hexists(redisKeys.longJobs, 'b')).toBe(0);
});

test('short jobs are not noted, and have room beside long ones', async () => {
  for (const id of ['a', 'b', 'c']) await hold(id);
  expect(await hold('short', 60_000)).toBe(true);
  expect(await redis.client.hexists(redisKeys.longJobs, 'short')).toBe(0);
});

test('a conversation for which there is no room gets 503, and counts for its address', async () => {
  const gateway = await startTestGateway({ QUEUE_MAX_BYTES: '1048576' });
  try {
    const { key } = await gateway.createKey();
    const leaving = new AbortController();
    const ask = (signal: AbortSignal | null = null) =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'ai-2.5-flash', messages: [{ role: 'user', content: 'x'.repeat(700_000) }] }),
        signal,
      });
    const waits = ask(leaving.signal).catch(() => undefined);
    while ((await gateway.redis.client.llen(queueKeys.waiting)) === 0) await new Promise(setImmediate);
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(Number(refused.headers.get('x-ratelimit-limit-requests'))).toBe(1_000_000);
    expect(await gateway.redis.client.llen(queueKeys.waiting)).toBe(1);
    leaving.abort();
    await waits;
  } finally {
    await gateway.stop();
  }
});
