import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text as bodyOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { anthropicModel } from './anthropic-model.ts';
import { geminiModel } from './gemini-model.ts';
import type { LanguageModel, ModelPart, ModelRequest, ModelResult } from './language-model.ts';
import { openAiModel } from './openai-model.ts';

const CAP = 1_000_000;
const MEGABYTE = 1024 * 1024;
/** What the connection itself takes while the other end is being told, both ends of it: the system's buffers. */
const MOST_SENT = 24 * MEGABYTE;
const MILLION = 1_000_000;

const models: LanguageModel[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.close()));
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

type Provider = 'openai' | 'anthropic' | 'gemini';
type Form = 'json' | 'events';

/** How each provider says things, in one piece (`json`) and as events. */
interface Dialect {
  readonly whole: (text: string) => string;
  readonly text: (text: string) => string;
  /** The beginning of an answer in one piece that is all tool calls, and one call. */
  readonly calls: string;
  readonly call: string;
  /** An event that is a tool call of its own. */
  readonly callEvent: (index: number) => string;
  readonly end: string;
}

const event = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
const choice = (delta: object, finish: string | null = null) =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });
const candidate = (part: object, finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts: [part] }, ...(finishReason && { finishReason }) }],
});
const block = (content: object) => ({ type: 'message', content: [content], stop_reason: 'end_turn' });

const DIALECTS: Readonly<Record<Provider, Dialect>> = {
  openai: {
    whole: (text) => JSON.stringify({ choices: [{ message: { content: text }, finish_reason: 'stop' }] }),
    text: (text) => choice({ content: text }),
    calls: '{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[',
    call: '{"function":{"name":"f"}}',
    callEvent: (index) => choice({ tool_calls: [{ index, function: { name: 'f' } }] }),
    end: choice({}, 'stop'),
  },
  anthropic: {
    whole: (text) => JSON.stringify(block({ type: 'text', text })),
    text: (text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    calls: '{"type":"message","content":[',
    call: '{"type":"tool_use"}',
    callEvent: (index) => event({ type: 'content_block_start', index, content_block: { type: 'tool_use', name: 'f' } }),
    end: event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }) + event({ type: 'message_stop' }),
  },
  gemini: {
    whole: (text) => JSON.stringify(candidate({ text }, 'STOP')),
    text: (text) => event(candidate({ text })),
    calls: '{"candidates":[{"content":{"parts":[',
    call: '{"functionCall":{"name":"f","args":{}}}',
    callEvent: () => event(candidate({ functionCall: { name: 'f', args: {} } })),
    end: event(candidate({ text: '' }, 'STOP')),
  },
};

interface Upstream {
  readonly model: LanguageModel;
  /** Bytes that it has got rid of. */
  readonly sent: () => number;
  /** Resolves once the other end has closed the connection of an answer that was not whole. */
  readonly whenCut: Promise<void>;
}

/** A server that answers each request in its own way, and a model of it. */
async function upstreamOf(
  provider: Provider,
  answer: (response: ServerResponse, prompt: string) => void,
): Promise<Upstream> {
  let sent = () => 0;
  const cut = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const { socket } = request;
    sent = () => socket.bytesWritten - socket.writableLength;
    response.once('close', () => response.writableFinished || cut.resolve());
    // Rejects where the other end leaves while it sends.
    bodyOf(request).then(
      (body) => answer(response, body),
      () => undefined,
    );
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const limits = { apiKey: 'k', timeoutMs: 60_000, connectTimeoutMs: 30_000, maxAnswerBytes: CAP };
  const opened = {
    openai: () => openAiModel({ ...limits, baseUrl: `${origin}/v1`, stream: 'never' }),
    anthropic: () => anthropicModel({ ...limits, baseUrl: `${origin}/v1` }),
    gemini: () => geminiModel({ ...limits, baseUrl: `${origin}/v1beta` }),
  };
  const model = opened[provider]();
  models.push(model);
  return { model, sent: () => sent(), whenCut: cut.promise };
}

const begin = (response: ServerResponse, form: Form) =>
  response.writeHead(200, { 'content-type': form === 'json' ? 'application/json' : 'text/event-stream' });

/** Answers with pieces, as fast as they are taken. */
function pour(response: ServerResponse, form: Form, pieces: Iterable<string | Uint8Array>): void {
  begin(response, form);
  pipeline(Readable.from(pieces, { objectMode: true }), response).catch(() => undefined);
}

function* repeat(count: number, piece: (at: number) => string): Generator<string> {
  for (let at = 0; at < count; at++) yield piece(at);
}

function ask(
  { model }: Upstream,
  form: Form,
  more: Partial<ModelRequest> = {},
  signal = new AbortController().signal,
): Promise<{ result: ModelResult; parts: ModelPart[] }> {
  const parts: ModelPart[] = [];
  const chat = { messages: [{ role: 'user' as const, content: 'Hello.' }] };
  const request: ModelRequest = { requestId: 'req_test', model: 'm', chat, maxOutputTokens: 9_000, ...more };
  // As events it is asked where parts are wanted as they come.
  const onPart = form === 'events' ? (part: ModelPart) => void parts.push(part) : undefined;
  return model.generate(request, signal, onPart).then((result) => ({ result, parts }));
}

const FORMS: readonly (readonly [Provider, Form])[] = [
  ['openai', 'json'],
  ['openai', 'events'],
  ['anthropic', 'json'],
  ['anthropic', 'events'],
  ['gemini', 'json'],
  ['gemini', 'events'],
];

const TOTAL_MS = 1_500;
const deadlines = { connectMs: 2_000, firstTokenMs: TOTAL_MS, idleMs: TOTAL_MS, totalMs: TOTAL_MS };

/** What becomes of it with each of them, all at once. */
async function ofAll<Seen>(see: (provider: Provider, form: Form) => Promise<Seen>): Promise<Record<string, Seen>> {
  const seen = FORMS.map(async ([provider, form]) => [`${provider} ${form}`, await see(provider, form)] as const);
  return Object.fromEntries(await Promise.all(seen));
}

const asEach = <Seen>(expected: Seen): Record<string, Seen> =>
  Object.fromEntries(FORMS.map(([provider, form]) => [`${provider} ${form}`, expected]));

function wholeOf(provider: Provider, form: Form, text: string): string {
  const dialect = DIALECTS[provider];
  return form === 'json' ? dialect.whole(text) : dialect.text(text) + dialect.end;
}

const kindOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'answered',
    ({ kind }: { kind: string }) => kind,
  );

describe('an upstream that says', () => {
  test('1 byte a second is ended by the deadline of all of it, and delays no other call', async () => {
    const seen = await ofAll(async (provider, form) => {
      const bytes = Buffer.from(wholeOf(provider, form, 'A long answer.'.repeat(10)));
      const upstream = await upstreamOf(provider, (response, body) => {
        begin(response, form);
        if (body.includes('quick')) return void response.end(wholeOf(provider, form, 'Quick.'));
        let at = 0;
        const timer = setInterval(() => response.write(bytes.subarray(at, ++at)), 1_000);
        response.once('close', () => clearInterval(timer));
      });
      const patient = new AbortController();
      const open = kindOf(ask(upstream, form, {}, patient.signal));
      const slow = kindOf(ask(upstream, form, { deadlines }));
      const quick = { chat: { messages: [{ role: 'user' as const, content: 'quick' }] } };
      const others: unknown[] = [];
      for (let calls = 0; calls < 3; calls++) {
        others.push(await Promise.race([open, ask(upstream, form, quick).then(({ result }) => result.text)]));
      }
      const kind = await slow;
      await upstream.whenCut;
      patient.abort();
      return [...others, kind, await open];
    });
    expect(seen).toEqual(asEach(['Quick.', 'Quick.', 'Quick.', 'timed_out', 'cancelled']));
  });

  test('a token a second, for ever, is ended by the deadline of all of it', async () => {
    const upstream = await upstreamOf('openai', (response) => {
      begin(response, 'events').write(DIALECTS.openai.text('a'));
      const timer = setInterval(() => response.write(DIALECTS.openai.text('a')), 1_000);
      response.once('close', () => clearInterval(timer));
    });
    const short = { connectMs: 2_000, firstTokenMs: 2_000, idleMs: 2_000, totalMs: 2_500 };
    expect(await kindOf(ask(upstream, 'events', { deadlines: short }))).toBe('timed_out');
    await upstream.whenCut;
  });

  test('1 GB without a newline is cut where an answer ends at the latest', async () => {
    const seen = await ofAll(async (provider, form) => {
      const gigabyte = repeat(16_384, () => 'x'.repeat(65_536));
      const upstream = await upstreamOf(provider, (response) => pour(response, form, gigabyte));
      const kind = await kindOf(ask(upstream, form));
      await upstream.whenCut;
      return [kind, upstream.sent() < MOST_SENT];
    });
    expect(seen).toEqual(asEach(['too_large', true]));
  });

  test('1 million tool calls is cut after a few hundred of them, or where an answer ends at the latest', async () => {
    const seen = await ofAll(async (provider, form) => {
      const { calls, call, callEvent } = DIALECTS[provider];
      const json = [calls, ...repeat(1_000, () => `${call},`.repeat(1_000))];
      const pieces = form === 'json' ? json : repeat(MILLION, callEvent);
      const upstream = await upstreamOf(provider, (response) => pour(response, form, pieces));
      const kind = await kindOf(ask(upstream, form));
      await upstream.whenCut;
      return [kind, upstream.sent() < MOST_SENT];
    });
    const asJson = ['too_large', true];
    const asEvents = ['invalid_answer', true];
    expect(seen).toEqual({
      ...{ 'openai json': asJson, 'anthropic json': asJson, 'gemini json': asJson },
      ...{ 'openai events': asEvents, 'anthropic events': asEvents, 'gemini events': asEvents },
    });
  });

  test('invalid UTF-8 costs no other character of its answer', async () => {
    const seen = await ofAll(async (provider, form) => {
      const [head = '', tail = ''] = wholeOf(provider, form, 'Kopi ☕ <HERE> 東京').split('<HERE>');
      const bad = [Buffer.of(0xff, 0xc3), Buffer.from('|'), Buffer.of(0xed, 0xa0, 0x80)];
      const bytes = Buffer.concat([Buffer.from(head), ...bad, Buffer.from(tail)]);
      const upstream = await upstreamOf(provider, (response) => void begin(response, form).end(bytes));
      const { result, parts } = await ask(upstream, form);
      return [result.text, parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') || result.text];
    });
    const text = 'Kopi ☕ \ufffd\ufffd|\ufffd\ufffd\ufffd 東京';
    expect(seen).toEqual(asEach([text, text]));
  });
});

test('as many tool calls as one event holds end the answer at the 257th', async () => {
  const calls = Array.from({ length: 60_000 }, (_, index) => `{"index":${index}}`);
  const upstream = await upstreamOf('openai', (response) =>
    pour(response, 'events', [`data: {"choices":[{"index":0,"delta":{"tool_calls":[${calls.join(',')}]}}]}\n\n`]),
  );
  await expect(ask(upstream, 'events')).rejects.toMatchObject({ kind: 'invalid_answer' });
});
