import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import { readSettlement } from '@lontar/shared/testing/read-settlement.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import { type Ask, ask, expectSuccess, type Reply } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** What the caller did: twelve times the same, with a key of one credit. */
const TIMES = 12;
const FREE = 5;
const fine = { kind: 'answer', text: 'It works.' } as const;

interface Key {
  readonly id: string;
  readonly key: string;
}

let stack: Stack;

const generate = ({ key }: Key, { url = stack.url, query = {}, ...options }: Ask & { url?: string } = {}) =>
  ask(url, '/api/ai', { query: { prompt: 'hi', ...query }, headers: { 'x-api-key': key }, ...options });
const charged = async ({ id }: Key) => Number(await stack.redis.client.hget(redisKeys.apiKey(id), 'charged'));
const messageOf = ({ body }: Reply) => String(body['message']);

/** Sends a request and leaves once the model has been called; one that is answered before ends as it is. */
async function leaveInCall(key: Key, ask: Ask & { url?: string } = {}): Promise<'left' | number> {
  const leaving = new AbortController();
  const answered = generate(key, { ...ask, signal: leaving.signal }).then(({ status }) => status);
  const first = await Promise.race([answered, stack.upstream.nextCall()]);
  if (typeof first === 'number') return first;
  leaving.abort();
  await answered.catch(() => undefined);
  await first.whenAborted;
  await untilSettled();
  return 'left';
}

const untilSettled = () => until(async () => (await countReservations(stack.redis.client)) === 0);
const countNoted = async () => (await stack.redis.client.keys(redisKeys.request('*'))).length;

/** Requests one after the other; a key without credits is refused and causes no model call. */
async function inTurn(key: Key, options: Ask = {}): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let turn = 0; turn < TIMES; turn++) replies.push(await generate(key, options));
  return replies;
}

describe('a key of one credit', () => {
  let key: Key;

  beforeAll(async () => {
    stack = await startStack({ stats: true, settings: { MODEL_TIMEOUT_MS: '2000', REQUEST_TIMEOUT_MS: '20000' } });
  });
  afterAll(() => stack.stop());

  describe('whose answer fails', () => {
    const KINDS = [
      ['stalls', 'hang', 504, 2],
      ['drips', 'drip', 504, 2],
      ['is cut off', 'reset', 502, 2],
      ['ends half way', 'half', 502, 2],
      ['is too large', 'huge', 502, 1],
      ['cannot be read', 'garbage', 502, 1],
      ['has no text', 'empty', 502, 1],
    ] as const;
    const ends = new Map<FakeBehaviour, { key: Key; replies: Reply[]; calls: number }>();

    // All kinds at once, each on a key of its own: most of their time is waiting for the model.
    beforeAll(async () => {
      stack.upstream.behave(({ prompt }) => prompt as (typeof KINDS)[number][1]);
      const runs = KINDS.map(async ([, behaviour]) => {
        const key = await stack.createKey('--credits', '1');
        const replies = await inTurn(key, { query: { prompt: behaviour } });
        const calls = stack.upstream.calls.filter(({ prompt }) => prompt === behaviour).length;
        ends.set(behaviour, { key, replies, calls });
      });
      await Promise.all(runs);
    });

    test.each(KINDS)(
      `since it %s: ${FREE} failures are given back, and the next is paid`,
      async (_what, behaviour, status, callsEach) => {
        const { key, replies, calls } = ends.get(behaviour) as { key: Key; replies: Reply[]; calls: number };
        const failures = replies.slice(0, FREE + 1);
        expect(failures.map((reply) => reply.status)).toEqual(Array.from({ length: FREE + 1 }, () => status));
        for (const free of failures.slice(0, FREE)) {
          expect(messageOf(free)).toMatch(/The request was not charged\.$/);
          expect(free.headers['x-ratelimit-remaining']).toBe('1');
        }
        const paid = failures[FREE] as Reply;
        expect(messageOf(paid)).toMatch(/The request was charged: this API key has been given back 5 such failures/);
        expect(paid.headers['x-ratelimit-remaining']).toBe('0');
        expect(replies.slice(FREE + 1).map((reply) => reply.status)).toEqual(
          Array.from({ length: TIMES - FREE - 1 }, () => 429),
        );
        expect(calls).toBeGreaterThanOrEqual(1 + FREE);
        expect(calls).toBeLessThanOrEqual(callsEach * (1 + FREE));
        const { stdout } = await stack.lontar('keys', 'show', key.id, '--json');
        expect(JSON.parse(stdout)).toMatchObject({ charged: 1, freeFailuresLastHour: FREE });
      },
    );
  });

  describe('that asks twelve times', () => {
    beforeEach(async () => {
      stack.upstream.reset();
      stack.upstream.behave(fine);
      key = await stack.createKey('--credits', '1');
    });

    test('whose caller leaves again and again in mid-call has one call', async () => {
      stack.upstream.behave('hang');
      const ends = [];
      for (let turn = 0; turn < TIMES; turn++) ends.push(await leaveInCall(key));
      expect(ends).toEqual(['left', ...Array.from({ length: TIMES - 1 }, () => 429)]);
      expect(stack.upstream.calls).toHaveLength(1);
      expect(await charged(key)).toBe(1);
    });

    test('whose caller leaves between two attempts, after a stall, has one call, and pays', async () => {
      // The wait before the second attempt has no jitter to speak of; the caller is gone before that is answered.
      stack.upstream.queue('hang');
      stack.upstream.behave('hang');
      const leaving = new AbortController();
      const answered = generate(key, { signal: leaving.signal }).catch(() => 'left');
      const first = await stack.upstream.nextCall();
      await first.whenAborted;
      leaving.abort();
      expect(await answered).toBe('left');
      await untilSettled();
      expect(stack.upstream.calls.length).toBeLessThanOrEqual(2);
      expect(await charged(key)).toBe(1);
      expect((await generate(key)).status).toBe(429);
    });

    test('that asks a reasoning model for one token has one call, and the answer says what to ask for', async () => {
      stack.upstream.behave('used-up');
      const [first, ...rest] = await inTurn(key, { query: { maxOutputTokens: '1' } });
      expect(first).toMatchObject({ status: 400, body: { error: 'Invalid parameter' } });
      expect(messageOf(first as Reply)).toBe(
        'maxOutputTokens is 1, and the model used all of it before any text: its reasoning counts too. ' +
          'Ask for more, at least 1024, or leave it out, which asks for 8192. The request was charged.',
      );
      expect(first?.headers['x-ratelimit-remaining']).toBe('0');
      expect(rest.map(({ status }) => status)).toEqual(Array.from({ length: TIMES - 1 }, () => 429));
      expect(stack.upstream.calls).toHaveLength(1);
    });

    test.each([
      ['401', { kind: 'status', status: 401 }],
      ['429 for too long', { kind: 'status', status: 429, headers: { 'retry-after': '60' } }],
      ['400', { kind: 'status', status: 400 }],
    ] as [string, FakeBehaviour][])('always gets it back where the upstream answers %s', async (_what, behaviour) => {
      stack.upstream.behave(behaviour);
      for (const reply of await inTurn(key)) {
        expect(reply.status).toBe(502);
        expect(messageOf(reply)).toMatch(/The request was not charged\.$/);
      }
      stack.upstream.behave(fine);
      expectSuccess(await generate(key));
    });

    test('that leaves and pays is in the metrics and in the log, and not among the answers', async () => {
      // Requests are counted in their order: with this one all those of the tests before.
      const other = await stack.createKey();
      expectSuccess(await generate(other));
      await untilLogged((line) => line['keyId'] === other.id);
      // The call that is waited for below is another one.
      stack.upstream.reset();
      const before = await requestsOfUsage();
      stack.upstream.behave('hang');
      expect(await leaveInCall(key)).toBe('left');
      const row = await untilLogged((line) => line['keyId'] === key.id);
      expect(row).toMatchObject({ status: 499, error: 'client_closed', charged: true, route: '/api/ai' });
      expect(await requestsOfUsage()).toBe(before);
      const metrics = (await Promise.all((await stack.metricsUrls()).map(read))).join('\n');
      expect(metrics).toMatch(/^gateway_callers_left_total\{charge="charged",service="gateway"\} [1-9]/m);
      expect(metrics).toMatch(/^model_calls_total\{outcome="cancelled",charge="charged",service="worker"\} [1-9]/m);
      expect(metrics).toMatch(/^model_calls_total\{outcome="timed_out",charge="given_back",service="worker"\} [1-9]/m);
    });
  });
});

describe('a caller who leaves', () => {
  let key: Key;

  beforeAll(async () => {
    stack = await startStack({ durable: true, gateways: 2, settings: { REQUEST_TIMEOUT_MS: '30000' } });
  });
  afterAll(() => stack.stop());
  beforeEach(async () => {
    stack.upstream.reset();
    stack.upstream.behave('hang');
    key = await stack.createKey('--credits', '1000');
  });

  test('in mid-call has the call aborted, and is settled, long before the model would have to answer', async () => {
    const leaving = new AbortController();
    const left = generate(key, { signal: leaving.signal }).catch(() => 'left');
    const call = await stack.upstream.nextCall();
    const leftAt = performance.now();
    leaving.abort();
    await call.whenAborted;
    await untilSettled();
    // Half a second, as `npm run chaos` measures it, and one more; a busy test machine gets some of its own.
    expect(performance.now() - leftAt).toBeLessThan(25_000);
    expect(await left).toBe('left');
    expect(await charged(key)).toBe(1);
  });

  test('where the key lets the request finish: the call goes on, its answer is kept and paid', async () => {
    const finishing = await stack.createKey('--credits', '5', '--on-disconnect', 'finish');
    let release: (behaviour: FakeBehaviour) => void = () => undefined;
    stack.upstream.queue(() => new Promise((resolve) => (release = resolve)), fine);
    const leaving = new AbortController();
    const left = generate(finishing, { signal: leaving.signal }).catch(() => 'left');
    const call = await stack.upstream.nextCall();
    const [requestId = ''] = await stack.redis.client.zrange(redisKeys.keyFlight(finishing.id), '0', '-1');
    leaving.abort();
    expect(await left).toBe('left');
    // By then the gateway has seen the one leave.
    expectSuccess(await generate(key));
    release(fine);
    await untilSettled();
    expect(await readSettlement(stack.redis.client, requestId)).toMatchObject({
      outcome: 'answered',
      text: 'It works.',
    });
    expect(call.aborted).toBe(false);
    expect(await charged(finishing)).toBe(1);
  });

  test('reaches a worker that missed the first message', async () => {
    const leaving = new AbortController();
    const left = generate(key, { signal: leaving.signal }).catch(() => 'left');
    const call = await stack.upstream.nextCall();
    // Its connection for cancellations is away for as long as the first word of it takes.
    await stack.redis.client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    leaving.abort();
    await left;
    await call.whenAborted;
    await untilSettled();
    expect(await charged(key)).toBe(1);
  });

  test('while Redis is away pays as others do', async () => {
    const leaving = new AbortController();
    const left = generate(key, { signal: leaving.signal }).catch(() => 'left');
    const call = await stack.upstream.nextCall();
    await stack.redis.kill();
    leaving.abort();
    await left;
    await stack.redis.start();
    await call.whenAborted;
    await untilSettled();
    expect(await charged(key)).toBe(1);
    expect(stack.upstream.calls).toHaveLength(1);
  });

  test('is settled, and the model not called again, though the worker dies at that moment', async () => {
    const leaving = new AbortController();
    const left = generate(key, { signal: leaving.signal }).catch(() => 'left');
    await stack.upstream.nextCall();
    const noted = await countNoted();
    const worker = stack.workers.at(-1);
    // Stopped, it receives nothing; killed, it never will.
    worker?.process.kill('SIGSTOP');
    leaving.abort();
    await left;
    await until(async () => (await countNoted()) > noted);
    await worker?.end('SIGKILL');
    await stack.startWorker();
    await untilSettled();
    expect(await charged(key)).toBe(1);
    await until(async () => (await stack.redis.client.llen('{lontar}:generation:active')) === 0);
    expect(stack.upstream.calls).toHaveLength(1);
  });

  test('is settled by the worker that takes the job over, though worker and gateway die at that moment', async () => {
    const leaving = new AbortController();
    const left = generate(key, { signal: leaving.signal }).catch(() => 'left');
    await stack.upstream.nextCall();
    const noted = await countNoted();
    const worker = stack.workers.at(-1);
    worker?.process.kill('SIGSTOP');
    leaving.abort();
    await left;
    await until(async () => (await countNoted()) > noted);
    await Promise.all([worker?.end('SIGKILL'), stack.gateways[0]?.end('SIGKILL')]);
    await stack.startWorker();
    await untilSettled();
    expect(await charged(key)).toBe(1);
    expect(stack.upstream.calls).toHaveLength(1);
  });
});

test('over two gateways and two workers exactly as many failures are given back as an hour may have', async () => {
  stack = await startStack({
    gateways: 2,
    workers: 2,
    settings: { MODEL_TIMEOUT_MS: '1000', FREE_FAILURES_PER_HOUR: '7' },
  });
  try {
    const key = await stack.createKey('--credits', '1000');
    stack.upstream.behave((call) => (call.prompt.startsWith('stall') ? 'hang' : 'garbage'));
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        generate(key, {
          url: stack.urls[index % 2] ?? '',
          query: { prompt: `${index % 3 === 0 ? 'stall' : 'garbage'} ${index}` },
        }),
      ),
    );
    expect(replies.filter((reply) => messageOf(reply).includes('was not charged'))).toHaveLength(7);
    expect(replies.filter((reply) => messageOf(reply).includes('was charged'))).toHaveLength(53);
    expect(await charged(key)).toBe(53);
    // On a busy machine what cannot be read may come too late, and is a stall then.
    const calls = new Map<string, number>();
    for (const { prompt } of stack.upstream.calls) calls.set(prompt, (calls.get(prompt) ?? 0) + 1);
    expect(Math.max(...calls.values())).toBe(2);
  } finally {
    await stack.stop();
  }
});

test("a request's own deadline is a failure that may have cost money, but not where no worker was there", async () => {
  stack = await startStack({ settings: { REQUEST_TIMEOUT_MS: '3000', FREE_FAILURES_PER_HOUR: '1' } });
  try {
    const key = await stack.createKey('--credits', '10');
    stack.upstream.behave('hang');
    const replies = [await generate(key), await generate(key)];
    expect(replies.map(({ status }) => status)).toEqual([504, 504]);
    expect(messageOf(replies[0] as Reply)).toContain('was not charged');
    expect(messageOf(replies[1] as Reply)).toContain('was charged');
    await stack.workers[0]?.end('SIGKILL');
    const waited = await generate(key);
    expect(waited.status).toBe(504);
    expect(messageOf(waited)).toContain('was not charged');
    expect(await charged(key)).toBe(1);
  } finally {
    await stack.stop();
  }
});

async function requestsOfUsage(): Promise<number> {
  const { body } = await ask(stack.url, '/api/usage');
  return (body['result'] as { total: { requests: number } }).total.requests;
}

async function untilLogged(isIt: (row: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
  const session = await fetch(`${stack.url}/dashboard/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: stack.secrets.dashboardToken }),
  });
  const cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  for (;;) {
    const page = await fetch(`${stack.url}/dashboard/log`, { headers: { cookie } });
    const { rows } = (await page.json()) as { rows: Record<string, unknown>[] };
    const row = rows.find(isIt);
    if (row) return row;
    await delay(100);
  }
}

const read = (url: string) => fetch(url).then((response) => response.text());
