import { describe, expect, test } from '@jest/globals';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { readChat } from '../gateway/src/openai/read-chat.ts';
import { writeRequest } from '../worker/src/model/openai/write-request.ts';

/**
 * What real programs send, as a server in Lontar's place wrote it down (November 2026), with long texts cut and one tool left
 * of each list: an upstream must be asked for the same as without Lontar.
 */
const QUESTION = 'How is the weather in Paris?';
const ASKED = { role: 'user', content: QUESTION };
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const WEATHER = { type: 'function', function: { name: 'get_weather', description: 'w', parameters: CITY } };
const STRICT = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather.',
    parameters: { ...CITY, additionalProperties: false },
    strict: true,
  },
};
const CALL = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } };
const CALLED = [
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 'call_1', content: 'fine' },
];
const FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'W', strict: true, schema: { ...CITY, title: 'W', additionalProperties: false } },
};
const USAGE = { include_usage: true };
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

const SENT: readonly (readonly [program: string, body: Record<string, unknown>])[] = [
  ['openai for Python 3.3.0, parsed', { messages: [ASKED], response_format: FORMAT, stream: false }],
  ['openai for Node 7.57.0, streamed', { messages: [ASKED], stream_options: USAGE, tools: [WEATHER], stream: true }],
  ['llm 0.36', { messages: [ASKED, ...CALLED], stream: true, stream_options: USAGE, tools: [WEATHER] }],
  [
    'aider 0.86.2',
    {
      messages: [
        { role: 'system', content: 'Act as an expert.' },
        ASKED,
        { role: 'assistant', content: 'Yes.' },
        ASKED,
      ],
      stream: true,
      temperature: 0,
    },
  ],
  [
    'langchain-openai for Python 1.7.3, a schema by a function',
    {
      messages: [ASKED],
      parallel_tool_calls: false,
      stream: false,
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      tools: [WEATHER],
    },
  ],
  [
    '@langchain/openai for Node, a schema by a function',
    {
      stream: false,
      tools: [{ type: 'function', function: { name: 'w', parameters: { $schema: DRAFT, ...CITY } } }],
      tool_choice: { type: 'function', function: { name: 'w' } },
      messages: [ASKED],
    },
  ],
  [
    'pydantic-ai 2.38.0',
    {
      messages: [{ role: 'system', content: 'Be short.' }, ASKED, ...CALLED],
      stream: false,
      tool_choice: 'auto',
      tools: [STRICT],
    },
  ],
  ['OpenAI Agents 0.24.0', { messages: [{ content: 'Be short.', role: 'system' }, ASKED, ...CALLED], tools: [STRICT] }],
  [
    'instructor 1.17.0',
    { messages: [ASKED], tools: [STRICT], tool_choice: { type: 'function', function: { name: 'get_weather' } } },
  ],
  ['LiteLLM with openai 2.54.0', { messages: [ASKED], response_format: FORMAT }],
  [
    'AI SDK 7.0.173',
    { messages: [ASKED, ...CALLED], tools: [WEATHER], tool_choice: 'auto', stream: true, stream_options: USAGE },
  ],
  ['promptfoo 0.123.1', { messages: [ASKED], max_tokens: 1024, temperature: 0, response_format: FORMAT }],
  [
    'qwen-code 0.24.4',
    {
      messages: [
        { role: 'system', content: 'You are Qwen Code.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '<system-reminder>' },
            { type: 'text', text: QUESTION },
          ],
        },
        { role: 'assistant', content: null, reasoning_content: 'Let me look.', tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'fine' }] },
      ],
      max_tokens: 32_000,
      stream: true,
      stream_options: USAGE,
      tools: [
        {
          type: 'function',
          function: {
            name: 'read_file',
            description: 'Reads.',
            parameters: { properties: { limit: { type: ['integer', 'null'] } }, type: 'object' },
          },
        },
      ],
    },
  ],
  [
    'opencode 1.18.33',
    {
      max_tokens: 32_000,
      messages: [
        { role: 'system', content: 'You are opencode.' },
        ASKED,
        { role: 'assistant', content: '', tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: 'hi\n' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'bash',
            description: 'Executes.',
            parameters: {
              $schema: DRAFT,
              type: 'object',
              properties: {
                timeout: {
                  minimum: Number.MIN_SAFE_INTEGER,
                  exclusiveMinimum: 0,
                  type: 'integer',
                  maximum: Number.MAX_SAFE_INTEGER,
                },
              },
            },
          },
        },
      ],
      tool_choice: 'auto',
      stream: true,
      stream_options: USAGE,
    },
  ],
];

const limits = {
  models: { current: namesOfVariables() },
  maxPromptChars: 32_768,
  maxContextChars: 1_000_000,
  maxOutputTokens: 65_536,
};

/** What an upstream is asked, without the forms that mean the same. */
function meaning({ messages, stream, stream_options: options, ...rest }: Record<string, unknown>) {
  const textOf = (content: unknown) =>
    Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join('\n') : content || null;
  const said = (messages as Record<string, unknown>[]).map((message) =>
    Object.assign({}, message, { content: textOf(message['content']) }),
  );
  return { ...rest, messages: said, ...(stream === true && { stream, stream_options: options ?? USAGE }) };
}

describe('a request as it is sent by', () => {
  test.each(SENT)('%s is taken, and asks the upstream for the same', (_program, sent) => {
    const reading = readChat({ model: 'ai-2.5-flash', ...sent }, limits);
    if (!reading.ok) throw new Error(reading.problem.message);
    const { chat, maxOutputTokens, stream, includeUsage, isDefaultOutput } = reading.ask;
    expect([stream, includeUsage]).toEqual([sent['stream'] === true, sent['stream_options'] !== undefined]);
    const asked = writeRequest(
      { requestId: 'req_x', model: 'm', chat, maxOutputTokens },
      { isStream: stream, limit: isDefaultOutput ? undefined : 'max_tokens', asksUsage: true },
    );
    expect(meaning(JSON.parse(asked) as Record<string, unknown>)).toEqual(meaning({ model: 'm', ...sent }));
  });
});
