import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import { geminiModel } from './gemini-model.ts';
import type { LanguageModel, ModelErrorKind, ModelPart, ModelRequest } from './language-model.ts';

let upstream: FakeUpstream;
let model: LanguageModel;
beforeAll(async () => {
  upstream = await startFakeUpstream();
  const limits = { timeoutMs: 30_000, connectTimeoutMs: 30_000, maxAnswerBytes: 100_000 };
  model = geminiModel({ ...limits, apiKey: 'k', baseUrl: upstream.geminiUrl });
});
afterEach(() => {
  upstream.reset();
  upstream.behave({ kind: 'answer', text: 'An answer.' });
});
afterAll(async () => {
  await model.close();
  await upstream.stop();
});

const CHAT: ChatRequest = { messages: [{ role: 'user', content: 'Hello, Gemini.' }] };
const request = (chat: Partial<ChatRequest> = {}, name = 'gemini-2.5-flash'): ModelRequest => ({
  requestId: 'req_test',
  model: name,
  chat: { ...CHAT, ...chat },
  maxOutputTokens: 9_000,
});
const signal = new AbortController().signal;

async function stream(asked = request()) {
  const parts: ModelPart[] = [];
  const result = await model.generate(asked, signal, (part) => parts.push(part));
  return { parts, result };
}

const event = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
const piece = (text: string) => event({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] });
const raw = (
  pieces: readonly string[],
  more: Partial<Extract<FakeBehaviour, { kind: 'raw' }>> = {},
): FakeBehaviour => ({ kind: 'raw', pieces, ...more });

describe('an answer as a stream', () => {
  test('is given in its parts, which together are the result and what one piece would be', async () => {
    const toolCalls = [{ id: 'ignored', name: 'weather', arguments: '{"city":"Denpasar"}' }];
    upstream.behave({ kind: 'answer', text: 'Selamat pagi ☕.', reasoning: 'Think first.', toolCalls });
    const { parts, result } = await stream();
    expect((await upstream.nextCall()).path).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
    const call = { id: expect.any(String), name: 'weather', arguments: '{"city":"Denpasar"}' };
    expect(result).toEqual({
      text: 'Selamat pagi ☕.',
      reasoning: 'Think first.',
      toolCalls: [call],
      usage: { input: 11, output: 7 },
      finishReason: 'tool_calls',
    });
    expect(parts.filter(({ kind }) => kind === 'text').length).toBeGreaterThan(2);
    expect(parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')).toBe(result.text);
    expect(parts.at(-1)).toEqual({ kind: 'call', call: result.toolCalls?.[0] });
    const whole = await model.generate(request(), signal);
    expect(whole).toEqual({ ...result, toolCalls: [call] });
  });

  test('begins before it ends, and ends when the caller leaves', async () => {
    upstream.behave(raw([piece('At once')], { end: 'open' }));
    const leaving = new AbortController();
    let failed: Promise<unknown> | undefined;
    const first = await new Promise<ModelPart>((resolve) => {
      failed = model.generate(request(), leaving.signal, resolve).catch((error: unknown) => error);
    });
    expect(first).toEqual({ kind: 'text', text: 'At once' });
    const call = await upstream.nextCall();
    leaving.abort();
    expect(await failed).toMatchObject({ kind: 'cancelled' });
    await call.whenAborted;
  });

  test.each<[string, FakeBehaviour, ModelErrorKind]>([
    ['ends in the middle', raw([piece('a')]), 'cut_off'],
    ['breaks in the middle', raw([piece('a')], { end: 'cut' }), 'cut_off'],
    ['fails in the middle', { kind: 'error-event', error: { code: 500, status: 'INTERNAL' } }, 'cut_off'],
    [
      'fails at the beginning',
      raw([event({ error: { code: 503, message: 'x', status: 'UNAVAILABLE' } })]),
      'server_error',
    ],
    ['is no JSON', raw(['data: <html>\n\n']), 'invalid_answer'],
    ['has no byte', raw([]), 'cut_off'],
    [
      'is a line without an end',
      raw(
        Array.from({ length: 40 }, () => 'x'.repeat(10_000)),
        { end: 'open' },
      ),
      'too_large',
    ],
    [
      'says too much',
      raw(
        Array.from({ length: 40 }, () => piece('x'.repeat(10_000))),
        { end: 'open' },
      ),
      'too_large',
    ],
    [
      'says nothing for ever',
      raw(
        Array.from({ length: 400 }, () => `: ${'x'.repeat(9_000)}\n\n`),
        { end: 'open' },
      ),
      'too_large',
    ],
  ])('that %s is %s', async (_, does, kind) => {
    upstream.behave(does);
    await expect(stream()).rejects.toMatchObject({ kind });
    expect(upstream.calls).toHaveLength(1);
    const call = await upstream.nextCall();
    if (kind === 'too_large') await call.whenAborted;
  });
});

const body = async (chat: Partial<ChatRequest>, name?: string) => {
  await model.generate(request(chat, name), signal);
  return (await upstream.nextCall()).body;
};

describe('the request', () => {
  test('has tools, a conversation with calls, and what they said', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const sent = await body({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'The weather?' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' }] },
        { role: 'tool', toolCallId: 'c1', content: 'Rain.' },
      ],
      tools: [{ name: 'weather', description: 'Tells it', parameters }],
      toolChoice: { name: 'weather' },
    });
    expect(sent['contents']).toMatchObject([
      { role: 'user', parts: [{ text: 'The weather?' }] },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { content: 'Rain.' } } }] },
    ]);
    expect(sent['tools']).toMatchObject([{ functionDeclarations: [{ name: 'weather', description: 'Tells it' }] }]);
    expect(sent['toolConfig']).toMatchObject({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] },
    });
  });

  test('has format, stop sequences, seed and the rest', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    const sent = await body({
      temperature: 1,
      topP: 0.9,
      stop: ['a', 'b'],
      seed: 5_000_000_000,
      responseFormat: { type: 'json_schema', name: 's', schema },
      user: 'shop-7',
    });
    expect(sent['generationConfig']).toMatchObject({
      temperature: 1,
      topP: 0.9,
      stopSequences: ['a', 'b'],
      seed: 5_000_000_000 & 0x7fffffff,
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
    expect(JSON.stringify(sent)).not.toContain('shop-7');
  });

  test('has images, in it or by their address', async () => {
    const sent = await body({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What?' },
            { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
            { type: 'image', url: 'https://shop.example/a.webp?x=1', detail: 'low' },
          ],
        },
      ],
    });
    expect(sent['contents']).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'What?' },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { fileData: { mimeType: 'image/webp', fileUri: 'https://shop.example/a.webp?x=1' } },
        ],
      },
    ]);
  });

  test('thinks as much as the caller wants', async () => {
    expect((await body({ reasoningEffort: 'high' }))['generationConfig']).toMatchObject({
      thinkingConfig: { includeThoughts: true },
    });
  });

  test.each<[string, Partial<ChatRequest>]>([
    ['an image that is no URL', { messages: [{ role: 'user', content: [{ type: 'image', url: 'nothing' }] }] }],
    [
      'an image of another scheme',
      { messages: [{ role: 'user', content: [{ type: 'image', url: 'file:///etc/passwd' }] }] },
    ],
    ['the answer of a call that was not made', { messages: [{ role: 'tool', toolCallId: 'c', content: 'x' }] }],
    ['a forced tool that is none', { toolChoice: { name: 'nothing' } }],
  ])('with %s is refused, and not sent', async (_, chat) => {
    await expect(model.generate(request(chat), signal)).rejects.toMatchObject({ kind: 'request_refused' });
    expect(upstream.calls).toHaveLength(0);
  });

  test('that is too long is the caller’s mistake', async () => {
    const message = 'The input token count (1048580) exceeds the maximum number of tokens allowed (1048576).';
    upstream.behave({
      kind: 'status',
      status: 400,
      body: { error: { code: 400, message, status: 'INVALID_ARGUMENT' } },
    });
    await expect(model.generate(request(), signal)).rejects.toMatchObject({ kind: 'context_exceeded' });
  });
});
