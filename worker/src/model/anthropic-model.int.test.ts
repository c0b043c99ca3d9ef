import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import {
  answerWith,
  eventsOf,
  type MessagesUpstream,
  refuseWith,
  startMessagesUpstream,
} from '../../testing/messages-upstream.ts';
import { anthropicModel } from './anthropic-model.ts';
import type { LanguageModel, ModelPart, ModelRequest } from './language-model.ts';
import type { ToldFailure } from './upstream-limits.ts';

const KEY = ['sk', 'ant', 'test0123456789'].join('-');

let upstream: MessagesUpstream;
let model: LanguageModel;
let repeats: string[] = [];
let told: ToldFailure[] = [];

beforeAll(async () => {
  upstream = await startMessagesUpstream();
  model = open();
});
afterEach(() => {
  (upstream.calls as unknown[]).length = 0;
  repeats = [];
  told = [];
});
afterAll(async () => {
  await model.close();
  await upstream.stop();
});

function open(more: { timeoutMs?: number; maxAnswerBytes?: number } = {}): LanguageModel {
  return anthropicModel({
    ...{ apiKey: KEY, baseUrl: upstream.url, timeoutMs: 30_000, connectTimeoutMs: 5_000, maxAnswerBytes: 100_000 },
    ...more,
    redact: (words) => words,
    onFailure: (failure) => told.push(failure),
    onRepeat: (reason) => repeats.push(reason),
  });
}

const request = (chat: Partial<ChatRequest> = {}, more: Partial<ModelRequest> = {}): ModelRequest => ({
  requestId: 'req_test',
  model: 'claude-haiku',
  chat: { messages: [{ role: 'user', content: 'Hi' }], ...chat },
  maxOutputTokens: 4_096,
  ...more,
});
const signal = new AbortController().signal;
const ask = (chat: Partial<ChatRequest> = {}, more: Partial<ModelRequest> = {}) =>
  model.generate(request(chat, more), signal);

async function stream(asked = request()) {
  const parts: ModelPart[] = [];
  const result = await model.generate(asked, signal, (part) => parts.push(part));
  return { parts, result };
}

describe('the request', () => {
  test('holds key, version, persona, prompt, temperature and token limit', async () => {
    const messages = [
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'What is a lontar?' },
    ] as const;
    await ask({ messages: [...messages], temperature: 1.4 });
    const [call] = upstream.calls;
    expect(call?.path).toBe('/v1/messages');
    expect(call?.headers).toMatchObject({
      'x-api-key': KEY,
      'anthropic-version': '2023-06-01',
      'accept-encoding': 'identity',
    });
    expect(call?.headers.authorization).toBeUndefined();
    expect(call?.body).toEqual({
      model: 'claude-haiku',
      max_tokens: 4_096,
      system: 'You are a test.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is a lontar?' }] }],
      temperature: 1,
    });
  });

  test('puts instructions together, turns in order, and tools with their answers', async () => {
    const call = (id: string) => ({ id, name: 'look', arguments: '{"at":"x"}' });
    await ask({
      messages: [
        { role: 'system', content: 'One.' },
        { role: 'user', content: 'a' },
        { role: 'system', content: 'Two.' },
        { role: 'assistant', content: '', toolCalls: [call('call.1'), call('call_2')] },
        { role: 'tool', toolCallId: 'call.1', content: 'seen' },
        { role: 'tool', toolCallId: 'call_2', content: '' },
        { role: 'user', content: '' },
        { role: 'user', content: [{ type: 'text', text: 'and?' }] },
        { role: 'assistant', content: 'It is ' },
      ],
      tools: [
        { name: 'look', description: 'Looks.', parameters: { properties: { at: { type: 'string' } } } },
        { name: 'go' },
      ],
      toolChoice: 'required',
      parallelToolCalls: false,
      stop: ['\n\n', 'END'],
      user: 'u1',
      topP: 0.5,
      seed: 3,
      presencePenalty: 1,
    });
    expect(upstream.calls[0]?.body).toEqual({
      model: 'claude-haiku',
      max_tokens: 4_096,
      system: 'One.\n\nTwo.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'x' } },
            { type: 'tool_use', id: 'call_2', name: 'look', input: { at: 'x' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'seen' },
            { type: 'tool_result', tool_use_id: 'call_2', content: '' },
            { type: 'text', text: 'and?' },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'It is' }] },
      ],
      tools: [
        {
          name: 'look',
          description: 'Looks.',
          input_schema: { type: 'object', properties: { at: { type: 'string' } } },
        },
        { name: 'go', input_schema: { type: 'object' } },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      stop_sequences: ['END'],
      metadata: { user_id: 'u1' },
      top_p: 0.5,
    });
  });

  test('holds images, inline and by address, and refuses other schemes before anything is asked', async () => {
    const image = (url: string) => ({
      messages: [{ role: 'user' as const, content: [{ type: 'image' as const, url }] }],
    });
    await ask(image('data:image/PNG;base64,AAAA'));
    await ask(image('https://pictures.example/a.jpg'));
    expect(upstream.calls.map(({ body }) => (body['messages'] as { content: unknown }[])[0]?.content)).toEqual([
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
      [{ type: 'image', source: { type: 'url', url: 'https://pictures.example/a.jpg' } }],
    ]);
    await expect(ask(image('file:///etc/passwd'))).rejects.toMatchObject({ kind: 'request_refused' });
    await expect(ask({ tools: [{ name: 'a' }], toolChoice: { name: 'b' } })).rejects.toMatchObject({
      kind: 'request_refused',
    });
    expect(upstream.calls).toHaveLength(2);
  });

  test('asks for instructions alone, for JSON in words, and for thoughts within the limit', async () => {
    await ask({
      messages: [{ role: 'system', content: 'Say hello.' }],
      responseFormat: { type: 'json_schema', name: 'n', schema: { type: 'object', title: 'S' } },
      reasoningEffort: 'medium',
      temperature: 0.2,
    });
    const { system, messages, thinking, temperature } = upstream.calls[0]?.body ?? {};
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }]);
    expect(system).toMatch(/one JSON object.*\n\{"type":"object","title":"S"\}$/s);
    expect([thinking, temperature]).toEqual([{ type: 'enabled', budget_tokens: 2_048 }, undefined]);
  });
});

describe('the answer', () => {
  test('in one piece: text, thoughts, calls, counts with what was cached, and its end', async () => {
    upstream.queue(
      answerWith(
        [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'text', text: 'Look' },
          { type: 'text', text: ' here.' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } },
          { type: 'redacted_thinking', data: 'x' },
        ],
        { stop_reason: 'tool_use' },
      ),
    );
    expect(await ask()).toEqual({
      text: 'Look here.',
      reasoning: 'Hm.',
      toolCalls: [{ id: 'toolu_1', name: 'look', arguments: '{"at":1}' }],
      usage: { input: 127, output: 5, cachedInput: 100 },
      finishReason: 'tool_calls',
    });
  });

  test('as events: parts as they come, calls whole, and counts of both ends', async () => {
    const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
    const delta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
    upstream.queue(
      eventsOf([
        {
          type: 'message_start',
          message: { usage: { input_tokens: 9, cache_read_input_tokens: 1, output_tokens: 1 } },
        },
        block(0, { type: 'thinking', thinking: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'Well' }),
        delta(0, { type: 'signature_delta', signature: 's' }),
        { type: 'content_block_stop', index: 0 },
        block(1, { type: 'text', text: '' }),
        { type: 'ping' },
        delta(1, { type: 'text_delta', text: 'Palm ' }),
        delta(1, { type: 'text_delta', text: 'leaves' }),
        { type: 'a_later_kind', x: 1 },
        block(2, { type: 'tool_use', id: 'toolu_9', name: 'look', input: {} }),
        delta(2, { type: 'input_json_delta', partial_json: '' }),
        delta(2, { type: 'input_json_delta', partial_json: '{"at":' }),
        delta(2, { type: 'input_json_delta', partial_json: '"sea"}' }),
        block(3, { type: 'tool_use', id: 'toolu_10', name: 'rest', input: {} }),
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 40 } },
        { type: 'message_stop' },
      ]),
    );
    const { parts, result } = await stream();
    expect(upstream.calls[0]?.body['stream']).toBe(true);
    expect(parts).toEqual([
      { kind: 'reasoning', text: 'Well' },
      { kind: 'text', text: 'Palm ' },
      { kind: 'text', text: 'leaves' },
      { kind: 'call', call: { id: 'toolu_9', name: 'look', arguments: '{"at":"sea"}' } },
      { kind: 'call', call: { id: 'toolu_10', name: 'rest', arguments: '{}' } },
    ]);
    expect(result).toMatchObject({
      text: 'Palm leaves',
      usage: { input: 10, output: 40, cachedInput: 1 },
      finishReason: 'tool_calls',
    });
  });

  test.each([
    ['max_tokens', { finishReason: 'length' }],
    ['model_context_window_exceeded', { finishReason: 'length' }],
    ['stop_sequence', { finishReason: 'stop' }],
    ['refusal', { finishReason: 'content_filter' }],
    ['a_later_reason', { finishReason: 'other' }],
  ])('that ends with %s', async (stop_reason, expected) => {
    upstream.queue(answerWith([{ type: 'text', text: 'So' }], { stop_reason }));
    expect(await ask()).toMatchObject(expected);
  });

  test.each<[string, Parameters<typeof upstream.queue>[0], object]>([
    ['a refusal without a word', answerWith([], { stop_reason: 'refusal' }), { kind: 'content_blocked' }],
    ['nothing', answerWith([]), { kind: 'empty_answer' }],
    ['no JSON', (response) => response.end('<html>'), { kind: 'invalid_answer' }],
    ['a list', (response) => response.end('{"data":[]}'), { kind: 'invalid_answer' }],
    ['a failure dressed as an answer', refuseWith(200, 'overloaded_error', 'Overloaded'), { kind: 'server_error' }],
    ['more than may be', answerWith([{ type: 'text', text: 'x'.repeat(200_000) }]), { kind: 'too_large' }],
    [
      'another address',
      (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
      { kind: 'refused' },
    ],
    [
      'too busy',
      refuseWith(529, 'overloaded_error', 'Overloaded', { 'retry-after': '3' }),
      { kind: 'server_error', retryAfterMs: 3_000 },
    ],
    [
      'too often',
      refuseWith(429, 'rate_limit_error', 'Slow down', { 'retry-after': '7' }),
      { kind: 'rate_limited', retryAfterMs: 7_000 },
    ],
    ['another key', refuseWith(401, 'authentication_error', 'invalid x-api-key'), { kind: 'unauthorized' }],
    [
      'another model',
      refuseWith(404, 'not_found_error', 'model: claude-none'),
      { kind: 'refused', isUnknownModel: true },
    ],
    [
      'too long a prompt',
      refuseWith(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      { kind: 'context_exceeded' },
    ],
  ])('is an error: %s', async (_, reply, expected) => {
    upstream.queue(reply);
    await expect(ask()).rejects.toMatchObject({ name: 'ModelError', ...expected });
    expect(JSON.stringify(told)).not.toContain(KEY);
  });

  const begun = [
    { type: 'message_start', message: { usage: { input_tokens: 9 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Be' } },
  ];
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  test.each<[string, Parameters<typeof upstream.queue>[0], object]>([
    ['fails before a word', eventsOf([overloaded]), { kind: 'server_error' }],
    ['fails after a word', eventsOf([...begun, overloaded]), { kind: 'cut_off' }],
    ['ends without an end', eventsOf(begun), { kind: 'cut_off' }],
    ['breaks', eventsOf(begun, 'cut'), { kind: 'cut_off' }],
    ['is empty', eventsOf([]), { kind: 'cut_off' }],
  ])('as events that %s', async (_, reply, expected) => {
    upstream.queue(reply);
    await expect(stream()).rejects.toMatchObject(expected);
  });
});

describe('what a model refuses of ours', () => {
  const tooMany = refuseWith(
    400,
    'invalid_request_error',
    'max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-old',
  );

  test('our own limit is lowered and remembered; a caller hears of its own', async () => {
    upstream.queue(tooMany);
    const own = { model: 'claude-old', maxOutputTokens: 8_192, isDefaultOutput: true };
    await ask({}, own);
    await ask({}, own);
    expect(upstream.calls.map(({ body }) => body['max_tokens'])).toEqual([8_192, 4_096, 4_096]);
    expect(repeats).toEqual(['lower_limit']);
    upstream.queue(tooMany);
    await expect(ask({}, { ...own, isDefaultOutput: false })).rejects.toMatchObject({ kind: 'request_refused' });
  });

  test('temperature and thinking are left out, temperature from then on', async () => {
    upstream.queue(
      refuseWith(400, 'invalid_request_error', 'thinking.type.enabled is not supported for this model'),
      refuseWith(400, 'invalid_request_error', '`temperature` is deprecated for this model.'),
    );
    const own = { model: 'claude-new' };
    expect(await ask({ temperature: 0.7, reasoningEffort: 'high' }, own)).toMatchObject({ text: 'Hello.' });
    await ask({ temperature: 0.7 }, own);
    expect(repeats).toEqual(['no_thinking', 'no_sampling']);
    expect(upstream.calls.map(({ body }) => [body['thinking'] !== undefined, body['temperature']])).toEqual([
      [true, undefined],
      [false, 0.7],
      [false, undefined],
      [false, undefined],
    ]);
  });
});

test('an abort reaches the upstream, before and within a stream', async () => {
  for (const reply of [() => undefined, eventsOf([], 'open')]) {
    upstream.queue(reply);
    const leaving = new AbortController();
    const asked = model.generate(request(), leaving.signal, () => undefined);
    const before = upstream.calls.length;
    while (upstream.calls.length === before) await new Promise(setImmediate);
    leaving.abort('cancelled');
    await expect(asked).rejects.toMatchObject({ kind: 'cancelled' });
    await upstream.calls.at(-1)?.left;
  }
});

test('an upstream that says nothing is given up in time', async () => {
  const impatient = open({ timeoutMs: 50 });
  upstream.queue(() => undefined);
  await expect(impatient.generate(request(), signal)).rejects.toMatchObject({ kind: 'timed_out' });
  await impatient.close();
});
