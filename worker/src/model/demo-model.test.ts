import { describe, expect, test } from '@jest/globals';
import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import { anyCharacter } from '@lontar/shared/testing/any-character.ts';
import * as fc from 'fast-check';
import { demoSecrets } from './demo/demo-secrets.ts';
import { demoModel } from './demo-model.ts';
import type { ModelPart, ModelRequest } from './language-model.ts';

const PERSONAS = {
  chat: 'You are a chat bot in a messaging app. Answer briefly and conversationally, in the language of the user.',
  page: 'You are a helpful assistant. Answer kindly and clearly, step by step where it helps.',
};

interface Asked {
  readonly system?: string;
  readonly prompt?: string;
  readonly maxOutputTokens?: number;
}

const chat = (system: string, prompt: string): ModelRequest['chat'] => ({
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: prompt },
  ],
  temperature: 0.7,
});

const ask = (
  { system = PERSONAS.page, prompt = 'How do I call an API?', ...more }: Asked = {},
  signal = new AbortController().signal,
) =>
  demoModel().generate(
    {
      requestId: 'req_test',
      model: 'ai-2.5-flash',
      chat: chat(system, prompt),
      maxOutputTokens: 8_192,
      ...more,
    },
    signal,
  );

describe.each(Object.entries(PERSONAS))('as a %s', (_, system) => {
  test.each([
    ['English', 'How do I call an API?', /demo model/],
    ['Indonesian', 'Bagaimana cara memanggil API?', /model demo/],
  ])('it says in %s what it is, and speaks about the prompt', async (_, prompt, says) => {
    const { text, finishReason } = await ask({ system, prompt });
    expect(text).toMatch(says);
    expect(text).toContain(prompt);
    expect(finishReason).toBe('stop');
  });

  test('it holds a made-up secret of every family', async () => {
    const prompt = 'Show me.';
    const { text } = await ask({ system, prompt });
    const { apiUrl, ipv4, apiKey, connection } = demoSecrets(`\n${prompt}`);
    for (const secret of [apiUrl, ipv4, apiKey, connection]) expect(text).toContain(secret);
    expect(text).toMatch(/^```\w+\n[^]*^```$/m);
  });

  test('a cut leaves every secret whole or gone, and never leaves nothing', async () => {
    const secrets = Object.values(demoSecrets('\nWhere?'));
    const whole = await ask({ system, prompt: 'Where?' });
    for (let maxOutputTokens = 1; maxOutputTokens * 4 < whole.text.length + 8; maxOutputTokens += 1) {
      const { text, usage, finishReason } = await ask({ system, prompt: 'Where?', maxOutputTokens });
      expect(text.trim()).not.toBe('');
      expect(whole.text.startsWith(text)).toBe(true);
      expect(usage.output).toBeLessThanOrEqual(maxOutputTokens);
      expect(finishReason).toBe(text === whole.text ? 'stop' : 'length');
      const last = text.split(/\s+/).at(-1) ?? '';
      for (const secret of secrets) {
        const isCut = last.length > 6 && !last.includes(secret) && secret.startsWith(last.replace(/^\W+/, ''));
        expect(isCut).toBe(false);
      }
    }
  });
});

test('the same prompt has the same answer, another one another', async () => {
  expect(await ask()).toEqual(await ask());
  expect((await ask({ prompt: 'A' })).text).not.toBe((await ask({ prompt: 'B' })).text);
});

test('it leaves no word of a prompt cut in two', async () => {
  const secret = ['very', 'long', 'secret', 'x'.repeat(90)].join('_');
  const { text } = await ask({ prompt: `My password is ${secret} and more` });
  expect(text).not.toContain('very_long');
  expect(text).toContain('"My password is …"');
});

test('any prompt and any limit have an answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: anyCharacter }),
      fc.integer({ min: 1, max: 600 }),
      async (prompt, maxOutputTokens) => {
        const { text } = await ask({ prompt, maxOutputTokens });
        expect(text.trim()).not.toBe('');
        expect(text.length).toBeLessThanOrEqual(maxOutputTokens * 4);
      },
    ),
  );
});

test('it honours the signal, before and during its wait', async () => {
  await expect(ask({}, AbortSignal.abort())).rejects.toMatchObject({ kind: 'cancelled' });
  const leaving = new AbortController();
  const request = { requestId: 'r', model: 'm', chat: chat('', 'x'), maxOutputTokens: 9 };
  const answer = demoModel({ latencyMs: 3_600_000 }).generate(request, leaving.signal);
  leaving.abort();
  await expect(answer).rejects.toMatchObject({ kind: 'cancelled' });
});

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const WEATHER = { name: 'get_weather', description: 'The weather of a city', parameters: CITY };
const TIME = { name: 'clock', description: 'Tells the hour', parameters: { type: 'object' } };
const user = (content: string) => ({ role: 'user' as const, content });

/** Streams quickly, and keeps what came. */
async function stream(chat: ChatRequest, maxOutputTokens = 8_192) {
  const parts: ModelPart[] = [];
  const request = { requestId: 'r', model: 'm', chat, maxOutputTokens };
  const model = demoModel({ tokensPerSecond: 1_000_000 });
  const result = await model.generate(request, new AbortController().signal, (part) => parts.push(part));
  return { parts, result, whole: await model.generate(request, new AbortController().signal) };
}

describe('as a stream', () => {
  test('its parts are the answer, and cut its secrets', async () => {
    const { parts, result, whole } = await stream({ messages: [user('Show me 😀😀😀😀.')] });
    expect(result).toEqual(whole);
    const texts = parts.map((part) => (part.kind === 'text' ? part.text : ''));
    expect(texts.join('')).toBe(result.text);
    expect(texts.every((text) => text.isWellFormed() && text.length <= 8)).toBe(true);
    const { apiKey } = demoSecrets('\nShow me 😀😀😀😀.');
    expect(result.text).toContain(apiKey);
    expect(texts.some((text) => text.includes(apiKey))).toBe(false);
  });

  test('it takes the time of a reader, and ends at once when the caller leaves', async () => {
    const leaving = new AbortController();
    const request = { requestId: 'r', model: 'm', chat: chat(PERSONAS.page, 'x'), maxOutputTokens: 8_192 };
    const parts: ModelPart[] = [];
    const answer = demoModel().generate(request, leaving.signal, (part) => {
      parts.push(part);
      if (parts.length === 3) leaving.abort();
    });
    await expect(answer).rejects.toMatchObject({ kind: 'cancelled' });
    expect(parts).toHaveLength(3);
  });
});

describe('with tools', () => {
  const ask = (content: string, more: Partial<ChatRequest> = {}) =>
    stream({ messages: [user(content)], tools: [TIME, WEATHER], ...more });

  test.each<[string, string, Partial<ChatRequest>, string | undefined]>([
    ['one that fits', 'How is the weather in Denpasar?', {}, 'get_weather'],
    ['none that fits', 'Write a poem.', {}, undefined],
    ['one that must be called', 'Write a poem.', { toolChoice: 'required' }, 'clock'],
    ['one that must be called, and fits best', 'The weather?', { toolChoice: 'required' }, 'get_weather'],
    ['one by its name', 'Write a poem.', { toolChoice: { name: 'get_weather' } }, 'get_weather'],
    ['none that may be called', 'The weather?', { toolChoice: 'none' }, undefined],
  ])('it calls %s', async (_, content, more, name) => {
    const { result, parts, whole } = await ask(content, more);
    expect(result).toEqual(whole);
    expect(result.toolCalls?.map((call) => call.name)).toEqual(name === undefined ? undefined : [name]);
    expect(result.finishReason).toBe(name === undefined ? 'stop' : 'tool_calls');
    if (name !== undefined) expect(parts).toEqual([{ kind: 'call', call: result.toolCalls?.[0] }]);
  });

  test('its arguments fit, with a word of the question', async () => {
    const { result } = await ask('How is the weather in Denpasar?');
    expect(JSON.parse(result.toolCalls?.[0]?.arguments ?? '')).toEqual({ city: 'Denpasar' });
    expect(result.toolCalls?.[0]?.id).toMatch(/^call_\w{24}$/);
  });

  test('the only name that is there is taken, the first word too', async () => {
    const { result } = await ask('Denpasar: how is the weather?');
    expect(JSON.parse(result.toolCalls?.[0]?.arguments ?? '')).toEqual({ city: 'Denpasar' });
  });

  test('it tells what a tool said', async () => {
    const call = { id: 'call_1', name: 'get_weather', arguments: '{}' };
    const { result } = await ask('', {
      messages: [
        user('The weather?'),
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', toolCallId: 'call_1', content: '31 degrees, and a little rain' },
      ],
    });
    expect(result.text).toContain('31 degrees, and a little rain');
    expect(result.toolCalls).toBeUndefined();
  });

  test('a name that is none of them is refused', async () => {
    await expect(ask('x', { toolChoice: { name: 'nothing' } })).rejects.toMatchObject({ kind: 'request_refused' });
  });
});

describe('with a format', () => {
  const ask = async (schema: Record<string, unknown>) => {
    const { result } = await stream({
      messages: [user('How is the weather in Denpasar?')],
      responseFormat: { type: 'json_schema', name: 's', schema },
    });
    return JSON.parse(result.text) as unknown;
  };
  const object = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) });

  test('it fits the schema', async () => {
    const value = await ask({
      ...object({
        status: { type: 'string', enum: ['ok', 'bad'] },
        sure: { type: 'boolean' },
        degrees: { type: 'integer', minimum: 20, maximum: 40 },
        share: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
        tags: { type: 'array', items: { type: 'string', maxLength: 5 }, minItems: 3 },
        place: { $ref: '#/$defs/place' },
        note: { anyOf: [{ type: 'null' }, { type: 'string', minLength: 10 }] },
        kind: { const: 'weather' },
        day: { type: 'string', format: 'date' },
        api_key: { type: 'string' },
      }),
      $defs: { place: object({ city: { type: 'string' }, lat: { type: ['number', 'null'] } }) },
    });
    expect(value).toEqual({
      status: expect.stringMatching(/^(?:ok|bad)$/),
      sure: expect.any(Boolean),
      degrees: expect.any(Number),
      share: expect.any(Number),
      tags: [expect.any(String), expect.any(String), expect.any(String)],
      place: { city: expect.any(String), lat: expect.any(Number) },
      note: expect.stringMatching(/^.{10,}$/),
      kind: 'weather',
      day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      api_key: demoSecrets('\nHow is the weather in Denpasar?').apiKey,
    });
    const { degrees, share, tags } = value as { degrees: number; share: number; tags: string[] };
    expect(degrees).toBeGreaterThanOrEqual(20);
    expect(degrees).toBeLessThanOrEqual(40);
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThanOrEqual(1);
    expect(Math.max(...tags.map((tag) => tag.length))).toBeLessThanOrEqual(5);
  });

  test('it is JSON without a schema too', async () => {
    const { result } = await stream({ messages: [user('Status?')], responseFormat: { type: 'json_object' } });
    expect(JSON.parse(result.text)).toMatchObject({ model: 'demo' });
  });

  const deep = Array.from({ length: 1_000 }).reduce<object>((inner) => object({ inner }), { type: 'string' });
  const wide = object(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, { $ref: '#' }])));
  const several = { anyOf: Array.from({ length: 20 }, () => ({ $ref: '#' })) };
  test.each<[string, object]>([
    ['1,000 levels deep', deep],
    ['that holds itself fifty times', wide],
    ['that is itself', { $ref: '#' }],
    ['of twenty alternatives, each itself', several],
    ['all of itself', { allOf: Array.from({ length: 20 }, () => ({ $ref: '#' })) }],
    ['of a million items', { type: 'array', minItems: 1_000_000, items: { type: 'array', minItems: 1_000_000 } }],
    ['of a long text', { type: 'string', minLength: 1e9 }],
    ['of numbers without end', { type: 'number', minimum: 1e308, multipleOf: 1e-300 }],
    ['with a pattern that never ends', { type: 'string', pattern: '^(a+)+$' }],
    ['of properties that are no objects', { type: 'object', properties: { a: 1, b: null, __proto__: [] } }],
    ['with a reference out of it', { $ref: 'file:///etc/passwd' }],
    ['with a reference into a prototype', { $ref: '#/constructor/prototype' }],
  ])('a schema %s has a small answer', async (_, schema) => {
    const text = JSON.stringify(await ask(schema as Record<string, unknown>));
    expect(text.length).toBeLessThan(50_000);
  });
});

test('it stops before the first stop sequence', async () => {
  const { result } = await stream({ messages: [user('Hi')], stop: ['demo', 'answer'] });
  expect(result.text).toMatch(/built-in \*\*$/);
  expect(result.finishReason).toBe('stop');
});
