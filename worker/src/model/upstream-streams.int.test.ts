import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import type { LanguageModel, ModelErrorKind, ModelPart, ModelRequest } from './language-model.ts';
import { type OpenAiOptions, openAiModel } from './openai-model.ts';

const LLAMA = { server: 'llama.cpp' };
const CAP = 100_000;

let upstream: FakeUpstream;
const models: LanguageModel[] = [];
const servers: Server[] = [];
beforeAll(async () => {
  upstream = await startFakeUpstream();
});
afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.close()));
  for (const server of servers.splice(0)) server.close();
  upstream.reset();
});
afterAll(() => upstream.stop());

function build(more: Partial<OpenAiOptions> = {}): LanguageModel {
  const limits = { timeoutMs: 30_000, connectTimeoutMs: 30_000, maxAnswerBytes: CAP };
  const model = openAiModel({ ...limits, apiKey: undefined, baseUrl: upstream.openAiUrl, ...more });
  models.push(model);
  return model;
}

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  requestId: 'req_test',
  model: 'some-model',
  chat: { messages: [{ role: 'user', content: 'Hello, upstream.' }] },
  maxOutputTokens: 9_000,
  ...more,
});

const signal = new AbortController().signal;

/** Asks for a stream, and keeps what came of it. */
async function stream(model: LanguageModel, asked = request()) {
  const parts: ModelPart[] = [];
  const result = await model.generate(asked, signal, (part) => parts.push(part));
  return { parts, result };
}

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';

const raw = (
  pieces: readonly (string | Uint8Array)[],
  more: Partial<Extract<FakeBehaviour, { kind: 'raw' }>> = {},
): FakeBehaviour => ({ kind: 'raw', pieces, ...more });

describe('an answer as a stream', () => {
  test('is given in its parts, which together are the result', async () => {
    const toolCalls = [{ id: 'call_1', name: 'weather', arguments: '{"city":"Denpasar"}' }];
    upstream.behave({ kind: 'answer', text: 'Selamat pagi ☕.', reasoning: 'Think first.', toolCalls });
    const { parts, result } = await stream(build());
    expect(result).toEqual({
      text: 'Selamat pagi ☕.',
      reasoning: 'Think first.',
      toolCalls,
      usage: { input: 11, output: 7 },
      finishReason: 'tool_calls',
    });
    const kinds = parts.map(({ kind }) => kind);
    expect(kinds.indexOf('text')).toBeGreaterThan(kinds.lastIndexOf('reasoning'));
    expect(kinds.at(-1)).toBe('call');
    expect(parts.filter(({ kind }) => kind === 'text').length).toBeGreaterThan(2);
    expect(parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')).toBe(result.text);
    expect(parts.at(-1)).toEqual({ kind: 'call', call: toolCalls[0] });
  });

  test('is asked for with its token counts', async () => {
    upstream.behave({ kind: 'answer', text: 'x' });
    await stream(build());
    const { body } = await upstream.nextCall();
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test('begins before it ends', async () => {
    upstream.behave(raw([chunk({ content: 'At once' })], { end: 'open' }));
    const leaving = new AbortController();
    const first = new Promise<ModelPart>((resolve) => {
      const outcome = build().generate(request(), leaving.signal, resolve);
      outcome.catch(() => undefined);
    });
    expect(await first).toEqual({ kind: 'text', text: 'At once' });
    const call = await upstream.nextCall();
    leaving.abort();
    await call.whenAborted;
  });

  test.each<[string, (string | Uint8Array)[], object]>([
    [
      'its last text in the chunk that finishes',
      [chunk({ content: 'a' }), chunk({ content: 'b' }, 'stop'), DONE],
      { text: 'ab' },
    ],
    [
      'a role and nothing in each chunk',
      [chunk({ role: 'assistant', content: null }), chunk({ role: 'assistant', content: 'a' }), chunk({}, 'stop')],
      { text: 'a' },
    ],
    ['no [DONE]', [chunk({ content: 'a' }), chunk({}, 'stop')], { text: 'a', finishReason: 'stop' }],
    ['no reason to end', [chunk({ content: 'a' }), DONE], { text: 'a', finishReason: 'other' }],
    [
      'CRLF and comments',
      [': x\r\n', chunk({ content: 'a' }).replaceAll('\n', '\r\n'), chunk({}, 'stop'), DONE],
      { text: 'a' },
    ],
    [
      'counts after an empty choice',
      [
        chunk({ content: 'a' }),
        chunk({}, 'length'),
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":null}],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n',
        DONE,
      ],
      { finishReason: 'length', usage: { input: 3, output: 1 } },
    ],
    [
      'counts without choices',
      [
        chunk({ content: 'a' }),
        chunk({}, 'stop'),
        'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n',
        DONE,
      ],
      { usage: { input: 3, output: 1 } },
    ],
    [
      'no counts',
      [chunk({ content: 'a' }), chunk({ content: 'b' }), chunk({}, 'stop'), DONE],
      { usage: { input: 4, output: 2, isEstimated: true } },
    ],
    [
      'reasoning by another name',
      [chunk({ reasoning: 'hm' }), chunk({ content: 'a' }, 'stop'), DONE],
      { text: 'a', reasoning: 'hm' },
    ],
    [
      'a pair of surrogates in two chunks',
      [
        'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n',
        'data: {"choices":[{"delta":{"content":"\\ude00"},"finish_reason":"stop"}]}\n\n',
      ],
      { text: '😀' },
    ],
    [
      'half of a pair',
      ['data: {"choices":[{"delta":{"content":"a\\ud83d"},"finish_reason":"stop"}]}\n\n', DONE],
      { text: 'a\ufffd' },
    ],
    [
      'a character cut in two',
      Array.from(Buffer.from(chunk({ content: '☕' })), (byte) => Uint8Array.of(byte)).concat([
        Buffer.from(chunk({}, 'stop')),
      ]),
      { text: '☕' },
    ],
    [
      'a refusal of the model',
      [chunk({ refusal: 'I will not.' }), chunk({}, 'stop'), DONE],
      { text: '', refusal: 'I will not.' },
    ],
    [
      'calls without an index',
      [
        chunk({ tool_calls: [{ id: 'a1', function: { name: 'f', arguments: '{"a":' } }] }),
        chunk({ tool_calls: [{ function: { arguments: '1}' } }] }),
        chunk({ tool_calls: [{ id: 'a2', function: { name: 'g', arguments: { b: 2 } } }] }),
        chunk({}, 'stop'),
      ],
      {
        text: '',
        finishReason: 'tool_calls',
        toolCalls: [
          { id: 'a1', name: 'f', arguments: '{"a":1}' },
          { id: 'a2', name: 'g', arguments: '{"b":2}' },
        ],
      },
    ],
    [
      'index 0 on each call',
      [
        chunk({ tool_calls: [{ index: 0, id: 'a1', function: { name: 'f', arguments: '{}' } }] }),
        chunk({ tool_calls: [{ index: 0, id: 'a2', function: { name: 'f', arguments: '{"b":2}' } }] }),
        chunk({}, 'stop'),
      ],
      {
        toolCalls: [
          { id: 'a1', name: 'f', arguments: '{}' },
          { id: 'a2', name: 'f', arguments: '{"b":2}' },
        ],
      },
    ],
    [
      'id and name in each piece of a call',
      [
        chunk({ tool_calls: [{ index: 0, id: 'a1', function: { name: 'f', arguments: '{"a"' } }] }),
        chunk({ tool_calls: [{ index: 0, id: 'a1', function: { name: 'f', arguments: ':1}' } }] }),
        chunk({}, 'tool_calls'),
      ],
      { toolCalls: [{ id: 'a1', name: 'f', arguments: '{"a":1}' }] },
    ],
    [
      'a call that the token limit cut',
      [
        chunk({ content: 'a', tool_calls: [{ index: 0, id: 'a1', function: { name: 'f', arguments: '{"a":' } }] }),
        chunk({}, 'length'),
      ],
      { text: 'a', finishReason: 'length' },
    ],
  ])('may have %s', async (_, pieces, expected) => {
    upstream.behave(raw(pieces));
    const { result, parts } = await stream(build());
    expect(result).toMatchObject(expected);
    expect(parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')).toBe(result.text);
  });

  test.each([
    ['says that it is complete', DONE],
    ['says why it ends', ''],
  ])('that %s need not be waited for', async (_, end) => {
    upstream.behave(raw([chunk({ content: 'a' }), chunk({}, 'stop'), end], { end: 'open' }));
    const { result } = await stream(build());
    expect(result.text).toBe('a');
    const call = await upstream.nextCall();
    await call.whenAborted;
  });

  test('leaves its connection for the next one', async () => {
    upstream.behave({ kind: 'answer', text: 'x' });
    const model = build();
    for (let calls = 0; calls < 5; calls += 1) await stream(model);
    expect(new Set(upstream.calls.map((call) => call.clientPort)).size).toBeLessThanOrEqual(2);
  });

  test.each([
    ['text/plain', [chunk({ content: 'a' }), chunk({}, 'stop'), DONE]],
    ['application/json', [': ok\n\n', chunk({ content: 'a' }, 'stop'), DONE]],
    ['text/event-stream', ['\n{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}']],
  ])('may be called %s by mistake', async (contentType, pieces) => {
    upstream.behave(raw(pieces, { contentType }));
    expect((await stream(build())).result).toMatchObject({ text: 'a', finishReason: 'stop' });
  });

  test('may come in one piece, with calls that have no ids', async () => {
    const calls = ['f', 'g'].map((name) => ({ type: 'function', function: { name, arguments: '{}' } }));
    const message = { role: 'assistant', content: null, tool_calls: calls };
    upstream.behave({ kind: 'status', status: 200, body: { choices: [{ message, finish_reason: 'tool_calls' }] } });
    const { result } = await stream(build());
    expect(result.toolCalls).toEqual([
      { id: expect.stringMatching(/^call_/), name: 'f', arguments: '{}' },
      { id: expect.stringMatching(/^call_/), name: 'g', arguments: '{}' },
    ]);
  });

  test('may come in one piece', async () => {
    upstream.behave({
      kind: 'status',
      status: 200,
      body: { choices: [{ message: { content: 'Whole.' }, finish_reason: 'stop' }] },
    });
    const { result, parts } = await stream(build());
    expect(result).toMatchObject({ text: 'Whole.', finishReason: 'stop' });
    expect(parts).toEqual([{ kind: 'text', text: 'Whole.' }]);
  });
});

const CALLS = Array.from({ length: 10_000 }, (_, index) => chunk({ tool_calls: [{ index, function: { name: 'f' } }] }));

describe('a stream that is none', () => {
  test.each<[string, FakeBehaviour, ModelErrorKind]>([
    ['ends in the middle', raw([chunk({ content: 'a' })]), 'cut_off'],
    ['breaks in the middle', raw([chunk({ content: 'a' })], { end: 'cut' }), 'cut_off'],
    ['breaks off within an event', raw([chunk({ content: 'a' }), 'data: {"choi'], { end: 'cut' }), 'cut_off'],
    ['has comments alone', raw([': x\n\n']), 'cut_off'],
    ['is no JSON', raw(['data: <html>\n\n', DONE]), 'invalid_answer'],
    ['fails in the middle', { kind: 'error-event', error: { code: 500 } }, 'cut_off'],
    ['fails at the beginning', raw(['data: {"error":{"message":"no","type":"server_error"}}\n\n']), 'server_error'],
    ['fails in an event of that name', raw(['event: error\ndata: {"message":"no"}\n\n']), 'server_error'],
    ['fails as llama.cpp did in 2024', raw(['error: {"code":500,"message":"no"}\n\n']), 'server_error'],
    ['wants fewer requests, by a number as text', raw(['data: {"error":{"code":"429"}}\n\n']), 'rate_limited'],
    [
      'fails as OpenRouter does',
      raw([
        'data: {"error":{"code":"server_error","message":"no"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}\n\n',
      ]),
      'server_error',
    ],
    ['fails within a choice', raw(['data: {"choices":[{"delta":{},"error":{"code":502}}]}\n\n']), 'server_error'],
    ['has no text', raw([chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), DONE]), 'empty_answer'],
    ['was filtered', raw([chunk({}, 'content_filter'), DONE]), 'content_blocked'],
    [
      'is compressed',
      raw([Buffer.from('H4sIAAAAAAAAA0tMTEwEAEXlmK0EAAAA', 'base64')], { headers: { 'content-encoding': 'gzip' } }),
      'cut_off',
    ],
    [
      'is a line without an end',
      raw(
        Array.from({ length: 40 }, () => 'x'.repeat(10_000)),
        { end: 'open' },
      ),
      'too_large',
    ],
    ['says too much', raw(Array.from({ length: 40 }, () => chunk({ content: 'x'.repeat(10_000) }))), 'too_large'],
    ['thinks too much', raw(Array.from({ length: 40 }, () => chunk({ reasoning: 'x'.repeat(10_000) }))), 'too_large'],
    [
      'says nothing for ever',
      raw(
        Array.from({ length: 200 }, () => `: ${'x'.repeat(49_000)}\n\n`),
        { end: 'open' },
      ),
      'too_large',
    ],
    ['calls for ever', raw(CALLS, { end: 'open' }), 'invalid_answer'],
    [
      'writes arguments for ever',
      raw(
        Array.from({ length: 40 }, () =>
          chunk({ tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(10_000) } }] }),
        ),
        { end: 'open' },
      ),
      'too_large',
    ],
  ])('%s', async (_, does, kind) => {
    upstream.behave(does);
    await expect(stream(build())).rejects.toMatchObject({ kind });
    expect(upstream.calls).toHaveLength(1);
  });

  test.each([
    ['ends', 'whole'],
    ['breaks', 'cut'],
  ] as const)('%s before its first byte is asked for in one piece, where the reason stands', async (_, end) => {
    const message =
      "This model's maximum context length is 2048 tokens, however you requested 24015 tokens (24015 in your prompt).";
    const error = { message, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' };
    upstream.queue(raw([], { end }), { kind: 'status', status: 400, body: { error } });
    await expect(stream(build())).rejects.toMatchObject({ kind: 'context_exceeded' });
    expect(upstream.calls.map((call) => call.isStream)).toEqual([true, false]);
  });

  test('before its first byte, twice, is cut off', async () => {
    upstream.behave(raw([]));
    await expect(stream(build())).rejects.toMatchObject({ kind: 'cut_off' });
    expect(upstream.calls).toHaveLength(2);
  });
});

describe('an answer in one piece', () => {
  const text = 'Either way.';

  test.each([
    ['auto', {}, false],
    ['auto', LLAMA, true],
    ['auto', { 'x-litellm-call-id': '1' }, true],
    ['never', LLAMA, false],
    ['always', {}, true],
  ] as const)('is asked for, with %s, of a server with %j: as a stream? %p', async (mode, headers, isStream) => {
    const model = build({ stream: mode });
    const body = JSON.stringify({ choices: [{ message: { content: text }, finish_reason: 'stop' }] });
    upstream.queue(raw([body], { headers, contentType: 'application/json' }));
    await model.generate(request(), signal);
    upstream.queue({ kind: 'answer', text });
    await expect(model.generate(request(), signal)).resolves.toMatchObject({ text });
    expect(upstream.calls[1]?.isStream).toBe(isStream);
  });

  test('is never asked for as a stream where that is not wanted', async () => {
    upstream.behave({ kind: 'answer', text });
    const { result, parts } = await stream(build({ stream: 'never' }));
    expect(result.text).toBe(text);
    expect(parts).toEqual([{ kind: 'text', text }]);
    expect(upstream.calls[0]?.isStream).toBe(false);
  });
});

describe('a server that says what it is by its list of models', () => {
  const LISTS: [string, string | undefined, boolean][] = [
    ['of llama.cpp', JSON.stringify({ data: [{ id: 'm', owned_by: 'llamacpp' }] }), true],
    [
      'of LiteLLM',
      JSON.stringify({
        data: [
          { id: 'm', created: 1_677_610_602 },
          { id: 'n', created: 1_677_610_602 },
        ],
      }),
      true,
    ],
    [
      'of OpenAI',
      JSON.stringify({
        data: [
          { id: 'm', created: 1_677_610_602 },
          { id: 'n', created: 1_700_000_000 },
        ],
      }),
      false,
    ],
    ['of none', JSON.stringify({ data: [] }), false],
    ['that is no list', '<html>', false],
    ['that never ends', undefined, false],
  ];
  test.each(LISTS)('%s is asked accordingly from the first request on', async (_, list, isStream) => {
    const asked: string[] = [];
    const baseUrl = await startRaw((socket, data) => {
      const head = data.toString();
      if (head.startsWith('POST')) {
        asked.push(head);
        socket.write(ANSWER);
      } else if (list !== undefined) {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${list.length}\r\n\r\n${list}`);
      }
    });
    const model = build({ baseUrl });
    await model.generate(request(), signal);
    await model.generate(request(), signal);
    expect(asked.map((text) => text.includes('"stream":true'))).toEqual([isStream, isStream]);
  });

  test('has that connection back before it is asked', async () => {
    const heads: string[] = [];
    const baseUrl = await startRaw((socket, data) => {
      heads.push(data.toString());
      socket.write(ANSWER);
    });
    await build({ baseUrl }).generate(request(), signal);
    expect(heads[0]).toMatch(/^GET \/v1\/models HTTP.*\r\nconnection: close\r\n/s);
    expect(heads[1]).toMatch(/^POST .*\r\nconnection: keep-alive\r\n/s);
  });

  test('and a caller who leaves before it has is let go at once', async () => {
    const leaving = new AbortController();
    const baseUrl = await startRaw(() => leaving.abort());
    await expect(build({ baseUrl }).generate(request(), leaving.signal)).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

/** A server of raw bytes; what it does with the data of a connection is given. */
async function startRaw(onData: (socket: Socket, data: Buffer, before: number) => void): Promise<string> {
  const server = createServer((socket) => {
    let before = 0;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      onData(socket, data, before);
      before += 1;
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
}

/** An answer is complete a moment before its connection is free. */
const connectionIsFree = () => setTimeout(20);

const BODY = JSON.stringify({ choices: [{ message: { content: 'Here.' }, finish_reason: 'stop' }] });
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

describe('a connection', () => {
  test('that the server closes while it is used again is replaced, once, and counted', async () => {
    const repeats: string[] = [];
    const baseUrl = await startRaw((socket, _, before) => {
      if (before === 0) socket.write(ANSWER);
      else socket.resetAndDestroy();
    });
    const model = build({ baseUrl, stream: 'never', onRepeat: (reason) => repeats.push(reason) });
    await model.generate(request(), signal);
    await connectionIsFree();
    await expect(model.generate(request(), signal)).resolves.toMatchObject({ text: 'Here.' });
    expect(repeats).toEqual(['stale_connection']);
  });

  test('that is reset in its first request is cut off', async () => {
    let calls = 0;
    const baseUrl = await startRaw((socket) => {
      calls += 1;
      socket.resetAndDestroy();
    });
    await expect(build({ baseUrl, stream: 'never' }).generate(request(), signal)).rejects.toMatchObject({
      kind: 'cut_off',
    });
    expect(calls).toBe(1);
  });

  test('that is reset after a byte of a response is cut off', async () => {
    let calls = 0;
    const baseUrl = await startRaw((socket, _, before) => {
      calls += 1;
      if (before === 0) socket.write(ANSWER);
      else socket.write('HTTP/1.1 200 OK\r\n', () => setImmediate(() => socket.resetAndDestroy()));
    });
    const model = build({ baseUrl, stream: 'never' });
    await model.generate(request(), signal);
    await connectionIsFree();
    await expect(model.generate(request(), signal)).rejects.toMatchObject({ kind: 'cut_off' });
    expect(calls).toBe(2);
  });

  test.each([
    ['headers without an end', (n: number) => `x-header-${n}: ${'y'.repeat(100)}\r\n`],
    ['interim responses without an end', () => 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'],
  ])('with %s is ended', async (_, piece) => {
    const closed: Promise<unknown>[] = [];
    const baseUrl = await startRaw((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      if (piece(0).startsWith('x')) socket.write('HTTP/1.1 200 OK\r\n');
      let sent = 0;
      const more = () => {
        while (!socket.destroyed && socket.write(piece(sent++)));
      };
      socket.on('drain', more);
      more();
    });
    await expect(build({ baseUrl, stream: 'never' }).generate(request(), signal)).rejects.toMatchObject({
      kind: 'invalid_answer',
    });
    await Promise.all(closed);
  });
});
