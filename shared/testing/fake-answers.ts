export type Protocol = 'openai' | 'gemini';

/** What the fake upstream says of itself. */
export const UPSTREAM_WORDS = 'canary-words-of-the-upstream';

/** Tokens of an answer, and parts of them. */
export interface FakeUsage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly reasoning?: number;
}

/** In the words of OpenAI, and the same in Gemini's. */
const GEMINI_FINISH: Record<string, string> = { stop: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' };

export function answerBody(
  protocol: Protocol,
  text: string,
  finish = 'stop',
  usage: FakeUsage = { input: 11, output: 7 },
  { reasoning, toolCalls }: Pick<StreamedAnswer, 'reasoning' | 'toolCalls'> = {},
): object {
  if (protocol === 'gemini') {
    const parts = [
      ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
      { text },
      ...(toolCalls ?? []).map(({ name, arguments: args }) => ({ functionCall: { name, args: JSON.parse(args) } })),
    ];
    return {
      candidates: [{ content: { role: 'model', parts }, finishReason: GEMINI_FINISH[finish] ?? finish }],
      usageMetadata: geminiUsage(usage),
    };
  }
  const calls = toolCalls?.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          ...(reasoning !== undefined && { reasoning_content: reasoning }),
          ...(calls !== undefined && { tool_calls: calls }),
        },
        finish_reason: finish,
      },
    ],
    usage: openAiUsage(usage),
  };
}

export function blockedBody(protocol: Protocol): object {
  if (protocol === 'gemini') {
    return { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 11, totalTokenCount: 11 } };
  }
  return {
    choices: [{ index: 0, message: { role: 'assistant', content: null }, finish_reason: 'content_filter' }],
  };
}

/** As Gemini 2.5 answers, without any part; and as servers of reasoning models in OpenAI's protocol do. */
export function usedUpBody(protocol: Protocol): object {
  if (protocol === 'gemini') {
    return {
      candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
      usageMetadata: { promptTokenCount: 11, thoughtsTokenCount: 7, totalTokenCount: 18 },
    };
  }
  const message = { role: 'assistant', content: null, reasoning_content: 'First I think.' };
  return {
    ...answerBody(protocol, '', 'length'),
    choices: [{ index: 0, message, finish_reason: 'length' }],
  };
}

/** How an answer is streamed, in pieces of JSON. */
export interface StreamedAnswer {
  readonly text: string;
  readonly reasoning?: string | undefined;
  /** In OpenAI's words. */
  readonly finishReason?: string | undefined;
  readonly usage?: FakeUsage | undefined;
  readonly toolCalls?: readonly FakeToolCall[] | undefined;
  /** UTF-16 units of each piece. */
  readonly pieceLength?: number | undefined;
}

export interface FakeToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as text. */
  readonly arguments: string;
}

/** An answer as the events of a stream, without their envelope; `[DONE]` is not among them. */
export function streamedBodies(protocol: Protocol, answer: StreamedAnswer, withUsage: boolean): object[] {
  return protocol === 'gemini' ? geminiStream(answer) : openAiStream(answer, withUsage);
}

function openAiStream(answer: StreamedAnswer, withUsage: boolean): object[] {
  const { text, reasoning = '', finishReason, usage = { input: 11, output: 7 }, toolCalls = [] } = answer;
  const chunk = (delta: object, finish: string | null = null) => ({
    ...CHUNK,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(reasoning, answer.pieceLength).map((piece) => chunk({ reasoning_content: piece })),
    ...piecesOf(text, answer.pieceLength).map((piece) => chunk({ content: piece })),
    ...toolCalls.flatMap(({ id, name, arguments: args }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...piecesOf(args, answer.pieceLength).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')),
    ...(withUsage ? [{ ...CHUNK, choices: [], usage: openAiUsage(usage) }] : []),
  ];
}

const CHUNK = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1, model: 'fake' };

function openAiUsage({ input, output, cachedInput, reasoning }: FakeUsage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cachedInput !== undefined && { prompt_tokens_details: { cached_tokens: cachedInput } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

function geminiUsage({ input, output, cachedInput, reasoning = 0 }: FakeUsage): object {
  return {
    promptTokenCount: input,
    // Thoughts are beside it.
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(cachedInput !== undefined && { cachedContentTokenCount: cachedInput }),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  };
}

function geminiStream(answer: StreamedAnswer): object[] {
  const { text, reasoning = '', finishReason = 'stop', usage = { input: 11, output: 7 }, toolCalls = [] } = answer;
  const piece = (part: object) => ({ candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] });
  return [
    ...piecesOf(reasoning, answer.pieceLength).map((words) => piece({ text: words, thought: true })),
    ...piecesOf(text, answer.pieceLength).map((words) => piece({ text: words })),
    ...toolCalls.map(({ name, arguments: args }) =>
      piece({ functionCall: { name, args: JSON.parse(args) as object } }),
    ),
    {
      candidates: [
        { content: { role: 'model', parts: [] }, finishReason: GEMINI_FINISH[finishReason] ?? finishReason },
      ],
      usageMetadata: geminiUsage(usage),
    },
  ];
}

function piecesOf(text: string, length = 4): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));
}

export function errorBody(protocol: Protocol, status: number): object {
  return protocol === 'gemini'
    ? { error: { code: status, message: UPSTREAM_WORDS, status: 'FAKE' } }
    : { error: { message: UPSTREAM_WORDS, type: 'fake_error', code: null } };
}
