import { describe, expect, test } from '@jest/globals';
import { chatRequestSchema } from '@lontar/shared/chat-request.ts';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { readChat } from './read-chat.ts';

const limits = {
  models: { current: namesOfVariables() },
  maxPromptChars: 10,
  maxContextChars: 1_000,
  maxOutputTokens: 4_096,
};
const HELLO = [{ role: 'user', content: 'hello' }];
const base = { model: 'ai-2.5-flash', messages: HELLO };

function read(body: Record<string, unknown>) {
  const reading = readChat({ ...base, ...body }, limits);
  if (!reading.ok) throw new Error(reading.problem.message);
  // What travels in the job has to be what its reader takes.
  expect(chatRequestSchema.parse(reading.ask.chat)).toEqual(reading.ask.chat);
  return reading.ask;
}

function problem(body: Record<string, unknown>) {
  const reading = readChat({ ...base, ...body }, limits);
  if (reading.ok) throw new Error('it was read');
  return reading.problem;
}

const TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object' }, strict: true } };
const CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } };
const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);
const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

describe('a request', () => {
  test('without more than model and messages has the defaults', () => {
    const { chat, ...rest } = read({});
    expect(chat).toEqual({ messages: HELLO });
    expect(rest).toEqual({
      model: 'ai-2.5-flash',
      maxOutputTokens: 4_096,
      isDefaultOutput: true,
      stream: false,
      includeUsage: false,
    });
  });

  test('may say null for all that it leaves out, and more than is known', () => {
    const names = ['temperature', 'top_p', 'n', 'stop', 'seed', 'tools', 'tool_choice', 'response_format', 'user'];
    const more = [
      'logprobs',
      'audio',
      'modalities',
      'functions',
      'stream',
      'stream_options',
      'max_tokens',
      'logit_bias',
    ];
    const nulls = Object.fromEntries([...names, ...more].map((name) => [name, null]));
    expect(read({ ...nulls, metadata: { a: 1 }, service_tier: 'auto', whatever: [] }).chat).toEqual({
      messages: HELLO,
    });
  });

  test('carries everything that it knows', () => {
    const given = {
      temperature: 0,
      top_p: 1,
      stop: 'END',
      seed: 7,
      presence_penalty: -2,
      frequency_penalty: 2,
      reasoning_effort: 'low',
      user: 'u',
      tools: [TOOL],
      tool_choice: { type: 'function', function: { name: 'look' } },
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' }, strict: true } },
      stream_options: { include_usage: true },
      n: 1,
      logprobs: false,
      modalities: ['text'],
      logit_bias: {},
    };
    const { chat, includeUsage } = read(given);
    expect(includeUsage).toBe(true);
    expect(chat).toEqual({
      messages: HELLO,
      temperature: 0,
      topP: 1,
      stop: ['END'],
      seed: 7,
      presencePenalty: -2,
      frequencyPenalty: 2,
      reasoningEffort: 'low',
      user: 'u',
      tools: [{ name: 'look', parameters: { type: 'object' }, strict: true }],
      toolChoice: { name: 'look' },
      parallelToolCalls: false,
      responseFormat: { type: 'json_schema', name: 'x', schema: { type: 'object' }, strict: true },
    });
  });

  test.each([
    [{ max_tokens: 5 }, 5],
    [{ max_completion_tokens: 6 }, 6],
    [{ max_tokens: 5, max_completion_tokens: 6 }, 5],
    [{ max_tokens: null, max_completion_tokens: 6 }, 6],
  ])('is cut by %j', (given, maxOutputTokens) => {
    expect(read(given)).toMatchObject({ maxOutputTokens, isDefaultOutput: false });
  });

  test.each([
    [{ tools: [], tool_choice: 'auto', parallel_tool_calls: true }],
    [{ tool_choice: 'none' }],
    [{ response_format: { type: 'text' } }],
    [{ stop: [] }],
    [{ stop: '' }],
  ])('%j asks for nothing', (given) => {
    expect(read(given).chat).toEqual({ messages: HELLO });
  });
});

describe('messages', () => {
  test.each([
    [
      { role: 'developer', content: 'x' },
      { role: 'system', content: 'x' },
    ],
    [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'system', content: 'a\nb' },
    ],
    [
      { role: 'user', content: [{ type: 'text', text: 'a' }], name: 'Ada' },
      { role: 'user', content: 'a', name: 'Ada' },
    ],
    [
      { role: 'system', content: 'a', name: 'example_user' },
      { role: 'system', content: 'a', name: 'example_user' },
    ],
    [
      { role: 'assistant', content: 'a', name: 'Bo' },
      { role: 'assistant', content: 'a', name: 'Bo' },
    ],
    [
      { role: 'user', content: 'a', name: 'x'.repeat(129) },
      { role: 'user', content: 'a' },
    ],
    [
      { role: 'user', content: 'a', name: 5 },
      { role: 'user', content: 'a' },
    ],
    [
      { role: 'user', content: 'a', name: '' },
      { role: 'user', content: 'a' },
    ],
    [
      { role: 'user', content: '' },
      { role: 'user', content: '' },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'low' } },
          { type: 'image_url', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', url: 'https://x.example/a.png', detail: 'low' },
          { type: 'image', url: 'data:image/png;base64,AAAA' },
        ],
      },
    ],
    [
      { role: 'assistant', content: null, tool_calls: [CALL] },
      { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'look', arguments: '{"at":1}' }] },
    ],
    [{ role: 'assistant', tool_calls: [CALL] }, expect.objectContaining({ content: '' })],
    [
      { role: 'assistant', content: null },
      { role: 'assistant', content: '' },
    ],
    [
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'assistant', content: 'No.' },
    ],
    [
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { role: 'assistant', content: 'No.' },
    ],
    [
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: '21' }] },
      { role: 'tool', toolCallId: 'call_1', content: '21' },
    ],
  ])('%j is read', (given, expected) => {
    expect(read({ messages: [given] }).chat.messages).toEqual([expected]);
  });

  test.each([
    [undefined, 'messages', 'missing'],
    [null, 'messages', 'missing'],
    ['hi', 'messages'],
    [{}, 'messages'],
    [[], 'messages'],
    [['hi'], 'messages[0]'],
    [[null], 'messages[0]'],
    [[{ content: 'x' }], 'messages[0].role', 'missing'],
    [[{ role: 'robot', content: 'x' }], 'messages[0].role'],
    [[{ role: 'function', name: 'f', content: 'x' }], 'messages[0].role', 'unsupported'],
    [[...HELLO, { role: 'user' }], 'messages[1].content', 'missing'],
    [[{ role: 'user', content: 5 }], 'messages[0].content'],
    [[{ role: 'user', content: { type: 'text', text: 'x' } }], 'messages[0].content'],
    [[{ role: 'user', content: ['x'] }], 'messages[0].content[0]'],
    [[{ role: 'user', content: [[{ type: 'text', text: 'x' }]] }], 'messages[0].content[0]'],
    [[{ role: 'user', content: [{ type: 'text' }] }], 'messages[0].content[0].text', 'missing'],
    [[{ role: 'user', content: [{ type: 'input_audio' }] }], 'messages[0].content[0].type', 'unsupported'],
    [
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }],
      'messages[0].content[0].image_url.url',
    ],
    [[{ role: 'system', content: [{ type: 'image_url' }] }], 'messages[0].content[0].type', 'unsupported'],
    [[{ role: 'assistant' }], 'messages[0].content', 'missing'],
    [[{ role: 'assistant', content: 'x', function_call: {} }], 'messages[0].function_call', 'unsupported'],
    [[{ role: 'assistant', tool_calls: {} }], 'messages[0].tool_calls'],
    [[{ role: 'assistant', tool_calls: [{ id: 'a' }] }], 'messages[0].tool_calls[0].function', 'missing'],
    [[{ role: 'assistant', tool_calls: [{ ...CALL, type: 'custom' }] }], 'messages[0].tool_calls[0].type'],
    [
      [{ role: 'assistant', tool_calls: [{ ...CALL, function: { name: 'a', arguments: {} } }] }],
      'messages[0].tool_calls[0].function.arguments',
    ],
    [[{ role: 'tool', content: 'x' }], 'messages[0].tool_call_id', 'missing'],
    [[{ role: 'tool', tool_call_id: 'a' }], 'messages[0].content', 'missing'],
    [[{ role: 'user', content: 'half \ud800 pair' }], 'messages[0].content'],
    [[{ role: 'user', content: 'a\0b' }], 'messages[0].content'],
  ])('%j names %s', (messages, param, ...fault) => {
    const found = problem({ messages });
    expect(found).toMatchObject({ error: 'invalid_parameter', param, message: expect.stringContaining(param) });
    expect([found.fault]).toEqual(fault.length === 0 ? [undefined] : fault);
  });
});

describe('a field', () => {
  test.each([
    [{ model: undefined }, 'model', 'missing'],
    [{ model: 5 }, 'model'],
    [{ temperature: 2.1 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: -0.1 }, 'top_p'],
    [{ presence_penalty: 3 }, 'presence_penalty'],
    [{ frequency_penalty: -3 }, 'frequency_penalty'],
    [{ seed: 1.5 }, 'seed'],
    [{ seed: 1e300 }, 'seed'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 4_097 }, 'max_tokens'],
    [{ max_completion_tokens: 1.5 }, 'max_completion_tokens'],
    [{ stop: 5 }, 'stop'],
    [{ stop: [5] }, 'stop[0]'],
    [{ stop: Array(17).fill('x') }, 'stop'],
    [{ stop: 'x'.repeat(1_001) }, 'stop'],
    [{ stream: 'yes' }, 'stream'],
    [{ stream_options: true }, 'stream_options'],
    [{ user: 5 }, 'user'],
    [{ reasoning_effort: 'HIGH; DROP' }, 'reasoning_effort'],
    [{ n: 2 }, 'n', 'unsupported'],
    [{ n: 0 }, 'n', 'unsupported'],
    [{ logprobs: true }, 'logprobs', 'unsupported'],
    [{ top_logprobs: 2 }, 'top_logprobs', 'unsupported'],
    [{ audio: { voice: 'x' } }, 'audio', 'unsupported'],
    [{ modalities: ['text', 'audio'] }, 'modalities', 'unsupported'],
    [{ logit_bias: { 5: 1 } }, 'logit_bias', 'unsupported'],
    [{ web_search_options: {} }, 'web_search_options', 'unsupported'],
    [{ functions: [{ name: 'f' }] }, 'functions', 'unsupported'],
    [{ function_call: { name: 'f' } }, 'function_call', 'unsupported'],
    [{ tools: {} }, 'tools'],
    [{ tools: [5] }, 'tools[0]'],
    [{ tools: [{ type: 'custom' }] }, 'tools[0].type', 'unsupported'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function', 'missing'],
    [{ tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name', 'missing'],
    [{ tools: [{ type: 'function', function: { name: 'a b' } }] }, 'tools[0].function.name'],
    [{ tools: [{ type: 'function', function: { name: 'a', parameters: [] } }] }, 'tools[0].function.parameters'],
    [{ tools: [{ type: 'function', function: { name: 'a', strict: 1 } }] }, 'tools[0].function.strict'],
    [{ tools: many(513, TOOL) }, 'tools'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tool_choice: 'any', tools: [TOOL] }, 'tool_choice'],
    [{ tool_choice: { type: 'function', function: { name: 'b' } }, tools: [TOOL] }, 'tool_choice.function.name'],
    [{ response_format: 'json' }, 'response_format'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema', 'missing'],
    [{ response_format: { type: 'json_schema', json_schema: { name: '' } } }, 'response_format.json_schema.name'],
  ])('%j is refused by its name', (given, param, ...fault) => {
    const found = problem(given);
    expect(found).toMatchObject({ error: 'invalid_parameter', param, message: expect.stringContaining(param) });
    expect([found.fault]).toEqual(fault.length === 0 ? [undefined] : fault);
  });

  test('model that does not exist has an error of its own', () => {
    expect(problem({ model: 'gpt-5' })).toMatchObject({ error: 'model_not_found', param: 'model' });
  });
});

describe('what has no end', () => {
  const schema = (parameters: unknown) => ({ tools: [{ type: 'function', function: { name: 'a', parameters } }] });

  test('is refused by the characters of all texts together, and not counted by UTF-16 units', () => {
    const half = { role: 'user', content: 'x'.repeat(500) };
    expect(read({ messages: [half, half] }).chat.messages).toHaveLength(2);
    expect(read({ messages: [{ role: 'user', content: '🌴'.repeat(1_000) }] }).chat.messages).toHaveLength(1);
    for (const more of [{ messages: [half, half, ...HELLO] }, { messages: [half, half], tools: [TOOL] }]) {
      expect(problem(more)).toMatchObject({ error: 'context_exceeded', param: 'messages' });
    }
    expect(problem({ messages: [{ role: 'user', content: '🌴'.repeat(1_001) }] }).message).toContain('1001 were given');
  });

  test('is refused by its number of messages, parts and values', () => {
    expect(problem({ messages: many(10_001, HELLO[0]) })).toMatchObject({ param: 'messages' });
    const part = { type: 'text', text: '' };
    const long = { role: 'user', content: many(10_000, part) };
    expect(problem({ messages: many(11, long) }).message).toContain('more than 100000 parts');
    expect(problem(schema({ enum: Array(100_001).fill(1) })).message).toContain('more than 100000 parts');
  });

  test('is refused by its depth, however deep it is', () => {
    expect(read(schema(nested(100))).chat.tools).toHaveLength(1);
    for (const depth of [101, 1_000, 100_000]) {
      expect(problem(schema(nested(depth)))).toMatchObject({ param: 'tools[0].function.parameters' });
    }
    const content = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(problem({ messages: [{ role: 'user', content }] })).toMatchObject({ param: 'messages[0].content[0]' });
  });

  test('has its texts and names checked in the depth of a schema', () => {
    expect(problem(schema({ a: { b: ['\ud800'] } })).message).toContain('valid Unicode');
    expect(problem(schema({ 'a\0': 1 })).message).toContain('NUL');
  });
});
