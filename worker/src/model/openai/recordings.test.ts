import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import type { MachineTime } from '@lontar/shared/machine-time.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { cutAnywhere } from '../../../testing/cut-anywhere.ts';
import { AnswerGatherer } from '../answer-gatherer.ts';
import { ModelError, type ModelPart, type ModelRequest, type ModelResult } from '../language-model.ts';
import { toModelError } from '../to-model-error.ts';
import { adaptationFor } from './adaptations.ts';
import { ResponseReader } from './response-reader.ts';

const FOLDER = new URL('../../../testing/upstream-recordings/', import.meta.url);
const CHAT: ChatRequest = { messages: [{ role: 'user', content: 'Hello' }] };

const recorded = (name: string) => readFileSync(new URL(name, FOLDER));

interface Read {
  readonly result: ModelResult;
  readonly parts: readonly ModelPart[];
}

/** What the port makes of bytes that come in the pieces that `cut` makes of them. */
function read(name: string, status = 200, cut: (bytes: Buffer) => Buffer[] = (bytes) => [bytes], chat = CHAT): Read {
  const parts: ModelPart[] = [];
  const gatherer = new AnswerGatherer(chat, 1_000_000, (part) => parts.push(part));
  const reader = new ResponseReader(gatherer, 1_000_000, () => undefined);
  const contentType = name.endsWith('.sse') ? 'text/event-stream' : 'application/json';
  reader.begin(status, { 'content-type': contentType });
  for (const piece of cut(recorded(name))) if (reader.read(piece) === 'complete') break;
  return { result: reader.end(), parts };
}

function joined(parts: readonly ModelPart[], kind: 'text' | 'reasoning'): string {
  return parts.map((part) => (part.kind === kind ? part.text : '')).join('');
}

/** The text of a stream by another way: all of it split at once. */
function plainText(name: string): string {
  const events = recorded(name).toString('utf8').split('\n\n');
  const chunks = events
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as { choices: { index: number; delta: { content?: string | null } }[] });
  return chunks
    .flatMap(({ choices }) => choices.filter(({ index }) => index === 0).map(({ delta }) => delta.content ?? ''))
    .join('');
}

const STREAMS: readonly (readonly [string, Partial<ModelResult>])[] = [
  ['llama.cpp/chat.sse', { finishReason: 'stop' }],
  ['llama.cpp/content-parts.sse', { finishReason: 'length' }],
  ['llama.cpp/developer-role.sse', { finishReason: 'length' }],
  ['llama.cpp/include-usage.sse', { finishReason: 'stop', usage: { input: 20, output: 7, cachedInput: 19 } }],
  ['llama.cpp/json-object.sse', { finishReason: 'stop' }],
  ['llama.cpp/json-schema.sse', { finishReason: 'stop' }],
  ['llama.cpp/max-completion-tokens-5.sse', { finishReason: 'length' }],
  ['llama.cpp/max-tokens-5.sse', { finishReason: 'length' }],
  ['llama.cpp/max-tokens-over-context.sse', { finishReason: 'stop' }],
  ['llama.cpp/stop.sse', { finishReason: 'stop', usage: { input: 20, output: 4, cachedInput: 19 } }],
  ['llama.cpp/temperature-9.sse', { finishReason: 'length' }],
  ['llama.cpp/tools-auto.sse', { finishReason: 'stop' }],
  // A tool was to be called: what came is passed on.
  ['llama.cpp/tools-required.sse', { finishReason: 'length' }],
  ['llama.cpp/unknown-model.sse', { finishReason: 'length' }],
  ['llama.cpp/logprobs-n2.sse', { finishReason: 'length' }],
  ['vllm/chat.sse', { finishReason: 'stop' }],
  ['vllm/content-parts.sse', { finishReason: 'length' }],
  ['vllm/developer-role.sse', { finishReason: 'length' }],
  ['vllm/include-usage.sse', { finishReason: 'length', usage: { input: 23, output: 12 } }],
  ['vllm/json-object.sse', { finishReason: 'length' }],
  ['vllm/json-schema.sse', { finishReason: 'stop' }],
  ['vllm/logprobs-n2.sse', { finishReason: 'length' }],
  ['vllm/max-completion-tokens-5.sse', { finishReason: 'length' }],
  ['vllm/max-tokens-5.sse', { finishReason: 'length' }],
  ['vllm/stop.sse', { finishReason: 'stop', usage: { input: 23, output: 2 } }],
  ['vllm/tools-auto.sse', { finishReason: 'length' }],
];

describe('a stream', () => {
  test.each(STREAMS)('%s', (name, expected) => {
    const { result, parts } = read(name);
    expect(result).toMatchObject(expected);
    expect(result.text).toBe(plainText(name));
    expect(result.text).not.toBe('');
    expect(joined(parts, 'text')).toBe(result.text);
    expect(result.usage.isEstimated).toBe(expected.usage === undefined ? true : undefined);
  });

  test.each(STREAMS)('%s, cut anywhere', (name) => {
    const random = seededRandom(name.length);
    const whole = read(name);
    for (let round = 0; round < 20; round += 1) {
      expect(read(name, 200, cutAnywhere(random))).toEqual(whole);
    }
  });

  test('with a tool call in pieces gives it whole, by its id', () => {
    const { result, parts } = read('vllm/tools-required.sse');
    expect(result.finishReason).toBe('tool_calls');
    expect(result.toolCalls).toEqual([
      { id: 'chatcmpl-tool-852c6c8c1321db9c', name: 'weather', arguments: expect.stringMatching(/^" but.*"$/) },
    ]);
    expect(parts).toEqual([{ kind: 'call', call: result.toolCalls?.[0] }]);
  });
});

describe('an answer in one piece', () => {
  test.each([
    ['llama.cpp/chat-unary.body', { finishReason: 'stop', usage: { input: 20, output: 10, cachedInput: 19 } }],
    [
      'llama.cpp/max-tokens-8192-unary.body',
      { finishReason: 'stop', usage: { input: 20, output: 9, cachedInput: 19 } },
    ],
    ['llama.cpp/tools-named-unary.body', { finishReason: 'stop', usage: { input: 521, output: 9, cachedInput: 520 } }],
    ['vllm/chat-unary.body', { finishReason: 'stop', text: 'mostassistant', usage: { input: 23, output: 3 } }],
  ] as const)('%s', (name, expected) => {
    const { result, parts } = read(name);
    expect(result).toMatchObject(expected);
    expect(parts).toEqual([{ kind: 'text', text: result.text }]);
  });

  test('that ends by `stop` with a tool call ends by tool_calls', () => {
    const { result } = read('vllm/tools-named-unary.body');
    expect(result).toMatchObject({ text: '', finishReason: 'tool_calls', usage: { input: 495, output: 114 } });
    expect(result.toolCalls).toEqual([
      { id: 'chatcmpl-tool-9940302ed187b82a', name: 'weather', arguments: expect.stringMatching(/^".*user"$/) },
    ]);
  });
});

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  requestId: 'req_test',
  model: 'chatty',
  chat: { ...CHAT, temperature: 0.7 },
  maxOutputTokens: 8_192,
  ...more,
});

function thrownBy(name: string, status: number): unknown {
  try {
    read(name, status);
  } catch (error) {
    return error;
  }
  throw new Error('It was read as an answer.');
}

describe('a refusal', () => {
  test.each([
    ['llama.cpp/context-too-long.body', 400, 'context_exceeded'],
    ['llama.cpp/context-too-long-unary.body', 400, 'context_exceeded'],
    ['vllm/context-too-long.body', 400, 'context_exceeded'],
    ['vllm/context-too-long-unary.body', 400, 'context_exceeded'],
    ['vllm/max-tokens-8192-unary.body', 400, 'request_refused'],
    ['vllm/max-tokens-over-context.body', 400, 'request_refused'],
    ['vllm/temperature-9.body', 400, 'request_refused'],
    ['vllm/unknown-model.body', 404, 'refused'],
    ['vllm/no-such-path.body', 404, 'refused'],
    ['llama.cpp/no-such-path.body', 404, 'refused'],
    ['vllm/messages-not-a-list.body', 400, 'refused'],
    ['llama.cpp/messages-not-a-list.body', 400, 'refused'],
  ])('%s is %d %s', (name, status, kind) => {
    const error = toModelError(thrownBy(name, status), { ended: undefined, request: request() }, 0 as MachineTime);
    expect(error).toBeInstanceOf(ModelError);
    expect(error.kind).toBe(kind);
  });

  test.each([
    ['vllm/max-tokens-8192-unary.body', 'no_limit'],
    ['vllm/context-too-long.body', 'no_limit'],
    ['vllm/temperature-9.body', undefined],
    ['vllm/unknown-model.body', undefined],
  ])('%s of a limit that is our own is answered by %s', (name, adaptation) => {
    const form = { isStream: false, limit: 'both', asksUsage: true } as const;
    expect(adaptationFor(thrownBy(name, 400), request({ isDefaultOutput: true }), form)).toBe(adaptation);
    const chosen = adaptationFor(thrownBy(name, 400), request(), form);
    expect(chosen).toBeUndefined();
  });
});
