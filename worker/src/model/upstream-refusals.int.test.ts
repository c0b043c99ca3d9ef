import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { previewPrompt } from '../mask-answer.ts';
import { createMasker } from '../masking/mask.ts';
import type { LanguageModel, ModelErrorKind, ModelRequest } from './language-model.ts';
import { type OpenAiOptions, openAiModel } from './openai-model.ts';
import type { ToldFailure } from './upstream-limits.ts';

const KEY = ['key', 'of', 'the', 'operator', '0123456789'].join('-');

let upstream: FakeUpstream;
const models: LanguageModel[] = [];
beforeAll(async () => {
  upstream = await startFakeUpstream();
});
afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.close()));
  upstream.reset();
  upstream.behave({ kind: 'answer', text: 'An answer.' });
});
afterAll(() => upstream.stop());

function build(more: Partial<OpenAiOptions> = {}): LanguageModel {
  const limits = { timeoutMs: 30_000, connectTimeoutMs: 30_000, maxAnswerBytes: 1_000_000 };
  const model = openAiModel({ ...limits, apiKey: KEY, baseUrl: upstream.openAiUrl, ...more });
  models.push(model);
  return model;
}

const CHAT: ChatRequest = { messages: [{ role: 'user', content: 'Hello, upstream.' }] };
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  requestId: 'req_test',
  model: 'some-model',
  chat: CHAT,
  maxOutputTokens: 8_192,
  ...more,
});
const ofOurs = (more: Partial<ModelRequest> = {}) => request({ isDefaultOutput: true, ...more });

const signal = new AbortController().signal;
const refusal = (message: string, more: object = {}, status = 400): FakeBehaviour => ({
  kind: 'status',
  status,
  body: { error: { message, type: 'BadRequestError', code: status, ...more } },
});

const VLLM =
  'max_tokens=8192 cannot be greater than max_model_len=2048. Please request fewer output tokens. (parameter=max_tokens, value=8192)';
const limits = () => upstream.calls.map(({ body }) => body['max_tokens']);

describe('a token limit of our own that is refused', () => {
  test('is left out at once, and from then on', async () => {
    const repeats: string[] = [];
    const model = build({ onRepeat: (reason) => repeats.push(reason) });
    upstream.queue(refusal(VLLM, { param: 'max_tokens' }));
    await expect(model.generate(ofOurs(), signal)).resolves.toMatchObject({ finishReason: 'stop' });
    await model.generate(ofOurs(), signal);
    expect(limits()).toEqual([8_192, undefined, undefined]);
    expect(upstream.calls[1]?.body).not.toHaveProperty('max_completion_tokens');
    expect(repeats).toEqual(['no_limit']);
  });

  test('is left out of a stream too', async () => {
    const model = build();
    upstream.queue(refusal(VLLM, { param: 'max_tokens' }));
    await model.generate(ofOurs(), signal, () => undefined);
    expect(upstream.calls.map((call) => call.isStream)).toEqual([true, true]);
    expect(limits()).toEqual([8_192, undefined]);
  });

  test('is kept for another model, and where it is cut to what fits', async () => {
    const model = build();
    upstream.queue(refusal(VLLM, { param: 'max_tokens' }));
    await model.generate(ofOurs(), signal);
    await model.generate(ofOurs({ model: 'another' }), signal);
    await model.generate(ofOurs({ maxOutputTokens: 500 }), signal);
    await model.generate(request({ maxOutputTokens: 9_000 }), signal);
    expect(limits()).toEqual([8_192, undefined, 8_192, 500, 9_000]);
  });

  test('is kept for shorter prompts where nothing says how long the context is', async () => {
    const model = build();
    upstream.queue(refusal('max_tokens is too large'));
    const long = { messages: [{ role: 'user' as const, content: 'x'.repeat(1_000) }] };
    await model.generate(ofOurs({ chat: long }), signal);
    await model.generate(ofOurs(), signal);
    await model.generate(ofOurs({ chat: long }), signal);
    expect(limits()).toEqual([8_192, undefined, 8_192, undefined]);
  });

  test('of a prompt that is too long by itself is the caller’s mistake', async () => {
    const model = build();
    upstream.queue(
      refusal(VLLM),
      refusal(
        "This model's maximum context length is 2048 tokens. However, your prompt contains at least 2049 input tokens",
      ),
    );
    await expect(model.generate(ofOurs(), signal)).rejects.toMatchObject({ kind: 'context_exceeded' });
    expect(upstream.calls).toHaveLength(2);
  });
});

test('a caller’s own token limit is not touched', async () => {
  upstream.behave(refusal(VLLM, { param: 'max_tokens' }));
  await expect(build().generate(request(), signal)).rejects.toMatchObject({ kind: 'request_refused' });
  expect(upstream.calls).toHaveLength(1);
});

test.each([
  ["Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", 'max_tokens'],
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    'max_completion_tokens',
  ],
  ['body.max_completion_tokens: Extra inputs are not permitted', 'max_tokens'],
])('%s', async (message, name) => {
  const model = build();
  upstream.queue(refusal(message));
  await model.generate(request(), signal);
  await model.generate(request(), signal);
  for (const { body } of upstream.calls.slice(1)) {
    expect(Object.keys(body).filter((key) => key.startsWith('max_'))).toEqual([name]);
  }
  expect(upstream.calls).toHaveLength(3);
});

test('a server that knows no stream_options is asked for streams without them', async () => {
  const model = build();
  upstream.queue(refusal('Unrecognized request argument supplied: stream_options'));
  const { usage } = await model.generate(request(), signal, () => undefined);
  expect(usage.isEstimated).toBe(true);
  expect(upstream.calls.map(({ body }) => 'stream_options' in body)).toEqual([true, false]);
});

test('a server that refuses every form is asked four times at most', async () => {
  let calls = 0;
  upstream.behave(() => {
    calls += 1;
    return refusal(FORMS[(calls - 1) % FORMS.length] ?? '');
  });
  const failed = build().generate(ofOurs(), signal, () => undefined);
  await expect(failed).rejects.toMatchObject({ kind: 'refused' });
  expect(upstream.calls).toHaveLength(4);
});

const FORMS = [
  'stream_options is unknown',
  'max_tokens and max_completion_tokens: only one of them',
  'the context length',
];

interface Dialect {
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
  readonly kind: ModelErrorKind;
  readonly chat?: Partial<ChatRequest>;
  readonly isOurs?: boolean;
}

const PICTURE: ChatRequest['messages'] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', url: 'data:image/png;base64,AA==' },
    ],
  },
];
const TOOLS = [{ name: 'weather', parameters: { type: 'object' } }];

const DIALECTS: Dialect[] = [
  {
    name: 'OpenAI, context',
    status: 400,
    body: {
      error: {
        message: 'Input tokens exceed the configured limit of 272000 tokens.',
        code: 'context_length_exceeded',
        param: 'messages',
      },
    },
    kind: 'context_exceeded',
  },
  {
    name: 'llama-cpp-python, context',
    status: 400,
    body: {
      error: {
        message:
          "This model's maximum context length is 512 tokens, however you requested 600 tokens (584 in your prompt; 16 for the completion). Please reduce your prompt; or completion length.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
    kind: 'context_exceeded',
  },
  {
    name: 'LiteLLM, context',
    status: 400,
    body: {
      error: {
        message:
          'litellm.ContextWindowExceededError: litellm.BadRequestError: request (24015 tokens) exceeds the available context size',
        type: null,
        param: null,
        code: '400',
      },
    },
    kind: 'context_exceeded',
  },
  {
    name: 'old vLLM, prompt and output',
    status: 400,
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 2048 tokens. However, you requested 8300 tokens (108 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      code: 400,
    },
    kind: 'request_refused',
  },
  {
    name: 'old vLLM, prompt',
    status: 400,
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 2048 tokens. However, you requested 8300 tokens (5000 in the messages, 3300 in the completion).",
      type: 'BadRequestError',
      code: 400,
    },
    kind: 'context_exceeded',
  },
  {
    name: 'TGI, context',
    status: 422,
    body: {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
      error_type: 'validation',
    },
    kind: 'context_exceeded',
    isOurs: true,
  },
  {
    name: 'Anthropic, context',
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 208310 tokens > 200000 maximum' },
    },
    kind: 'context_exceeded',
  },
  {
    name: 'SGLang, context',
    status: 400,
    body: {
      object: 'error',
      message: "The input (24015 tokens) is longer than the model's context length (2048 tokens).",
      code: 400,
    },
    kind: 'context_exceeded',
  },
  {
    name: 'OpenAI, output',
    status: 400,
    body: {
      error: {
        message: 'max_tokens is too large: 50000. This model supports at most 16384 completion tokens',
        param: 'max_tokens',
        code: 'invalid_value',
      },
    },
    kind: 'request_refused',
  },
  {
    name: 'DeepSeek, output',
    status: 400,
    body: { error: { message: 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]' } },
    kind: 'request_refused',
  },
  {
    name: 'vLLM, unknown model',
    status: 404,
    body: { error: { message: 'The model `x` does not exist.', type: 'NotFoundError', param: 'model', code: 404 } },
    kind: 'refused',
  },
  {
    name: 'LiteLLM, unknown model',
    status: 400,
    body: {
      error: {
        message: '/chat/completions: Invalid model name passed in model=x. Call `/v1/models`',
        type: 'invalid_request_error',
        param: 'model',
        code: '400',
      },
    },
    kind: 'refused',
  },
  { name: 'FastAPI, a path', status: 404, body: { detail: 'Not Found' }, kind: 'refused' },
  {
    name: 'FastAPI, a field',
    status: 422,
    body: { detail: [{ loc: ['body', 'top_p'], msg: 'Input should be less than or equal to 1' }] },
    kind: 'request_refused',
    chat: { topP: 7 },
  },
  {
    name: 'vLLM, tools',
    status: 400,
    body: {
      error: {
        message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set; tools',
        code: 400,
      },
    },
    kind: 'request_refused',
    chat: { tools: TOOLS },
  },
  {
    name: 'llama.cpp, tools',
    status: 500,
    body: { error: { message: 'tools param requires --jinja flag', code: 500, type: 'server_error' } },
    kind: 'request_refused',
    chat: { tools: TOOLS },
  },
  {
    name: 'the same words without tools',
    status: 500,
    body: { error: { message: 'tools param requires --jinja flag', code: 500, type: 'server_error' } },
    kind: 'server_error',
  },
  {
    name: 'llama.cpp, a picture',
    status: 500,
    body: {
      error: {
        message: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
        code: 500,
      },
    },
    kind: 'request_refused',
    chat: { messages: PICTURE },
  },
  {
    name: 'a field by its place',
    status: 400,
    body: { error: { message: 'Invalid', param: 'response_format.json_schema', code: 'invalid' } },
    kind: 'request_refused',
    chat: { responseFormat: { type: 'json_schema', name: 's' } },
  },
];

test.each(DIALECTS)('$name is $kind', async ({ status, body, kind, chat, isOurs }) => {
  upstream.behave({ kind: 'status', status, body });
  const asked = request({ chat: { ...CHAT, ...chat }, ...(isOurs && { isDefaultOutput: true }) });
  await expect(build().generate(asked, signal)).rejects.toMatchObject({ kind });
});

describe('what the operator is told of a refusal', () => {
  const secret = ['sk', '-', 'proj', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6'].join('');
  const prompt = 'Please write a letter to my neighbour about the mango tree.';

  async function told(behaviour: FakeBehaviour): Promise<{ line: ToldFailure | undefined; error: unknown }> {
    const lines: ToldFailure[] = [];
    const masker = createMasker({ knownValues: [KEY] });
    const model = build({ redact: (words) => previewPrompt(masker, words), onFailure: (line) => lines.push(line) });
    upstream.behave(behaviour);
    const chat = { messages: [{ role: 'user' as const, content: prompt }] };
    const error = await model.generate(request({ chat }), signal).catch((error: unknown) => error);
    expect(lines.length).toBeLessThanOrEqual(1);
    return { line: lines[0], error };
  }

  test('is its host, status, code, id and message', async () => {
    const { line } = await told({
      kind: 'status',
      status: 404,
      headers: { 'x-request-id': 'req-of-theirs-7' },
      body: { error: { message: 'The model `x` does not exist.', type: 'NotFoundError', param: 'model', code: 404 } },
    });
    expect(line).toEqual({
      requestId: 'req_test',
      reason: 'refused',
      upstreamHost: `127.0.0.1:${upstream.port}`,
      upstreamStatus: 404,
      upstreamCode: 'NotFoundError',
      upstreamRequestId: 'req-of-theirs-7',
      upstreamMessage: 'The model `x` does not exist.',
    });
  });

  test('holds no secret, no part of a key, and nothing of the prompt', async () => {
    const message = `Key ${secret} and ${KEY} and sk-ab********wxyz at https://api.internal.example/v1/x said: "${prompt}" ${'x '.repeat(400)}`;
    const { line, error } = await told({
      kind: 'status',
      status: 400,
      headers: { 'x-request-id': `a ${secret}` },
      body: { error: { message } },
    });
    const said = inspect([line, error], { depth: 9, showHidden: true });
    for (const gone of [secret, KEY, 'wxyz', 'api.internal', 'mango', 'neighbour']) expect(said).not.toContain(gone);
    expect(line?.upstreamMessage).toMatch(/^Key .* said: /);
    expect(line?.upstreamMessage?.length).toBeLessThanOrEqual(300);
    expect(line).not.toHaveProperty('upstreamRequestId');
  });

  test('of a connection is its host and what went wrong', async () => {
    const port = await freePort();
    const lines: ToldFailure[] = [];
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const model = build({ baseUrl, redact: (words) => words, onFailure: (line) => lines.push(line) });
    await expect(model.generate(request(), signal)).rejects.toMatchObject({ kind: 'connection' });
    expect(lines).toEqual([
      {
        requestId: 'req_test',
        reason: 'connection',
        upstreamHost: `127.0.0.1:${port}`,
        upstreamCode: 'ECONNREFUSED',
      },
    ]);
  });

  test('is nothing of an answer, and nothing without a masker', async () => {
    expect((await told({ kind: 'answer', text: 'x' })).line).toBeUndefined();
    const lines: ToldFailure[] = [];
    upstream.behave({ kind: 'status', status: 404, body: { error: { message: 'words' } } });
    const model = build({ onFailure: (line) => lines.push(line) });
    const error: unknown = await model.generate(request(), signal).catch((error: unknown) => error);
    expect(lines).toEqual([]);
    expect(error).toMatchObject({ kind: 'refused', upstream: undefined });
  });
});
