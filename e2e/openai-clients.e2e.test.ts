import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { generateText } from 'ai';
import OpenAI from 'openai';
import { ask } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { dumpRedis } from './harness/redis-dump.ts';
import { type Stack, startStack } from './harness/stack.ts';

const MODEL = 'ai-2.5-flash';
/** Of the fake upstream. */
const ANSWER = 'An answer of the fake upstream.';
const HELLO = [{ role: 'user', content: 'hello' }] as const;

let stack: Stack;
let key: { id: string; key: string };

beforeAll(async () => {
  stack = await startStack({ stats: true, settings: { BAN_AFTER_BAD_KEYS: '0', REQUEST_TIMEOUT_MS: '20000' } });
  key = await stack.createKey();
}, 60_000);
afterAll(() => stack.stop());
beforeEach(() => stack.upstream.reset());

const client = (apiKey: string = key.key, timeout?: number) =>
  new OpenAI({ baseURL: `${stack.url}/v1`, apiKey, maxRetries: 0, ...(timeout !== undefined && { timeout }) });
const complete = (openai = client(), fields: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  openai.chat.completions.create({ model: MODEL, messages: [...HELLO], ...fields });

describe('the client of OpenAI', () => {
  test('gets a masked answer, under the id of its request', async () => {
    const text = 'It is at postgres://u:p4ssw0rd@db.example.com:5432/shop, on 203.0.113.9.';
    stack.upstream.queue({ kind: 'answer', text, usage: { input: 3, output: 7 } });
    const { data, response } = await client()
      .chat.completions.create({ model: MODEL, messages: [...HELLO], max_tokens: 9 })
      .withResponse();
    const id = response.headers.get('x-request-id') ?? '';
    expect(data).toMatchObject({
      id: id.replace('req_', 'chatcmpl-'),
      object: 'chat.completion',
      model: MODEL,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', refusal: null } }],
      usage: { prompt_tokens: 3, completion_tokens: 7, total_tokens: 10 },
      lontar: { masked: { url: 0, key: 0, ip: 1, connection: 1 } },
    });
    expect(data.choices[0]?.message.content).toBe('It is at ***DB_CONNECTION***, on ***IP_ADDRESS***.');
    expect(response.headers.get('x-masked')).toBe('2');
    expect(response.headers.get('x-ratelimit-reset-requests')).toMatch(/^\d+h|^\d+m|^\d+s/);
    const [call] = stack.upstream.calls;
    expect(call?.body).toMatchObject({ max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] });
  });

  test('lists the models that its key may use', async () => {
    const narrow = await stack.createKey('--models', 'ai-2.5-pro');
    expect((await client().models.list()).data.map(({ id }) => id)).toEqual(['ai-2.5-flash', 'ai-2.5-pro']);
    expect((await client(narrow.key).models.list()).data.map(({ id }) => id)).toEqual(['ai-2.5-pro']);
    expect(await client().models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model' });
    await expect(client(narrow.key).models.retrieve(MODEL)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(complete(client(narrow.key))).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });
});

test('an agent whose key keeps its own values gets them back; all others, the log and /api/ai, get them masked', async () => {
  const agent = await stack.createKey('--mask', 'url,key,ip', '--keep-own', '--no-address-limit', '--per-hour', '50');
  const own = 'llm.corp.internal:8443';
  const foreign = 'db.corp.internal:5432';
  const text = `Call https://${own}/v1/chat, not https://${foreign}/v1, with Server=x;User Id=a;Password=kopi7susu9;.`;
  stack.upstream.queue({ kind: 'answer', text }, { kind: 'answer', text });
  const messages = [{ role: 'user' as const, content: `My API is at https://${own}/v1.` }];
  const { data, response } = await client(agent.key).chat.completions.create({ model: MODEL, messages }).withResponse();
  const shown = data.choices[0]?.message.content ?? '';
  expect(shown).toContain(`Call https://${own}/v1/chat, not https://***API_SERVER***/v1`);
  expect(response.headers.get('x-masked')).toBe(String(shown.split('***').length >> 1));
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('50');
  expect(response.headers.get('ratelimit-policy')).toBe('"key-hour";q=50;w=3600');
  const prompt = `My API is at https://${own}/v1.`;
  const { body } = await ask(stack.url, '/api/ai', { query: { prompt, apikey: agent.key } });
  expect(body['result']).toContain('Call https://***API_SERVER***/v1/chat, not https://***API_SERVER***/v1');
  // What is on its way to the caller, and kept for it, has its form; all else in Redis is masked fully.
  const { redis } = stack;
  const everything = async () => (await dumpRedis(redis.client)).split('\n{lontar}');
  const logged = 'Call https://***API_SERVER***/v1/chat, not https://***API_SERVER***/v1';
  const isLogged = (part: string) =>
    !part.startsWith(':request:') && !part.startsWith(':inbox:') && part.includes(logged);
  await until(async () => (await everything()).some(isLogged));
  for (const part of await everything()) {
    if (part.includes(own)) expect(part).toMatch(/^:(?:request|inbox):/);
  }
});

describe('its error is', () => {
  const failure = async (openai: OpenAI, fields?: Parameters<typeof complete>[1]) => {
    const error: unknown = await complete(openai, fields).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OpenAI.APIError);
    return error as InstanceType<typeof OpenAI.APIError>;
  };

  test('BadRequestError with the field, for one that breaks a rule', async () => {
    const error = await failure(client(), { temperature: 3 });
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ param: 'temperature', type: 'invalid_request_error', code: 'invalid_value' });
  });

  test('AuthenticationError for a bad key, whatever else is wrong', async () => {
    for (const fields of [{}, { temperature: 3 }, { model: 'gpt-5' }]) {
      const error = await failure(client(mintApiKey().key), fields);
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error).toMatchObject({ code: 'invalid_api_key' });
      expect(error.message).toContain('Incorrect API key provided');
    }
    expect(await failure(client('sk-nonsense'))).toBeInstanceOf(OpenAI.AuthenticationError);
  });

  test('402, not to be tried again, for used up credits', async () => {
    const spent = await stack.createKey('--credits', '1');
    await complete(client(spent.key));
    const error = await failure(client(spent.key));
    expect(error).toMatchObject({ status: 402, type: 'insufficient_quota', code: 'insufficient_quota' });
    expect(error.headers?.get('x-should-retry')).toBe('false');
    expect(error.headers?.get('retry-after')).toBeNull();
  });

  test('RateLimitError for a limit that time renews', async () => {
    const limited = await stack.createKey('--per-hour', '1');
    await complete(client(limited.key));
    const error = await failure(client(limited.key));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded' });
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(60);
  });

  test('NotFoundError for a model that does not exist, and for a path', async () => {
    const error = await failure(client(), { model: 'gpt-5' });
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ param: 'model', code: 'model_not_found' });
    await expect(client().post('/embeddings', { body: {} })).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  test('InternalServerError for 504, when the caller has no more patience', async () => {
    stack.upstream.queue('hang');
    const reply = await ask(stack.url, '/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key.key}`, 'x-stainless-timeout': '1' },
      body: { model: MODEL, messages: HELLO },
    });
    expect(reply).toMatchObject({ status: 504, body: { error: { type: 'timeout', code: 'timeout' } } });
  });
});

test("Vercel's AI SDK gets the answer", async () => {
  const lontar = createOpenAICompatible({ name: 'lontar', baseURL: `${stack.url}/v1`, apiKey: key.key });
  const { text, usage, finishReason } = await generateText({ model: lontar(MODEL), prompt: 'hello' });
  expect({ text, finishReason }).toEqual({ text: ANSWER, finishReason: 'stop' });
  expect(usage.outputTokens).toBeGreaterThan(0);
});

test('LangChain gets the answer', async () => {
  const model = new ChatOpenAI({ model: MODEL, apiKey: key.key, configuration: { baseURL: `${stack.url}/v1` } });
  expect((await model.invoke([new HumanMessage('hello')])).content).toBe(ANSWER);
});

test('its requests are counted as those of the other endpoints', async () => {
  const completions = async () => {
    const { body } = await ask(stack.url, '/api/usage');
    return (body['result'] as { endpoints: Record<string, number> }).endpoints['/v1/chat/completions'] ?? 0;
  };
  const before = await completions();
  await complete();
  await until(async () => (await completions()) > before);
});
