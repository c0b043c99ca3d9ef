import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
} from '@ai-sdk/provider';
import type { ChatMessage, ChatRequest, ChatTool, ToolCall } from '@lontar/shared/chat-request.ts';
import { ModelError, type ModelRequest } from '../language-model.ts';

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];

/**
 * What is asked, in the SDK's words. What Gemini does not know is left out where the answer is one all the same: `user`,
 * the detail of an image, penalties of older models.
 *
 * @throws ModelError `request_refused` for what can be neither honoured nor left out
 */
export function toSdkCall({ chat, maxOutputTokens }: ModelRequest): LanguageModelV4CallOptions {
  return {
    prompt: toPrompt(chat.messages),
    maxOutputTokens,
    ...(chat.temperature !== undefined && { temperature: chat.temperature }),
    ...(hasFurtherFields(chat) && furtherFields(chat)),
  };
}

/** Those of the OpenAI protocol alone. */
function hasFurtherFields(chat: ChatRequest): boolean {
  return Object.keys(chat).length > (chat.temperature === undefined ? 1 : 2);
}

function furtherFields(chat: ChatRequest): Partial<LanguageModelV4CallOptions> {
  const { topP, stop, seed, presencePenalty, frequencyPenalty, responseFormat, tools, toolChoice } = chat;
  const reasoning = REASONING.find((effort) => effort === chat.reasoningEffort);
  return {
    ...(topP !== undefined && { topP }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
    // Gemini takes 32 bits; the same seed is still the same.
    ...(seed !== undefined && { seed: seed & 0x7fffffff }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(responseFormat !== undefined && { responseFormat: toResponseFormat(responseFormat) }),
    ...(tools !== undefined && { tools: tools.map(toTool) }),
    ...(toolChoice !== undefined && {
      toolChoice:
        typeof toolChoice === 'string'
          ? { type: toolChoice }
          : { type: 'tool', toolName: knownTool(chat, toolChoice.name) },
    }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

const REASONING = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

function toTool({ name, description, parameters, strict }: ChatTool): LanguageModelV4FunctionTool {
  return {
    type: 'function',
    name,
    inputSchema: parameters ?? { type: 'object', properties: {} },
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  };
}

function toResponseFormat(format: NonNullable<ChatRequest['responseFormat']>) {
  if (format.type === 'json_object') return { type: 'json' } as const;
  const { name, description, schema } = format;
  return {
    type: 'json',
    name,
    ...(description !== undefined && { description }),
    ...(schema !== undefined && { schema }),
  } as const;
}

function knownTool({ tools = [] }: ChatRequest, name: string): string {
  if (!tools.some((tool) => tool.name === name)) throw new ModelError('request_refused', { field: 'tool_choice' });
  return name;
}

function toPrompt(messages: readonly ChatMessage[]): LanguageModelV4Message[] {
  const namesOfCalls = new Map<string, string>();
  return messages.map((message): LanguageModelV4Message => {
    switch (message.role) {
      case 'system':
        return { role: 'system', content: message.content };
      case 'user':
        return { role: 'user', content: toUserContent(message.content) };
      case 'assistant':
        for (const { id, name } of message.toolCalls ?? []) namesOfCalls.set(id, name);
        return { role: 'assistant', content: toAssistantContent(message.content, message.toolCalls) };
      case 'tool':
        return { role: 'tool', content: [toToolResult(message, namesOfCalls.get(message.toolCallId))] };
    }
  });
}

function toUserContent(content: Extract<ChatMessage, { role: 'user' }>['content']): UserContent {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : toFile(part.url)));
}

function toFile(url: string): UserContent[number] {
  const inline = /^data:(image\/[\w.+-]{1,40});base64,/i.exec(url);
  if (inline?.[1] !== undefined) {
    const data = url.slice(inline[0].length);
    return { type: 'file', mediaType: inline[1].toLowerCase(), data: { type: 'data', data } };
  }
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new ModelError('request_refused', { field: 'messages' });
  const parsed = new URL(url);
  return { type: 'file', mediaType: typeOfPath(parsed.pathname), data: { type: 'url', url: parsed } };
}

/** Gemini wants to be told, and looks at the bytes all the same. */
function typeOfPath(path: string): string {
  const ending = /\.(png|webp|gif|heic|heif)$/i.exec(path)?.[1]?.toLowerCase();
  return `image/${ending ?? 'jpeg'}`;
}

function toAssistantContent(content: string, calls: readonly ToolCall[] = []) {
  return [
    ...(content === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text: content }]),
    ...calls.map(({ id, name, arguments: args }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input: parseArguments(args),
    })),
  ];
}

function toToolResult({ toolCallId, content }: Extract<ChatMessage, { role: 'tool' }>, toolName: string | undefined) {
  // Gemini knows calls by their names.
  if (toolName === undefined) throw new ModelError('request_refused', { field: 'messages' });
  return { type: 'tool-result' as const, toolCallId, toolName, output: { type: 'text' as const, value: content } };
}

function parseArguments(text: string): JSONObject {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JSONObject) : {};
  } catch {
    return {};
  }
}
