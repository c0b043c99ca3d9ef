import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, type ModelMessage, Output, streamText, tool } from 'ai';
import OpenAI from 'openai';

/**
 * Real clients of OpenAI's protocol behind one face, so that one table of cases holds for all: what is asked of each in
 * its own words, and what each makes of the answer.
 */

export const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a city.',
  schema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
} as const;

/** What is asked; each client writes it in its own form. */
export interface ClientAsk {
  readonly temperature?: number;
  readonly toolChoice?: 'auto' | 'required' | 'named';
  /** Answer by the schema of `WEATHER`. */
  readonly json?: true;
  /** A conversation in which the tool was called and has answered. */
  readonly afterTool?: true;
  readonly headers?: Record<string, string>;
  readonly model?: string;
}

/** What a client makes of an answer. */
export interface Said {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  readonly finish: string;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** @throws the client's own error */
export type AskByClient = (where: { baseURL: string; apiKey: string }, asked: ClientAsk) => Promise<Said>;

const MODEL = 'ai-2.5-flash';
const SYSTEM = 'Be short.';
const QUESTION = 'How is the weather in Paris?';
const CALL = { id: 'call_9', name: WEATHER.name, args: { city: 'Paris' } } as const;
const RESULT = '21 degrees';

export const CLIENTS: Readonly<Record<string, AskByClient>> = {
  'openai for Node': askByOpenAi,
  "Vercel's AI SDK": askByAiSdk,
  LangChain: askByLangChain,
};

/** The text of a stream, as each client reads it. Each throws its own error. */
export const TEXT_BY_CLIENT: Readonly<Record<string, (baseURL: string) => Promise<string>>> = {
  async 'openai for Node'(baseURL) {
    const client = new OpenAI({ baseURL, apiKey: 'x', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'x' }];
    let text = '';
    for await (const { choices } of await client.chat.completions.create({ model: 'm', stream: true, messages }))
      text += choices[0]?.delta.content ?? '';
    return text;
  },
  async "Vercel's AI SDK"(baseURL) {
    const provider = createOpenAICompatible({ name: 'lontar', baseURL, apiKey: 'x' });
    return streamText({ model: provider('m'), prompt: 'x', maxRetries: 0 }).text;
  },
  async LangChain(baseURL) {
    const configuration = { baseURL };
    const model = new ChatOpenAI({ model: 'm', apiKey: 'x', maxRetries: 0, useResponsesApi: false, configuration });
    let text = '';
    for await (const chunk of await model.stream('x')) text += chunk.text;
    return text;
  },
};

async function askByOpenAi({ baseURL, apiKey }: { baseURL: string; apiKey: string }, asked: ClientAsk): Promise<Said> {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0, defaultHeaders: asked.headers });
  const { name, description, schema } = WEATHER;
  const { toolChoice } = asked;
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'developer', content: SYSTEM },
    { role: 'user', content: [{ type: 'text', text: QUESTION }] },
  ];
  if (asked.afterTool) {
    const called = { name, arguments: JSON.stringify(CALL.args) };
    messages.push(
      { role: 'assistant', content: null, tool_calls: [{ id: CALL.id, type: 'function', function: called }] },
      { role: 'tool', tool_call_id: CALL.id, content: [{ type: 'text', text: RESULT }] },
    );
  }
  const { choices, usage } = await client.chat.completions.create({
    model: asked.model ?? MODEL,
    messages,
    max_completion_tokens: 100,
    ...(asked.temperature !== undefined && { temperature: asked.temperature }),
    ...(toolChoice && {
      tools: [{ type: 'function', function: { name, description, parameters: schema, strict: true } }],
      tool_choice: toolChoice === 'named' ? { type: 'function', function: { name } } : toolChoice,
    }),
    ...(asked.json && { response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } } }),
  });
  const [choice] = choices;
  return {
    text: choice?.message.content ?? '',
    calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [{ name: call.function.name, args: JSON.parse(call.function.arguments) }] : [],
    ),
    finish: choice?.finish_reason ?? '',
    inputTokens: usage?.prompt_tokens,
    outputTokens: usage?.completion_tokens,
  };
}

async function askByAiSdk({ baseURL, apiKey }: { baseURL: string; apiKey: string }, asked: ClientAsk): Promise<Said> {
  const provider = createOpenAICompatible({
    name: 'lontar',
    baseURL,
    apiKey,
    supportsStructuredOutputs: true,
    ...(asked.headers && { headers: asked.headers }),
  });
  const { name, description, schema } = WEATHER;
  const { toolChoice } = asked;
  const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: QUESTION }] }];
  if (asked.afterTool) {
    const of = { toolCallId: CALL.id, toolName: name };
    messages.push(
      { role: 'assistant', content: [{ type: 'tool-call', ...of, input: CALL.args }] },
      { role: 'tool', content: [{ type: 'tool-result', ...of, output: { type: 'text', value: RESULT } }] },
    );
  }
  const result = await generateText({
    model: provider(asked.model ?? MODEL),
    system: SYSTEM,
    messages,
    maxOutputTokens: 100,
    maxRetries: 0,
    ...(asked.temperature !== undefined && { temperature: asked.temperature }),
    ...(toolChoice && {
      tools: { [name]: tool({ description, inputSchema: jsonSchema(schema) }) },
      toolChoice: toolChoice === 'named' ? { type: 'tool', toolName: name } : toolChoice,
    }),
    ...(asked.json && { output: Output.object({ schema: jsonSchema(schema), name }) }),
  });
  return {
    text: result.text,
    calls: result.toolCalls.map(({ toolName, input }) => ({ name: toolName, args: input as unknown })),
    finish: result.finishReason,
    inputTokens: result.usage.inputTokens,
    outputTokens: result.usage.outputTokens,
  };
}

async function askByLangChain(
  { baseURL, apiKey }: { baseURL: string; apiKey: string },
  asked: ClientAsk,
): Promise<Said> {
  const { name, description, schema } = WEATHER;
  const { toolChoice } = asked;
  const model = new ChatOpenAI({
    model: asked.model ?? MODEL,
    apiKey,
    maxRetries: 0,
    maxTokens: 100,
    useResponsesApi: false,
    configuration: { baseURL, ...(asked.headers && { defaultHeaders: asked.headers }) },
    ...(asked.temperature !== undefined && { temperature: asked.temperature }),
  });
  const messages = [
    new SystemMessage(SYSTEM),
    new HumanMessage(QUESTION),
    ...(asked.afterTool
      ? [
          new AIMessage({ content: '', tool_calls: [CALL] }),
          new ToolMessage({ tool_call_id: CALL.id, content: RESULT }),
        ]
      : []),
  ];
  const answer = await model.invoke(messages, {
    ...(toolChoice && {
      tools: [{ type: 'function', function: { name, description, parameters: schema } }],
      tool_choice: toolChoice === 'named' ? name : toolChoice,
    }),
    ...(asked.json && { response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } } }),
  });
  const reason: unknown = answer.response_metadata['finish_reason'];
  const usage = answer.usage_metadata as { input_tokens: number; output_tokens: number } | undefined;
  return {
    text: answer.text,
    calls: (answer.tool_calls ?? []).map((call) => ({ name: call.name, args: call.args })),
    finish: String(reason),
    inputTokens: usage?.input_tokens,
    outputTokens: usage?.output_tokens,
  };
}
