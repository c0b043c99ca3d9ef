import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import { ask, expectSuccess, type Reply } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

let stack: Stack;
let key: { id: string; key: string };

beforeEach(async () => {
  stack = await startStack({ durable: true, settings: { REQUEST_TIMEOUT_MS: '30000' } });
  key = await stack.createKey('--credits', '1000');
});
afterEach(() => stack.stop());

const generate = (prompt = 'hi', signal?: AbortSignal) =>
  ask(stack.url, '/api/ai', { query: { prompt }, headers: { 'x-api-key': key.key }, ...(signal && { signal }) });
const charged = async () => Number(await stack.redis.client.hget(redisKeys.apiKey(key.id), 'charged'));
const inFlight = () => stack.redis.client.zcard(redisKeys.keyFlight(key.id));

describe('Redis that goes away', () => {
  test('makes every request 503 with Retry-After, and serves again by itself when it is back', async () => {
    expectSuccess(await generate());
    await stack.redis.kill();
    const startedAt = performance.now();
    const refused = await Promise.all(Array.from({ length: 20 }, () => generate()));
    const tookMs = performance.now() - startedAt;
    for (const reply of refused) {
      expect(reply).toMatchObject({ status: 503, body: { error: 'Service unavailable' } });
      expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
    // The contract is one second; a busy test machine gets more, and still less than the time-out of a request.
    expect(tookMs).toBeLessThan(20_000);
    expect(stack.upstream.calls).toHaveLength(1);

    await stack.redis.start();
    await untilStatus(200);
    expect(await charged()).toBe(stack.upstream.calls.length);
  });

  async function untilStatus(status: number): Promise<Reply> {
    for (;;) {
      const reply = await generate();
      if (reply.status === status) return reply;
      expect(reply.status).toBe(503);
    }
  }
});

describe('a worker that is killed', () => {
  test('in mid-call leaves its job to another: one answer, one charge', async () => {
    stack.upstream.queue('hang');
    const answer = generate('survive');
    await stack.upstream.nextCall();
    await stack.workers[0]?.end('SIGKILL');
    await stack.startWorker();
    expectSuccess(await answer);
    expect(stack.upstream.calls.map((call) => call.prompt)).toEqual(['survive', 'survive']);
    expect(await charged()).toBe(1);
    expect(await inFlight()).toBe(0);
  });

  test('by SIGSTOP past its lock changes nothing when it comes back', async () => {
    await stack.startWorker();
    stack.upstream.queue(
      { kind: 'answer', text: 'from the first', delayMs: 300 },
      { kind: 'answer', text: 'from the second' },
    );
    const answer = generate('zombie');
    await stack.upstream.nextCall();
    // Which of the two has the job is unknown, so both stop; a third one takes it over when the lock has ended.
    const zombies = [...stack.workers];
    for (const worker of zombies) worker.process.kill('SIGSTOP');
    const third = await stack.startWorker();
    const text = expectSuccess(await answer);
    expect(text).toBe('from the second');
    for (const worker of zombies) worker.process.kill('SIGCONT');
    expectSuccess(await generate('after'));
    expect(await charged()).toBe(2);
    for (const worker of [...zombies, third]) expect(worker.process.exitCode).toBeNull();
  });
});

describe('a caller that leaves', () => {
  test('in mid-call has the model call aborted, and pays', async () => {
    stack.upstream.queue('hang');
    const leaving = new AbortController();
    const left = generate('leave', leaving.signal).catch(() => 'left');
    const call = await stack.upstream.nextCall();
    leaving.abort();
    expect(await left).toBe('left');
    await call.whenAborted;
    await settled();
    expect(await charged()).toBe(1);
    expect(await inFlight()).toBe(0);
  });

  test('while its job waits has the job removed and the model never called', async () => {
    await stack.workers[0]?.end('SIGTERM');
    const leaving = new AbortController();
    const left = generate('leave', leaving.signal).catch(() => 'left');
    await until(async () => (await stack.redis.client.llen('{lontar}:generation:wait')) === 1);
    leaving.abort();
    await left;
    await until(async () => (await stack.redis.client.llen('{lontar}:generation:wait')) === 0);
    await settled();
    expect(await charged()).toBe(0);
    await stack.startWorker();
    expectSuccess(await generate('next'));
    expect(stack.upstream.calls.map((call) => call.prompt)).toEqual(['next']);
  });

  async function settled(): Promise<void> {
    await until(async () => (await countReservations(stack.redis.client)) === 0);
  }
});

describe('stopping by SIGTERM', () => {
  test('a gateway answers what it has accepted, then ends with 0', async () => {
    stack.upstream.queue({ kind: 'answer', text: 'in time', delayMs: 500 });
    const answer = generate();
    await stack.upstream.nextCall();
    const ended = stack.gateways[0]?.end('SIGTERM');
    expect(expectSuccess(await answer)).toBe('in time');
    expect(await ended).toBe(0);
  });

  test('a worker finishes what it has begun, then ends with 0', async () => {
    stack.upstream.queue({ kind: 'answer', text: 'in time', delayMs: 500 });
    const answer = generate();
    await stack.upstream.nextCall();
    const ended = stack.workers[0]?.end('SIGTERM');
    expect(expectSuccess(await answer)).toBe('in time');
    expect(await ended).toBe(0);
  });
});

test('a gateway that is killed leaves the finished answer in Redis and the credit right', async () => {
  stack.upstream.queue({ kind: 'answer', text: 'no caller waits', delayMs: 400 });
  const answer = generate('orphan').catch(() => 'lost');
  await stack.upstream.nextCall();
  await stack.gateways[0]?.end('SIGKILL');
  expect(await answer).toBe('lost');
  await until(async () => (await countReservations(stack.redis.client)) === 0);
  const [request] = await stack.redis.client.keys(redisKeys.request('*'));
  expect(await stack.redis.client.hget(request ?? '', 'result')).toContain('no caller waits');
  expect(await charged()).toBe(1);
  const url = await stack.startGateway();
  expectSuccess(await ask(url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key.key } }));
});
