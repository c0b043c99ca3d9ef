import type { ChatMessage, ChatRequest, ChatTool, ToolCall } from '@lontar/shared/chat-request.ts';
import type { ModelRequest } from '../language-model.ts';

/** How servers want the token limit named. */
export type LimitNames = 'max_tokens' | 'max_completion_tokens' | 'both';

export interface RequestForm {
  readonly isStream: boolean;
  /** Undefined: no limit is sent. */
  readonly limit: LimitNames | undefined;
  /** Whether a stream is asked for its token counts. */
  readonly asksUsage: boolean;
  /** Whether what the model thought before is left out, where the caller sends it back. */
  readonly omitsThoughts?: boolean;
  /** Whether the server is Google's, whose models want calls back with a signature. */
  readonly isGoogle?: boolean;
}

/** How a server wants the key. Azure's older paths refuse it as `Authorization`, and both together. */
export function keyHeaders(apiKey: string | undefined, { hostname, pathname }: URL): Record<string, string> {
  if (apiKey === undefined || apiKey === '') return {};
  const isOlderAzure = hostname.endsWith('.azure.com') && pathname.includes('/deployments/');
  return isOlderAzure ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}

/** How a server wants the limit named, by its host. */
export function limitNamesOf(host: string): LimitNames {
  // OpenAI's own models know the newer name, and those that reason no other; both together it refuses.
  if (/(?:^|\.)openai\.com$/.test(host)) return 'max_completion_tokens';
  // Azure's older API versions know the older name alone.
  return host.endsWith('.azure.com') ? 'max_tokens' : 'both';
}

/** The body of `POST /chat/completions`, JSON. */
export function writeRequest(request: ModelRequest, form: RequestForm): string {
  const { chat } = request;
  const body: Record<string, unknown> = {
    model: request.model,
    messages: chat.messages.map((message) =>
      toMessage(message, {
        omitsThoughts: form.omitsThoughts === true,
        signsCalls: form.isGoogle === true && WANTS_SIGNATURES.test(request.model),
      }),
    ),
    temperature: chat.temperature,
    ...limitOf(request.maxOutputTokens, form.limit),
    ...(form.isStream && { stream: true, ...(form.asksUsage && { stream_options: { include_usage: true } }) }),
    ...furtherFields(chat),
  };
  return JSON.stringify(suitReasoningModels(body));
}

/** Those that most requests are without; `undefined` is left out of JSON. */
function furtherFields(chat: ChatRequest): Record<string, unknown> {
  return {
    top_p: chat.topP,
    stop: chat.stop,
    seed: chat.seed,
    presence_penalty: chat.presencePenalty,
    frequency_penalty: chat.frequencyPenalty,
    response_format: chat.responseFormat && toResponseFormat(chat.responseFormat),
    tools: chat.tools?.map(toTool),
    tool_choice: chat.toolChoice && toToolChoice(chat.toolChoice),
    parallel_tool_calls: chat.parallelToolCalls,
    reasoning_effort: chat.reasoningEffort,
    user: chat.user,
  };
}

function limitOf(tokens: number, names: LimitNames | undefined): Record<string, number> {
  if (names === undefined) return {};
  // llama-cpp-python ignores the newer name, and some servers the older one; ignoring it would remove the limit.
  return {
    ...(names !== 'max_completion_tokens' && { max_tokens: tokens }),
    ...(names !== 'max_tokens' && { max_completion_tokens: tokens }),
  };
}

/**
 * OpenAI's reasoning models (o1 and later, GPT-5 and later) refuse `max_tokens` and any `temperature` but their own;
 * they would refuse every request otherwise. Other models and servers get the fields that all of them know.
 */
export function suitReasoningModels(body: Record<string, unknown>): Record<string, unknown> {
  if (!/(?:^|\/)(?:o\d|gpt-[5-9])(?!.*chat)/.test(String(body['model']))) return body;
  const { max_tokens, max_completion_tokens = max_tokens, temperature: _temperature, ...rest } = body;
  return { ...rest, ...(max_completion_tokens !== undefined && { max_completion_tokens }) };
}

/** Gemini 3 and later, and names without a version. */
const WANTS_SIGNATURES = /(?:^|\/)gemini-(?![12]\.)/;

/**
 * Gemini signs its calls, and refuses a conversation with one whose signature is missing; clients of OpenAI do not send it
 * back, so that Google has a word in its place: https://ai.google.dev/gemini-api/docs/thought-signatures.
 */
const NO_SIGNATURE = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };

interface MessageForm {
  readonly omitsThoughts: boolean;
  readonly signsCalls: boolean;
}

function toMessage(message: ChatMessage, { omitsThoughts, signsCalls }: MessageForm): object {
  switch (message.role) {
    // Not `developer`, which only OpenAI itself knows, and takes as the same.
    case 'system':
      return { role: 'system', content: message.content, name: message.name };
    case 'user':
      return { role: 'user', content: toContent(message.content), name: message.name };
    case 'assistant':
      return {
        ...toAssistantMessage(message.content, message.toolCalls, signsCalls),
        reasoning_content: omitsThoughts ? undefined : message.reasoning,
        name: message.name,
      };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
}

function toContent(content: Extract<ChatMessage, { role: 'user' }>['content']): unknown {
  if (typeof content === 'string') return content;
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: part.url, detail: part.detail } },
  );
}

function toAssistantMessage(content: string, calls: readonly ToolCall[] | undefined, signsCalls: boolean): object {
  if (calls === undefined || calls.length === 0) return { role: 'assistant', content };
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
      ...(signsCalls && NO_SIGNATURE),
    })),
  };
}

function toTool({ name, description, parameters, strict }: ChatTool): object {
  return { type: 'function', function: { name, description, parameters, strict } };
}

function toToolChoice(choice: NonNullable<ChatRequest['toolChoice']>): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function toResponseFormat(format: NonNullable<ChatRequest['responseFormat']>): object {
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, description, schema, strict } };
}
