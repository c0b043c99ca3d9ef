import { CHAT_ENDPOINT, type GenerationEndpoint } from '@lontar/shared/endpoints.ts';

/** What is asked, and how. The key is kept in the memory of the page only. */
export interface Settings {
  readonly key: string;
  readonly endpoint: GenerationEndpoint;
  readonly model: string;
  readonly system: string;
  /** The model's own where absent. */
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** A list of tools as OpenAI has them, JSON; empty for none. */
  readonly tools: string;
}

/** A function that the model wants called. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it. */
  readonly arguments: string;
}

/** A message as `/v1/chat/completions` takes it. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly SentCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

interface SentCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The body of a request, as JSON has it. */
export type Body = Readonly<Record<string, unknown>>;

/** Whether a conversation of one's own messages is asked for, as a stream; the others take one prompt and have a persona. */
export function isChat({ endpoint }: Pick<Settings, 'endpoint'>): boolean {
  return endpoint === CHAT_ENDPOINT;
}

/** The body that is sent: a conversation, or the prompt of its last message. */
export function bodyOf(settings: Settings, messages: readonly Message[]): Body {
  const { model, system, temperature, maxTokens } = settings;
  const warmth = temperature === undefined ? {} : { temperature };
  if (!isChat(settings)) {
    const prompt = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    return { prompt, model, ...warmth, ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }) };
  }
  const tools = readTools(settings.tools);
  const first: readonly Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  return {
    model,
    messages: [...first, ...messages],
    ...warmth,
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    ...(Array.isArray(tools) && tools.length > 0 ? { tools } : {}),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/**
 * The tools that were typed. A single tool stands for a list of it.
 *
 * @returns the list, or `undefined` where the text is no JSON, or neither a list of objects nor an object
 */
export function readTools(text: string): readonly unknown[] | undefined {
  if (text.trim() === '') return [];
  try {
    const read: unknown = JSON.parse(text);
    const tools: readonly unknown[] = Array.isArray(read) ? read : [read];
    return tools.every((tool) => typeof tool === 'object' && tool !== null && !Array.isArray(tool)) ? tools : undefined;
  } catch {
    return undefined;
  }
}

/** An answer, as the next request hands it back to the model. */
export function saidByModel(text: string, calls: readonly ToolCall[]): Message {
  if (calls.length === 0) return { role: 'assistant', content: text };
  const sent = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: given },
  }));
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: sent };
}
