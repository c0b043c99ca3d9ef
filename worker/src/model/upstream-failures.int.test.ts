import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import { type FakeUpstream, startFakeUpstream, UPSTREAM_CANARY } from '@lontar/shared/testing/fake-upstream.ts';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { geminiModel } from './gemini-model.ts';
import { type LanguageModel, ModelError, type ModelErrorKind, type ModelRequest } from './language-model.ts';
import { openAiModel } from './openai-model.ts';

const KEY = ['key', 'of', 'the', 'operator', '0123456789'].join('-');
const PROMPT = 'A prompt that no error may repeat.';
const SYSTEM = 'A persona that no error may repeat.';
const request: ModelRequest = {
  requestId: 'req_test',
  model: 'model-of-the-upstream',
  chat: {
    messages: [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: PROMPT },
    ],
    temperature: 0.7,
  },
  maxOutputTokens: 8_192,
};

let upstream: FakeUpstream;
const models: LanguageModel[] = [];
beforeAll(async () => {
  upstream = await startFakeUpstream();
});
afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.close()));
  upstream.reset();
});
afterAll(() => upstream.stop());

const status = (status: number, more: { headers?: Record<string, string>; body?: unknown } = {}): FakeBehaviour => ({
  kind: 'status',
  status,
  ...more,
});

interface Case {
  readonly name: string;
  readonly does: FakeBehaviour;
  readonly kind: ModelErrorKind;
  readonly retryAfterMs?: number;
  readonly timeoutMs?: number;
}

const cases: Case[] = [
  { name: '300', does: status(300), kind: 'refused' },
  { name: '400', does: status(400), kind: 'refused' },
  { name: '401', does: status(401), kind: 'unauthorized' },
  { name: '402', does: status(402), kind: 'unauthorized' },
  { name: '403', does: status(403), kind: 'unauthorized' },
  { name: '404', does: status(404), kind: 'refused' },
  { name: '408', does: status(408), kind: 'server_error' },
  { name: '413', does: status(413), kind: 'refused' },
  { name: '429', does: status(429), kind: 'rate_limited' },
  {
    name: '429 with Retry-After',
    does: status(429, { headers: { 'Retry-After': '7' } }),
    kind: 'rate_limited',
    retryAfterMs: 7_000,
  },
  { name: '500', does: status(500), kind: 'server_error' },
  {
    name: '503 with Retry-After',
    does: status(503, { headers: { 'retry-after': '2' } }),
    kind: 'server_error',
    retryAfterMs: 2_000,
  },
  { name: '529', does: status(529), kind: 'server_error' },
  {
    name: 'an error page',
    does: status(502, { body: `<h1>${UPSTREAM_CANARY}</h1>` }),
    kind: 'server_error',
  },
  { name: 'an empty error', does: status(500, { body: '' }), kind: 'server_error' },
  { name: 'a 204', does: status(204, { body: '' }), kind: 'invalid_answer' },
  {
    name: 'JSON of another shape',
    does: status(200, { body: { candidates: UPSTREAM_CANARY, choices: UPSTREAM_CANARY } }),
    kind: 'invalid_answer',
  },
  { name: 'null', does: status(200, { body: 'null' }), kind: 'invalid_answer' },
  {
    name: 'an error dressed as a 200',
    does: status(200, { body: { error: { code: 429, message: UPSTREAM_CANARY }, candidates: 'none' } }),
    kind: 'rate_limited',
  },
  { name: 'reset', does: 'reset', kind: 'cut_off' },
  { name: 'hang', does: 'hang', kind: 'timed_out', timeoutMs: 300 },
  { name: 'drip', does: 'drip', kind: 'timed_out', timeoutMs: 300 },
  {
    name: 'slower than an attempt',
    does: { kind: 'answer', text: 'x', delayMs: 3_000 },
    kind: 'timed_out',
    timeoutMs: 300,
  },
  { name: 'garbage', does: 'garbage', kind: 'invalid_answer' },
  { name: 'empty', does: 'empty', kind: 'empty_answer' },
  { name: 'blank', does: { kind: 'answer', text: ' \n\t' }, kind: 'empty_answer' },
  { name: 'blocked', does: 'blocked', kind: 'content_blocked' },
  {
    name: 'blocked in the middle, without text',
    does: { kind: 'answer', text: '', finishReason: 'content_filter' },
    kind: 'content_blocked',
  },
  { name: 'huge', does: 'huge', kind: 'too_large' },
  { name: 'huge with a length', does: status(200, { body: 'x'.repeat(3_000_000) }), kind: 'too_large' },
  { name: 'half', does: 'half', kind: 'cut_off' },
];

/** Everything that a logger, a crash report or a debugger could print of an error. */
function everythingOf(error: ModelError): string {
  const own = Object.fromEntries(Reflect.ownKeys(error).map((key) => [key, Reflect.get(error, key)]));
  return [
    String(error),
    error.message,
    error.stack,
    JSON.stringify(error),
    JSON.stringify(own),
    inspect(error, { depth: 20, showHidden: true }),
  ].join('\n');
}

async function failureOf(model: LanguageModel, onPart?: () => void): Promise<ModelError> {
  const error = await model.generate(request, new AbortController().signal, onPart).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

function expectNothingTold(error: ModelError, port: number) {
  const said = everythingOf(error);
  for (const secret of [UPSTREAM_CANARY, '127.0.0.1', String(port), KEY, PROMPT, SYSTEM, request.model]) {
    expect(said).not.toContain(secret);
  }
  expect('cause' in error).toBe(false);
}

const PROTOCOLS = [
  ['gemini', 'in one piece', undefined],
  ['gemini', 'as a stream', () => undefined],
  ['openai', 'in one piece', undefined],
  ['openai', 'as a stream', () => undefined],
] as const;

describe.each(PROTOCOLS)('%s, %s', (provider, _, onPart) => {
  function build(port: number, timeoutMs = 30_000): LanguageModel {
    const limits = { timeoutMs, connectTimeoutMs: timeoutMs, maxAnswerBytes: 1_000_000, apiKey: KEY };
    const model =
      provider === 'gemini'
        ? geminiModel({ ...limits, baseUrl: `http://127.0.0.1:${port}/v1beta` })
        : openAiModel({ ...limits, baseUrl: `http://127.0.0.1:${port}/v1` });
    models.push(model);
    return model;
  }

  test.each([
    ['before any text', { kind: 'answer', text: '', finishReason: 'length' }],
    ['in its reasoning', 'used-up'],
  ] as const)('an answer that is cut %s is empty, and says why', async (_, does) => {
    upstream.behave(does);
    const answer = build(upstream.port).generate(request, new AbortController().signal, onPart);
    expect(await answer).toMatchObject({ text: '', finishReason: 'length' });
  });

  test.each(cases)(
    '$name is $kind, and its error holds nothing of it',
    async ({ does, kind, timeoutMs, ...expected }) => {
      upstream.behave(does);
      const error = await failureOf(build(upstream.port, timeoutMs), onPart);
      expect({ kind: error.kind, retryAfterMs: error.retryAfterMs }).toEqual({
        kind,
        retryAfterMs: expected.retryAfterMs,
      });
      expectNothingTold(error, upstream.port);
      expect(upstream.calls).toHaveLength(1);
    },
  );

  test('a port without a listener is connection, and its error holds nothing of it', async () => {
    const port = await freePort();
    const error = await failureOf(build(port), onPart);
    expect(error.kind).toBe('connection');
    expectNothingTold(error, port);
  });

  test('a connection that is not made within its own deadline is connection, and one that is made has the others', async () => {
    // It accepts, and never answers the handshake of TLS.
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    // Longer than the test may take: its own deadline alone can end the request.
    const limits = { timeoutMs: 600_000, connectTimeoutMs: 600_000, maxAnswerBytes: 1_000_000, apiKey: KEY };
    const model = (provider === 'gemini' ? geminiModel : openAiModel)({
      ...limits,
      baseUrl: `https://127.0.0.1:${port}/v1`,
    });
    models.push(model);
    const deadlines = { connectMs: 100, firstTokenMs: 20_000, idleMs: 20_000, totalMs: 20_000 };
    const failed = model.generate({ ...request, deadlines }, new AbortController().signal, onPart);
    expect(await failed.catch(({ kind }: ModelError) => kind)).toBe('connection');
    // Nor does its end wait for the connection that is being made.
    await model.close();
    silent.close();
    for (const socket of sockets) socket.destroy();
    upstream.behave({ kind: 'answer', text: 'late', delayMs: 300 });
    const slow = build(upstream.port).generate({ ...request, deadlines }, new AbortController().signal, onPart);
    expect(await slow).toMatchObject({ text: 'late' });
  });

  test('a caller who leaves before a connection is made has asked for nothing', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const connected = once(silent, 'connection');
    const limits = { timeoutMs: 30_000, connectTimeoutMs: 30_000, maxAnswerBytes: 1_000_000, apiKey: KEY };
    const baseUrl = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
    const model = (provider === 'gemini' ? geminiModel : openAiModel)({ ...limits, baseUrl });
    models.push(model);
    const leaving = new AbortController();
    const left = model.generate(request, leaving.signal, onPart).catch((error: unknown) => error);
    await connected;
    leaving.abort();
    expect(await left).toMatchObject({ kind: 'cancelled', wasAsked: false });
    silent.close();
  });

  test('a redirect is refused, and its target gets neither the key nor the prompt', async () => {
    const elsewhere = await startFakeUpstream();
    const location = `http://127.0.0.1:${elsewhere.port}${provider === 'gemini' ? '/v1beta' : '/v1'}`;
    upstream.behave(status(307, { headers: { location } }));
    const error = await failureOf(build(upstream.port), onPart);
    expect(error).toMatchObject({ kind: 'refused' });
    expectNothingTold(error, elsewhere.port);
    expect(elsewhere.calls).toHaveLength(0);
    await elsewhere.stop();
  });

  test.each(['hang', 'drip', 'huge'] as const)('the caller leaving in a %s ends the connection', async (does) => {
    upstream.behave(does);
    const leaving = new AbortController();
    const failed = build(upstream.port).generate(request, leaving.signal, onPart);
    const outcome = failed.catch((error: unknown) => error);
    const call = await upstream.nextCall();
    leaving.abort(new Error(UPSTREAM_CANARY));
    const error = (await outcome) as ModelError;
    expect([error.kind, error.wasAsked]).toEqual(['cancelled', true]);
    expectNothingTold(error, upstream.port);
    await call.whenAborted;
  });

  test('an attempt that took too long, or too much, gives its connection back', async () => {
    for (const [does, kind] of [
      ['hang', 'timed_out'],
      ['drip', 'timed_out'],
      ['huge', 'too_large'],
    ] as const) {
      upstream.behave(does);
      const outcome = failureOf(build(upstream.port, does === 'huge' ? undefined : 300), onPart);
      const call = await upstream.nextCall();
      expect((await outcome).kind).toBe(kind);
      await call.whenAborted;
    }
  });

  test('a signal that fired before makes no request', async () => {
    const error: unknown = await build(upstream.port)
      .generate(request, AbortSignal.abort(), onPart)
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ kind: 'cancelled' });
    expect(upstream.calls).toHaveLength(0);
  });

  test('closing ends the attempts that still run', async () => {
    upstream.behave('hang');
    const model = build(upstream.port);
    const outcome = failureOf(model, onPart);
    const call = await upstream.nextCall();
    await model.close();
    expect((await outcome).kind).toBe('connection');
    await call.whenAborted;
  });
});
