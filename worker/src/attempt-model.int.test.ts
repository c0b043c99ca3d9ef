import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ChatJob, PromptJob } from '@lontar/shared/generation-job.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { createRegistry, workerMetrics } from '@lontar/shared/metrics.ts';
import {
  createCatalog,
  type Deadlines,
  fixedSource,
  type ModelConfig,
  type UpstreamConfig,
} from '@lontar/shared/models/catalog.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { connectPatient } from '@lontar/shared/redis-connection.ts';
import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { type AttemptResult, attemptModel, type PartTaker } from './attempt-model.ts';
import type { JobStart } from './job-start.ts';
import { MODEL_ERROR_KINDS, type ModelPart } from './model/language-model.ts';
import type { ToldFailure } from './model/upstream-limits.ts';
import type { ProcessDeps } from './process-generation.ts';
import { type OpenUpstreams, openUpstreams } from './upstreams/open-upstreams.ts';
import { type StartedRoutes, startRoutes } from './upstreams/start-routes.ts';

const WELL: FakeBehaviour = { kind: 'answer', text: 'An answer.', usage: { input: 3, output: 4 } };
const DEADLINES: Deadlines = { connectMs: 2_000, firstTokenMs: 400, idleMs: 400, totalMs: 10_000 };

let redis: TestRedis;
const fakes: FakeUpstream[] = [];
const servers: Server[] = [];
const stops: (() => unknown)[] = [];
let told: ToldFailure[];

beforeAll(async () => {
  redis = await startTestRedis();
  fakes.push(await startFakeUpstream(), await startFakeUpstream(), await startFakeUpstream());
});
afterAll(async () => {
  await Promise.all(fakes.map((fake) => fake.stop()));
  await redis.stop();
});
beforeEach(async () => {
  await redis.client.flushall();
  told = [];
  for (const fake of fakes) {
    fake.reset();
    fake.behave(WELL);
  }
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  for (const server of servers.splice(0)) server.close();
});

type Deps = Pick<ProcessDeps, 'chooser' | 'metrics'> & { readonly routes: StartedRoutes };

/** A worker whose model has these upstreams in this order. */
async function startWorker(
  urls: readonly string[],
  limits: Partial<UpstreamConfig> = {},
  more: Partial<ModelConfig> = {},
): Promise<Deps & ProcessDeps> {
  const names = urls.map((_, index) => `u${index + 1}`);
  const upstreams: UpstreamConfig[] = urls.map((baseUrl, index) =>
    Object.assign({ name: names[index] ?? '', provider: 'openai' as const, baseUrl, stream: 'auto' as const }, limits),
  );
  const routes = names.map((upstream, order) => ({ upstream, model: 'm', weight: 1, order }));
  const catalog = fixedSource(
    createCatalog('file', upstreams, [
      Object.assign({ name: 'ai-2.5-pro', aliases: [], routes, deadlines: DEADLINES }, more),
    ]),
  );
  const metrics = workerMetrics(createRegistry('worker', 'test'), MODEL_ERROR_KINDS);
  const opened: OpenUpstreams = openUpstreams(
    catalog,
    { timeoutMs: 10_000, maxAnswerBytes: 100_000, secretOf: () => undefined },
    { redact: (words) => words, onFailure: (failure) => told.push(failure) },
  );
  const [jobs, subscriber] = [connectPatient(redis.url, 'jobs'), connectPatient(redis.url, 'subscriber')];
  await Promise.all([jobs.connect(), subscriber.connect()]);
  const logger = createLogger('test', 'silent');
  const clock = { now: () => redisTime(), stop: () => undefined };
  const routesOf = await startRoutes({
    ...{ worker: 'worker-1', redis: jobs, subscriber, clock, catalog, upstreams: opened, metrics, logger },
    onWaiting: () => undefined,
  });
  stops.push(routesOf.stop, opened.close, () => {
    jobs.disconnect();
    subscriber.disconnect();
  });
  const known = { chooser: routesOf.chooser, routes: routesOf, metrics, clock, logger };
  const personas = { '/api/ai': 'one', '/api/ai2': 'two', '/api/ai3': 'three' };
  return { ...known, personas, noteModelOutcome: () => undefined } as unknown as Deps & ProcessDeps;
}

const openAi = (...indexes: number[]) => indexes.map((index) => fakes[index]?.openAiUrl ?? '');
let requests = 0;

function startOf(over: Partial<JobStart> & { spentBefore?: boolean } = {}): JobStart & { spentBefore: boolean } {
  const job: PromptJob = {
    v: 1,
    id: `req_${String(++requests).padStart(22, '0')}`,
    endpoint: '/api/ai2',
    prompt: 'Tell me.',
    model: 'ai-2.5-pro',
    temperature: 0.7,
    maxOutputTokens: 10,
    keyId: 'k',
    gateway: 'g',
    receivedAt: redisTime(),
    deadlineAt: later(redisTime(), 20_000),
  };
  const settle = () => Promise.reject(new Error('not settled here'));
  const { signal } = new AbortController();
  return { job, number: 1, attempt: 1, losses: 0, signal, settle, spentBefore: false, ...over };
}

function taker(): PartTaker & { readonly parts: ModelPart[] } {
  const parts: ModelPart[] = [];
  return { parts, add: (part) => parts.push(part), unmaskable: new AbortController().signal };
}

const attempt = (deps: ProcessDeps, over = {}, stream?: PartTaker) => attemptModel(deps, startOf(over), stream);
const summary = ({ kind, route, ...result }: AttemptResult) =>
  `${kind} ${route} ${'error' in result ? result.error : ''}`.trim();
const callsOf = () => fakes.map(({ calls }) => calls.length);

describe('a failure of one upstream', () => {
  test.each<[string, FakeBehaviour]>([
    ['refuses the connection half-way', 'reset'],
    ['answers 500', { kind: 'status', status: 500 }],
    ['wants to be left alone', { kind: 'status', status: 429, headers: { 'retry-after': '30' } }],
    ['does not take the key', { kind: 'status', status: 401 }],
    ['does not know the model', { kind: 'status', status: 404 }],
    ['sends HTML', 'garbage'],
    ['says nothing', 'hang'],
    ['answers nothing', 'empty'],
    ['sends half of an answer', 'half'],
  ])('that %s is mended by the next route, in the same start', async (_name, behaviour) => {
    const deps = await startWorker(openAi(0, 1));
    fakes[0]?.behave(behaviour);
    expect(summary(await attempt(deps))).toBe('answer u2/m');
    expect(callsOf()).toEqual([expect.any(Number), 1, 0]);
  });

  test.each<[string, FakeBehaviour]>([
    ['the safety filter', 'blocked'],
    ['a 400 in words of its own', { kind: 'status', status: 400, body: { error: { message: 'I do not like it.' } } }],
  ])('that comes of the request does not move on: %s', async (_name, behaviour) => {
    const deps = await startWorker(openAi(0, 1));
    fakes[0]?.behave(behaviour);
    for (let index = 0; index < 6; index++)
      expect(await attempt(deps)).toMatchObject({ kind: 'failed', route: 'u1/m' });
    expect(callsOf()).toEqual([6, 0, 0]);
  });

  test('is followed by two other calls at most', async () => {
    const deps = await startWorker([...openAi(0, 1, 2), fakes[0]?.openAiUrl.replace('/v1', '/v1/other') ?? '']);
    for (const fake of fakes) fake.behave({ kind: 'status', status: 503 });
    expect(await attempt(deps)).toMatchObject({ kind: 'failed', error: 'server_error', hasOtherRoute: true });
    expect(callsOf()).toEqual([1, 1, 1]);
  });

  test('that may have cost money is followed by one call at most, and by none where another start had one', async () => {
    const deps = await startWorker(openAi(0, 1, 2));
    for (const fake of fakes) fake.behave('garbage');
    expect(await attempt(deps)).toMatchObject({ kind: 'failed', error: 'invalid_answer', wasRepeated: true });
    expect(callsOf()).toEqual([1, 1, 0]);
    // Not where one has just failed, while there is one that is well.
    expect(await attempt(deps, { spentBefore: true })).toMatchObject({ kind: 'failed', wasRepeated: false });
    expect(callsOf()).toEqual([1, 1, 1]);
  });

  test('after a part of a streamed answer is not mended: no other text may follow it', async () => {
    const deps = await startWorker(openAi(0, 1));
    fakes[0]?.behave({ kind: 'error-event' });
    const stream = taker();
    expect(await attempt(deps, {}, stream)).toMatchObject({ kind: 'failed', error: 'cut_off', route: 'u1/m' });
    expect(stream.parts.length).toBeGreaterThan(0);
    expect(callsOf()).toEqual([1, 0, 0]);
  });

  test('before the first part of a streamed answer is mended', async () => {
    const deps = await startWorker(openAi(0, 1));
    fakes[0]?.behave('hang');
    const stream = taker();
    expect(summary(await attempt(deps, {}, stream))).toBe('answer u2/m');
    expect(stream.parts.map((part) => ('text' in part ? part.text : '')).join('')).toBe('An answer.');
  });

  test('in a stream is its silence, not its length: each wait of it has the time that the model says', async () => {
    const text = 'A stream that takes longer than any one of its waits may.';
    const [long, silent] = await Promise.all([
      startWorker(openAi(0), {}, { deadlines: { ...DEADLINES, firstTokenMs: 2_000, idleMs: 2_000 } }),
      startWorker(openAi(1), {}, { deadlines: { ...DEADLINES, firstTokenMs: 10_000 } }),
    ]);
    fakes[0]?.behave({ kind: 'answer', text, pieceLength: 5, paceMs: 200 });
    const chunk = 'data: {"choices":[{"delta":{"content":"half of"}}]}\n\n';
    fakes[1]?.behave({ kind: 'raw', pieces: [chunk], end: 'open' });
    const [whole, half] = [taker(), taker()];
    const startedAt = performance.now();
    const ends = await Promise.all([attempt(long, {}, whole), attempt(silent, {}, half)]);
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
    expect(ends.map(summary)).toEqual(['answer u1/m', 'failed u1/m timed_out']);
    expect(whole.parts.map((part) => ('text' in part ? part.text : '')).join('')).toBe(text);
    expect(half.parts).toHaveLength(1);
  });

  test('each call is counted by itself', async () => {
    const deps = await startWorker(openAi(0, 1));
    fakes[0]?.behave({ kind: 'status', status: 500 });
    await attempt(deps);
    const { values } = await deps.metrics.upstreamCalls.get();
    expect(values.map(({ labels, value }) => [labels.upstream, labels.outcome, value])).toEqual([
      ['u1', 'failed', 1],
      ['u2', 'answered', 1],
    ]);
    const charges = (await deps.metrics.callCharges.get()).values.filter(({ value }) => value > 0);
    expect(charges.map(({ labels }) => labels)).toEqual([{ outcome: 'server_error', charge: 'open' }]);
  });
});

test('an upstream whose breaker is open gets no call, and is tried no more than once by each', async () => {
  const deps = await startWorker(openAi(0, 1));
  fakes[0]?.behave({ kind: 'status', status: 500 });
  for (let index = 0; index < 20; index++) expect(summary(await attempt(deps))).toBe('answer u2/m');
  const [calls = 0, ...others] = callsOf();
  expect(others).toEqual([20, 0]);
  expect(calls).toBeGreaterThanOrEqual(5);
  // On a machine that is slow for seconds a probe may fall due.
  expect(calls).toBeLessThanOrEqual(7);
});

test('where no route is left, it is said when one can be asked again, and nothing was called', async () => {
  const deps = await startWorker(openAi(0));
  fakes[0]?.behave({ kind: 'status', status: 429, headers: { 'retry-after': '60' } });
  await attempt(deps);
  const before = callsOf();
  const result = await attempt(deps);
  expect(result).toMatchObject({ kind: 'unavailable', wasRepeated: false });
  expect((result as { retryInMs: number }).retryInMs).toBeGreaterThan(30_000);
  expect(callsOf()).toEqual(before);
});

test('a job that waits for a place is handed back when its worker stops', async () => {
  const deps = await startWorker(openAi(0), { maxInFlight: 1 });
  fakes[0]?.behave('hang');
  const leaving = new AbortController();
  const first = attempt(deps, { signal: leaving.signal });
  await fakes[0]?.nextCall();
  const second = attempt(deps);
  deps.chooser.close();
  expect(await second).toMatchObject({ kind: 'aborted', reason: 'stopping', call: undefined });
  leaving.abort('cancelled');
  expect(await first).toMatchObject({ kind: 'aborted', reason: 'cancelled', call: 'cancelled' });
});

describe('a model whose slow calls are hedged', () => {
  const SLOW = { kind: 'answer', text: 'Late.', delayMs: 5_000 } as const;
  const HEDGED = { hedgeAfter: 'p95', deadlines: { ...DEADLINES, firstTokenMs: 8_000 } } as const;

  async function startHedged(): Promise<Deps & ProcessDeps> {
    const deps = await startWorker(openAi(0, 1), {}, HEDGED);
    // So many calls tell which ones are slow.
    for (let index = 0; index < 20; index++) await attempt(deps);
    expect(callsOf()).toEqual([20, 0, 0]);
    fakes[0]?.behave(SLOW);
    return deps;
  }

  test('asks a second route beside the first, takes what answers first, and ends the other; both are counted', async () => {
    const deps = await startHedged();
    const stream = taker();
    const result = await attempt(deps, {}, stream);
    expect(result).toMatchObject({ kind: 'answer', route: 'u2/m', wasRepeated: true });
    expect(stream.parts.map((part) => ('text' in part ? part.text : '')).join('')).toBe('An answer.');
    expect(callsOf()).toEqual([21, 1, 0]);
    await fakes[0]?.calls.at(-1)?.whenAborted;
    const { values } = await deps.metrics.hedges.get();
    expect(values.find(({ labels }) => labels.winner === 'second')?.value).toBe(1);
    const charges = (await deps.metrics.callCharges.get()).values.filter(({ value }) => value > 0);
    expect(charges.map(({ labels }) => labels)).toEqual([{ outcome: 'cancelled', charge: 'open' }]);
    // That one was slow is not its failure.
    expect(new Map(deps.routes.watch.all()).get('u1')?.state.failuresInRow).toBe(0);
  });

  test('asks no second route for a request that may have cost money before', async () => {
    const deps = await startHedged();
    fakes[0]?.behave({ ...SLOW, delayMs: 400 });
    expect(summary(await attempt(deps, { spentBefore: true }))).toBe('answer u1/m');
    expect(callsOf()).toEqual([21, 0, 0]);
  });

  test('asks no second route for a request with tools', async () => {
    const deps = await startHedged();
    fakes[0]?.behave({ ...SLOW, delayMs: 400 });
    const chat: ChatJob['chat'] = { messages: [{ role: 'user', content: 'Look.' }], tools: [{ name: 'look' }] };
    const job: ChatJob = { ...startOf().job, v: 2, endpoint: '/v1/chat/completions', chat };
    expect(summary(await attempt(deps, { job }))).toBe('answer u1/m');
    expect(callsOf()).toEqual([21, 0, 0]);
  });

  test('keeps the first one where it answers after all', async () => {
    const deps = await startHedged();
    fakes[0]?.behave({ ...SLOW, delayMs: 600 });
    fakes[1]?.behave('hang');
    expect(await attempt(deps)).toMatchObject({ kind: 'answer', route: 'u1/m', wasRepeated: true });
    expect(callsOf()).toEqual([21, 1, 0]);
  });
});

/** A server that does as it likes with each connection. */
async function hostile(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => serve(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  stops.unshift(() => {
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function send(socket: Socket, status: string, headers: readonly string[], body: string | Buffer = ''): void {
  socket.write(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`);
  socket.write(body);
}

function drip(socket: Socket, text: () => string): void {
  const timer = setInterval(() => socket.write(text()), 20);
  socket.once('close', () => clearInterval(timer));
}

describe('a hostile upstream', () => {
  const attacks: readonly (readonly [string, (socket: Socket) => void])[] = [
    [
      'that sends requests elsewhere',
      (socket) => send(socket, '307 Temporary Redirect', [`location: ${fakes[2]?.openAiUrl}/chat/completions`]),
    ],
    ['that wants a year', (socket) => send(socket, '429 Too Many Requests', ['retry-after: 31536000'])],
    ['that wants a time that is over', (socket) => send(socket, '429 Too Many Requests', ['retry-after: -5'])],
    [
      'that says 200 and means an error',
      (socket) => send(socket, '200 OK', ['content-type: application/json'], '{"error":{"message":"no","code":500}}'),
    ],
    [
      'whose headers do not end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip(socket, () => `x-${'h'.repeat(400)}: ${'v'.repeat(400)}\r\n`);
      },
    ],
    [
      'that packs much into little',
      (socket) =>
        send(
          socket,
          '200 OK',
          ['content-type: application/json', 'content-encoding: gzip'],
          gzipSync(Buffer.alloc(50_000_000)),
        ),
    ],
    [
      'that sends pictures',
      (socket) => send(socket, '200 OK', ['content-type: image/png'], Buffer.from([0x89, 0x50, 0x4e, 0x47])),
    ],
    [
      'that lets its head drip',
      (socket) => {
        drip(socket, () => 'H');
      },
    ],
    [
      'that keeps its stream open without a word',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n');
        drip(socket, () => ': still here\n\n');
      },
    ],
    [
      'whose answer has no end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"choices":"');
        drip(socket, () => 'x'.repeat(20_000));
      },
    ],
  ];

  test.each(attacks)('%s costs its own breaker or its own time alone', async (_name, serve) => {
    const url = await hostile(serve);
    const deps = await startWorker([url, ...openAi(1)]);
    const memory = process.memoryUsage().rss;
    for (let index = 0; index < 6; index++) {
      const result = await attempt(deps);
      expect(summary(result)).toBe('answer u2/m');
    }
    // Nothing was sent to where it pointed.
    expect(fakes[2]?.calls).toHaveLength(0);
    const known = new Map(deps.routes.watch.all());
    const bad = known.get('u1')?.state;
    expect((bad?.openUntil ?? 0) > 0 || (bad?.aloneUntil ?? 0) > 0).toBe(true);
    expect((bad?.aloneUntil ?? 0) - Date.now()).toBeLessThanOrEqual(300_000);
    expect(known.get('u2')?.state.openUntil).toBe(0);
    expect(process.memoryUsage().rss - memory).toBeLessThan(200_000_000);
    expect(told.every(({ upstreamHost }) => upstreamHost !== undefined)).toBe(true);
    expect(told.length).toBeGreaterThan(0);
  });
});
