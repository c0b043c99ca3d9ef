import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { addressBits } from '@lontar/shared/address.ts';
import { hashApiKey, mintApiKey } from '@lontar/shared/api-key.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import { connectFailFast, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import { identify } from '../caller/identify.ts';
import { Leaving } from '../envelope/leaving.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { type GenerateDeps, generate } from './generate.ts';
import { promptProtocol } from './prompt-protocol.ts';
import { createTurnstile } from './turnstile.ts';
import { openWithdrawals, type Withdrawals } from './withdrawals.ts';

const requestId = 'req_0000000000000000000001';
const BLOCKED = { v: 1, outcome: 'failed', error: 'content_blocked' } as const;

let server: TestRedis;
let redis: Redis;
let withdrawals: Withdrawals;
const removed: string[] = [];
const queue = { remove: async (id: string) => removed.push(id) > 0 } as unknown as GenerationQueue;

beforeEach(async () => {
  server = await startTestRedis({ durable: true });
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  withdrawals = openWithdrawals({ redis, queue, freeFailuresPerHour: 5, onRedisFailure: () => undefined });
  await server.client.hset(redisKeys.apiKey('k'), { charged: 1 });
  await reserve(server.client, requestId, 'k');
});
afterEach(async () => {
  await withdrawals.stop();
  redis.disconnect();
  await server.stop();
});

test('a request that was refused while Redis was away is settled and taken out of the queue when it is back', async () => {
  await server.kill();
  void withdrawals.add(requestId, 'k', 'service_unavailable');
  await server.start();
  while (removed.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(removed).toEqual([requestId]);
  expect(await server.client.hget(redisKeys.request(requestId), 'result')).toContain('service_unavailable');
  expect(await server.client.hget(redisKeys.apiKey('k'), 'charged')).toBe('0');
  expect(await server.client.zcard(redisKeys.keyFlight('k'))).toBe(0);
});

test('a gateway that stops first tells Redis, once that is back, of the requests that it refused', async () => {
  await settle(server.client, { requestId, keyId: 'k', settlement: BLOCKED, freeFailuresPerHour: 5 });
  await server.kill();
  void withdrawals.add(requestId, 'k', 'service_unavailable');
  const stopped = withdrawals.stop();
  await server.start();
  await stopped;
  expect(await server.client.hget(redisKeys.apiKey('k'), 'charged')).toBe('0');
});

test.each([
  ['gives back the charge of an answer that its caller did not get', true, '0'],
  ['leaves the charge of an answer that its caller, who has left, may have got elsewhere', false, '1'],
])('one %s', async (_, isRefused, charged) => {
  await settle(server.client, { requestId, keyId: 'k', settlement: BLOCKED, freeFailuresPerHour: 5 });
  await withdrawals.add(requestId, 'k', 'timed_out', isRefused);
  expect(await server.client.hget(redisKeys.apiKey('k'), 'charged')).toBe(charged);
  expect(await resultOf(requestId)).toContain('content_blocked');
});

test('one that its caller was told is not charged is not, also where asking the model may have cost money', async () => {
  // No free failure is left, and a call is noted.
  await server.client.hset(redisKeys.request(requestId), { spent: '1' });
  await withdrawals.stop();
  withdrawals = openWithdrawals({ redis, queue, freeFailuresPerHour: 0, onRedisFailure: () => undefined });
  await withdrawals.add(requestId, 'k', 'timed_out');
  expect(await server.client.hget(redisKeys.apiKey('k'), 'charged')).toBe('0');
  expect(await server.client.hget(redisKeys.request(requestId), 'charge')).toBe('refund');
});

const resultOf = (id: string) => server.client.hget(redisKeys.request(id), 'result');

test('one that waits until replicas have it delays no other, and is repeated where they do not get it', async () => {
  await withdrawals.stop();
  let waits = 0;
  let refuse: (error: Error) => void = () => undefined;
  const first = new Promise<void>((_resolve, reject) => (refuse = reject));
  const replication = { held: () => (waits++ === 0 ? first : Promise.resolve()) };
  const onRedisFailure = () => undefined;
  withdrawals = openWithdrawals({ redis, queue, freeFailuresPerHour: 5, onRedisFailure, replication });
  const other = 'req_0000000000000000000002';
  await reserve(server.client, other, 'k');
  await withdrawals.add(requestId, 'k', 'service_unavailable');
  await withdrawals.add(other, 'k', 'service_unavailable');
  expect([await resultOf(requestId), await resultOf(other)]).toEqual([expect.any(String), expect.any(String)]);
  // As on a new primary that has not got it.
  await server.client.del(redisKeys.request(requestId));
  await reserve(server.client, requestId, 'k');
  refuse(new RedisAwayError('too few replicas', { replied: true }));
  while ((await resultOf(requestId)) === null) await new Promise((resolve) => setTimeout(resolve, 20));
});

test('a request that too few replicas have is refused once no worker starts its job any more', async () => {
  const { id, key } = mintApiKey();
  const pepper = 'p'.repeat(43);
  const hash = hashApiKey(key, pepper);
  await server.client.hset(redisKeys.apiKey(id), { id, hash, name: 'test', state: 'active', createdAt: '0' });
  const seen: string[] = [];
  const heldBack = {
    ...withdrawals,
    async add(...request: Parameters<Withdrawals['add']>) {
      // A turn in which a refusal that does not wait would have come.
      await new Promise((resolve) => setImmediate(resolve));
      await withdrawals.add(...request);
      seen.push('withdrawn');
    },
  };
  const deps = {
    ...{ redis, withdrawals: heldBack, pepper, turnstile: createTurnstile(), timeoutMs: 60_000, gateway: 'g' },
    clock: { now: () => redisTime(Date.now()), stop: () => undefined },
    replication: { held: () => Promise.reject(new RedisAwayError('too few replicas', { replied: true })) },
    rules: { perHour: 100, banAfterBadKeys: 0, maxWaiting: 100, reservationMs: 65_000, maxQueueBytes: 1e6 },
    reading: {
      models: { current: namesOfVariables() },
      ...{ maxPromptChars: 1_000, maxContextChars: 1_000, maxOutputTokens: 65_536 },
    },
    metrics: { admissionDuration: { startTimer: () => () => 0 } },
    inbox: { wait: () => ({ reply: new Promise(() => undefined), forget: () => undefined }) },
    onRedisFailure: () => undefined,
  } as unknown as GenerateDeps;
  const context: RequestContext = {
    ...{ id: 'req_0000000000000000000003', method: 'POST', protocol: 'envelope', receivedAt: performance.now() },
    ...{ query: new URLSearchParams({ prompt: 'hi' }), body: undefined, headers: {} },
    key: identify({ query: new URLSearchParams(), headers: { 'x-api-key': key }, body: undefined }),
    ...{ address: '192.0.2.1', addressBits: addressBits('192.0.2.1') ?? '', gone: new Leaving() },
  };
  const answer = await generate(deps, promptProtocol('/api/ai'), context);
  seen.push('refused');
  expect([(answer as { status: number }).status, ...seen]).toEqual([503, 'withdrawn', 'refused']);
  expect(await resultOf(context.id)).toContain('service_unavailable');
  expect(await server.client.llen(queueKeys.waiting)).toBe(0);
  expect(await server.client.hget(redisKeys.apiKey(id), 'charged')).toBe('0');
});
