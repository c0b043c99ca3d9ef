import type { ChatMessage, ChatRequest, ChatTool, ToolCall } from '@lontar/shared/chat-request.ts';
import { ModelError, type ModelRequest } from '../language-model.ts';

/** What of a request is written in another way, or left out, because the model refused it. */
export interface MessagesForm {
  readonly isStream: boolean;
  /** The longest answer that the model can give, tokens, where it has said so. */
  readonly mostOutputTokens?: number | undefined;
  /** Whether temperature and top_p are left out. */
  readonly noSampling?: boolean;
  /** Whether the model is not asked to think aloud. */
  readonly noThinking?: boolean;
}

type Block = Readonly<Record<string, unknown>>;
interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/**
 * The body of `POST /v1/messages`, JSON. What the protocol does not have is left out where the answer is one all the same:
 * seed, penalties, the detail of an image, stop sequences that are blank.
 *
 * @throws ModelError `request_refused` for what can be neither honoured nor left out
 */
export function writeMessages(request: ModelRequest, form: MessagesForm): string {
  const { chat, model } = request;
  const maxTokens = Math.min(request.maxOutputTokens, form.mostOutputTokens ?? Number.POSITIVE_INFINITY);
  const { system, messages } = toMessages(chat);
  const thinking = form.noThinking === true ? undefined : thinkingOf(chat, maxTokens);
  const stops = chat.stop?.filter((text) => text.trim() !== '') ?? [];
  return JSON.stringify({
    model,
    max_tokens: maxTokens,
    ...(system !== '' && { system }),
    messages,
    ...(thinking && { thinking }),
    ...(form.noSampling !== true && thinking === undefined && samplingOf(chat)),
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...(chat.tools !== undefined && toolsOf(chat, chat.tools)),
    ...(chat.user !== undefined && { metadata: { user_id: chat.user } }),
    ...(form.isStream && { stream: true }),
  });
}

/** One of the two: newer models take no more. Its scale ends at 1. */
function samplingOf({ temperature, topP }: ChatRequest) {
  if (temperature !== undefined) return { temperature: Math.min(1, temperature) };
  return topP === undefined ? {} : { top_p: topP };
}

const LEAST_THINKING_TOKENS = 1_024;
/** What part of the output tokens is for thinking. */
const THINKING_SHARES: Readonly<Record<string, number>> = { low: 0.2, medium: 0.5, high: 0.8 };

/** A call that is forced does not go with it. */
function thinkingOf({ reasoningEffort = '', toolChoice = 'auto' }: ChatRequest, maxTokens: number) {
  const share = Object.hasOwn(THINKING_SHARES, reasoningEffort) ? THINKING_SHARES[reasoningEffort] : undefined;
  if (share === undefined || maxTokens < 2 * LEAST_THINKING_TOKENS) return undefined;
  if (toolChoice !== 'auto' && toolChoice !== 'none') return undefined;
  return { type: 'enabled', budget_tokens: Math.max(LEAST_THINKING_TOKENS, Math.floor(maxTokens * share)) };
}

function toMessages(chat: ChatRequest): { system: string; messages: readonly Message[] } {
  const system = chat.messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const format = formatWords(chat);
  const messages: Message[] = [];
  for (const message of chat.messages) {
    if (message.role === 'system') continue;
    const content = blocksOf(message);
    if (content.length === 0) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = messages.at(-1);
    // Several tools answer in one message, and so does a caller in a row.
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content });
  }
  // A request may be all instructions; the protocol wants something to answer.
  const [only = ''] = system.splice(messages.length > 0 ? system.length : 0);
  if (messages.length === 0) messages.push({ role: 'user', content: [text(only)] });
  return { system: [...system, ...format].join('\n\n'), messages };
}

function text(words: string): Block {
  return { type: 'text', text: words };
}

/** Empty texts are refused. */
function textBlocks(words: string): Block[] {
  return words === '' ? [] : [text(words)];
}

function blocksOf(message: Exclude<ChatMessage, { role: 'system' }>): Block[] {
  switch (message.role) {
    case 'user':
      if (typeof message.content === 'string') return textBlocks(message.content);
      return message.content.flatMap((part) => (part.type === 'text' ? textBlocks(part.text) : [imageOf(part.url)]));
    case 'assistant':
      // White space at the end of a beginning is refused.
      return textBlocks(message.content.trimEnd()).concat((message.toolCalls ?? []).map(callOf));
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: idOf(message.toolCallId), content: message.content }];
  }
}

function imageOf(url: string): Block {
  const inline = /^data:(image\/[\w.+-]{1,40});base64,/i.exec(url);
  if (inline?.[1] !== undefined) {
    const source = { type: 'base64', media_type: inline[1].toLowerCase(), data: url.slice(inline[0].length) };
    return { type: 'image', source };
  }
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new ModelError('request_refused', { field: 'messages' });
  return { type: 'image', source: { type: 'url', url } };
}

function callOf({ id, name, arguments: args }: ToolCall): Block {
  return { type: 'tool_use', id: idOf(id), name, input: parseArguments(args) };
}

/** Ids of other servers have other characters. */
function idOf(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, '_') || '_';
}

function parseArguments(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

function toolsOf({ toolChoice = 'auto', parallelToolCalls }: ChatRequest, tools: readonly ChatTool[]) {
  const single = parallelToolCalls === false && { disable_parallel_tool_use: true };
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: Object.assign({ type: 'object' }, parameters),
    })),
    ...((toolChoice !== 'auto' || single) && { tool_choice: { ...choiceOf(toolChoice, tools), ...single } }),
  };
}

function choiceOf(choice: NonNullable<ChatRequest['toolChoice']>, tools: readonly ChatTool[]) {
  if (choice === 'required') return { type: 'any' };
  if (typeof choice === 'string') return { type: choice };
  if (!tools.some(({ name }) => name === choice.name))
    throw new ModelError('request_refused', { field: 'tool_choice' });
  return { type: 'tool', name: choice.name };
}

/** Not all models can be held to a form; all can be asked for it. */
function formatWords({ responseFormat }: ChatRequest): string[] {
  if (responseFormat === undefined) return [];
  const words = 'Answer with one JSON object and nothing else: no code fence, no words before or behind it.';
  if (responseFormat.type === 'json_object' || responseFormat.schema === undefined) return [words];
  return [`${words} It must be valid under this JSON Schema:\n${JSON.stringify(responseFormat.schema)}`];
}
