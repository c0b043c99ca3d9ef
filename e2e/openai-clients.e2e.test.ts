import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import OpenAI from 'openai';
import { ask } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { ROOT } from './harness/launch.ts';
import { type AskByClient, CLIENTS, type ClientAsk, WEATHER } from './harness/openai-clients.ts';
import { type Stack, startStack } from './harness/stack.ts';

const MODEL = 'ai-2.5-flash';
const HELLO = [{ role: 'user', content: 'hello' }] as const;
const WAITING = '{lontar}:generation:wait';

let stack: Stack;
let key: string;
/** With its one credit used up, with the one request of its hour made, and with a model that it may not use. */
let spent: string;
let limited: string;
let narrow: string;

beforeAll(async () => {
  stack = await startStack({ stats: true, settings: { BAN_AFTER_BAD_KEYS: '0', REQUEST_TIMEOUT_MS: '60000' } });
  [key = '', spent = '', limited = '', narrow = ''] = await Promise.all(
    [[], ['--credits', '1'], ['--per-hour', '1'], ['--models', 'ai-2.5-pro']].map(
      async (options) => (await stack.createKey(...options)).key,
    ),
  );
  for (const apiKey of [spent, limited]) await complete(new OpenAI(here(apiKey)));
});
afterAll(() => stack.stop());
beforeEach(() => stack.upstream.reset());

const here = (apiKey = key, url = stack.url) => ({ baseURL: `${url}/v1`, apiKey });
const clients = Object.entries(CLIENTS);

describe.each(clients)('%s', (_name, askBy) => {
  const CALLED = {
    toolCalls: [{ id: 'call_1', name: WEATHER.name, arguments: '{"city":"Paris"}' }],
    finishReason: 'tool_calls',
  };

  test.each([
    ['text', {}, { text: 'It is fine.' }],
    ['text after a tool was called', { afterTool: true, toolChoice: 'auto' }, { text: 'It is fine.' }],
    ['a tool call of its own will', { toolChoice: 'auto' }, { text: '', ...CALLED }],
    ['a tool call beside text', { toolChoice: 'auto' }, { text: 'Let me see.', ...CALLED }],
    ['a required tool call', { toolChoice: 'required' }, { text: '', ...CALLED }],
    ['a call of the named tool', { toolChoice: 'named' }, { text: '', ...CALLED }],
    ['an object by a schema', { json: true }, { text: '{"city":"Paris"}' }],
    ['an answer that is cut', {}, { text: 'It is', finishReason: 'length' }],
  ] as const)('gets %s as it does without Lontar, and asks the model for the same', async (_what, asked, answer) => {
    stack.upstream.behave({ kind: 'answer', ...answer });
    const direct = await askBy({ baseURL: stack.upstream.openAiUrl, apiKey: 'any' }, asked);
    const through = await askBy(here(), asked);
    expect(through).toEqual(direct);
    const [one, other] = stack.upstream.calls.map(({ body }) => comparable(body));
    expect(other).toEqual(one);
  });
});

/** What a model is asked, without the differences that mean nothing to it. */
function comparable({ messages, tools, tool_choice: choice, response_format: format }: Record<string, unknown>) {
  const said = (messages as { role: string; content: unknown; tool_calls?: object[]; tool_call_id?: string }[]).map(
    ({ role, content, tool_calls: calls, tool_call_id: id }) => ({
      role: role === 'developer' ? 'system' : role,
      content: Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join('\n') : (content ?? ''),
      calls,
      id,
    }),
  );
  return { said, tools, choice, format };
}

describe.each(clients)('what %s makes of', (name, askBy) => {
  const failure = async (asked: ClientAsk = {}, where = here()) => {
    const error: unknown = await askBy(where, asked).then(
      (said) => said,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    return error as Error & { status?: number; statusCode?: number; isRetryable?: boolean };
  };
  /** The clients on OpenAI's own have its classes; the SDK of Vercel has one, with what it does next. */
  const expectKind = (
    error: Awaited<ReturnType<typeof failure>>,
    status: number,
    kind: unknown,
    isRetryable: boolean,
  ) => {
    expect(error.status ?? error.statusCode).toBe(status);
    if (name.startsWith('Vercel')) expect(error.isRetryable).toBe(isRetryable);
    else expect(error).toBeInstanceOf(kind);
  };

  test('a field that breaks a rule', async () => {
    const error = await failure({ temperature: 3 });
    expectKind(error, 400, OpenAI.BadRequestError, false);
    expect(error.message).toContain('temperature must be a number from 0 to 2');
  });

  test('a bad key', async () => {
    const error = await failure({}, here(mintApiKey().key));
    expectKind(error, 401, OpenAI.AuthenticationError, false);
    expect(error.message).toContain('Incorrect API key provided');
  });

  test('used up credits', async () => {
    expectKind(await failure({}, here(spent)), 402, OpenAI.APIError, false);
  });

  test('a model that does not exist', async () => {
    expectKind(await failure({ model: 'gpt-5' }), 404, OpenAI.NotFoundError, false);
  });

  test('a limit that time renews', async () => {
    expectKind(await failure({}, here(limited)), 429, OpenAI.RateLimitError, true);
  });

  test('no answer within the time that it waits', async () => {
    stack.upstream.queue('hang');
    const error = await failure({ headers: { 'x-stainless-timeout': '1' } });
    expectKind(error, 504, OpenAI.InternalServerError, true);
  });
});

test('what clients make of a queue that is full', async () => {
  const full = await stack.startGateway({ settings: { QUEUE_MAX_WAITING: '1' } });
  await stack.lontar('queue', 'pause');
  const waiting = complete(new OpenAI({ ...here(), maxRetries: 0 }));
  await until(async () => (await stack.redis.client.llen(WAITING)) === 1);
  const refused = await Promise.all(
    clients.map(([, askBy]: readonly [string, AskByClient]) =>
      askBy(here(key, full), {}).then(
        () => 'answered',
        ({ status, statusCode }: { status?: number; statusCode?: number }) => status ?? statusCode,
      ),
    ),
  );
  expect(refused).toEqual(clients.map(() => 503));
  await stack.lontar('queue', 'resume');
  await waiting;
});

const complete = (client: OpenAI, fields: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  client.chat.completions.create({ model: MODEL, messages: [...HELLO], ...fields });

describe('the samples of the docs', () => {
  const page = readFileSync(join(ROOT, 'docs/openai.md'), 'utf8');
  const sample = (language: string) => {
    const [, text = ''] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page) ?? [];
    return text.replaceAll('http://127.0.0.1:8080', stack.url).replaceAll('YOUR_KEY', key);
  };
  const output = async (command: string, ...args: string[]) =>
    (await promisify(execFile)(command, args, { cwd: join(ROOT, 'e2e') })).stdout;

  test('for Node works as it is written', async () => {
    stack.upstream.behave({ kind: 'answer', text: 'Green leaves.' });
    expect(await output(process.execPath, '--input-type=module', '--eval', sample('js'))).toBe('Green leaves.\n');
  });

  test('for curl works as it is written', async () => {
    stack.upstream.behave({ kind: 'answer', text: 'Green leaves.' });
    const answer = JSON.parse(await output('bash', '-c', sample('bash'))) as OpenAI.ChatCompletion;
    expect(answer.choices[0]?.message.content).toBe('Green leaves.');
  });
});

describe('an answer', () => {
  const client = (apiKey = key) => new OpenAI({ ...here(apiKey), maxRetries: 0 });

  test('is masked, under the id of its request, with the limits', async () => {
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
    expect(response.headers.get('x-ratelimit-reset-requests')).toMatch(/^(\d+h)?(\d+m)?\d+s$/);
    expect(stack.upstream.calls[0]?.body).toMatchObject({ max_tokens: 9 });
  });

  test('of used up credits says that trying again is of no use', async () => {
    const error: unknown = await complete(client(spent)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 402, type: 'insufficient_quota', code: 'insufficient_quota' });
    const { headers } = error as InstanceType<typeof OpenAI.APIError>;
    expect([headers?.get('x-should-retry'), headers?.get('retry-after')]).toEqual(['false', null]);
  });

  test('is counted as those of the other endpoints', async () => {
    const completions = async () => {
      const { body } = await ask(stack.url, '/api/usage');
      return (body['result'] as { endpoints: Record<string, number> }).endpoints['/v1/chat/completions'] ?? 0;
    };
    const before = await completions();
    await complete(client());
    await until(async () => (await completions()) > before);
  });

  test('lists the models that its key may use', async () => {
    const pro = client(narrow);
    expect((await client().models.list()).data.map(({ id }) => id)).toEqual(['ai-2.5-flash', 'ai-2.5-pro']);
    expect((await pro.models.list()).data.map(({ id }) => id)).toEqual(['ai-2.5-pro']);
    expect(await client().models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model' });
    await expect(pro.models.retrieve(MODEL)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(complete(pro)).rejects.toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
  });
});
