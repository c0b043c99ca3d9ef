import type { ChatMessage, ToolCall } from '@lontar/shared/chat-request.ts';
import { showValue } from '../envelope/show-value.ts';
import type { ContextCount } from './context-count.ts';
import {
  InvalidField,
  isAbsent,
  isMissing,
  isUnsupported,
  type Json,
  mustBe,
  readList,
  readObject,
  readText,
} from './fields.ts';

const MOST_MESSAGES = 10_000;
/** Of one message's parts or tool calls. */
const MOST_PARTS = 10_000;
const MOST_ID_CHARS = 256;
const MOST_NAME_CHARS = 128;
const IMAGE_URL = /^(?:https?:\/\/|data:image\/)/i;

type UserPart = Extract<Extract<ChatMessage, { role: 'user' }>['content'], readonly unknown[]>[number];

/**
 * Reads `messages`. Clients write content as text or as a list of parts in every role, and leave it out beside tool calls.
 *
 * @throws InvalidField for the first that breaks a rule
 */
export function readMessages(value: unknown, count: ContextCount): ChatMessage[] {
  if (isAbsent(value)) return isMissing('messages', 'send a list of objects with role and content');
  const list = readList(value, 'messages', MOST_MESSAGES);
  if (list.length === 0) throw new InvalidField('messages', 'messages must have at least one entry.');
  return list.map((item, index) => readMessage(item, `messages[${index}]`, count));
}

function readMessage(value: unknown, param: string, count: ContextCount): ChatMessage {
  const message = readObject(value, param);
  const { role, content } = message;
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: readTexts(content, `${param}.content`, count), ...readName(message) };
    case 'user':
      return { role, content: readUserContent(content, `${param}.content`, count), ...readName(message) };
    case 'assistant':
      return readAssistant(message, param, count);
    case 'tool':
      return {
        role,
        toolCallId: readText(message['tool_call_id'], `${param}.tool_call_id`, MOST_ID_CHARS),
        content: readTexts(content, `${param}.content`, count),
      };
    case 'function':
      return isUnsupported(`${param}.role`, 'functions have become tools; send the role tool with tool_call_id');
    default:
      return mustBe(`${param}.role`, 'one of system, developer, user, assistant, tool', role);
  }
}

function readAssistant(message: Json, param: string, count: ContextCount): ChatMessage {
  const { content, tool_calls: calls, refusal } = message;
  if (!isAbsent(message['function_call'])) {
    isUnsupported(`${param}.function_call`, 'functions have become tools; send tool_calls');
  }
  const toolCalls = isAbsent(calls) ? [] : readToolCalls(calls, `${param}.tool_calls`, count);
  if (content === undefined && toolCalls.length === 0 && typeof refusal !== 'string') {
    isMissing(`${param}.content`, 'send text, or tool_calls');
  }
  const said = isAbsent(content) ? (refusal ?? '') : content;
  return {
    role: 'assistant',
    content: readTexts(said, `${param}.content`, count),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...readReasoning(message, param, count),
    ...readName(message),
  };
}

/** Under our name for it, or Ollama's. */
function readReasoning(message: Json, param: string, count: ContextCount): { reasoning?: string } {
  for (const name of ['reasoning_content', 'reasoning'] as const) {
    const given = message[name];
    if (typeof given === 'string' && given !== '') return { reasoning: count.take(given, `${param}.${name}`) };
  }
  return {};
}

/** No request fails of one that is none: it was left unread for long. */
function readName({ name }: Json): { name?: string } {
  const isName = typeof name === 'string' && name !== '' && name.length <= MOST_NAME_CHARS && name.isWellFormed();
  return isName ? { name } : {};
}

function readToolCalls(value: unknown, param: string, count: ContextCount): ToolCall[] {
  const list = readList(value, param, MOST_PARTS);
  count.pieces(list.length, param);
  return list.map((item, index) => {
    const place = `${param}[${index}]`;
    const { id, type, function: called } = readObject(item, place);
    if (!isAbsent(type) && type !== 'function') mustBe(`${place}.type`, 'function', type);
    const { name, arguments: given } = readObject(called, `${place}.function`);
    return {
      id: readText(id, `${place}.id`, MOST_ID_CHARS),
      name: readText(name, `${place}.function.name`, MOST_NAME_CHARS),
      arguments: count.take(asText(given, `${place}.function.arguments`), `${place}.function.arguments`),
    };
  });
}

/** Text, or parts that are all text: joined by line ends, as servers do that take text alone. */
function readTexts(value: unknown, param: string, count: ContextCount): string {
  if (typeof value === 'string') return count.take(value, param);
  if (isAbsent(value)) return isMissing(param, 'send text');
  const parts = readParts(value, param, count);
  return parts.map(({ part, place }) => textOfPart(part, place, count)).join('\n');
}

function readUserContent(value: unknown, param: string, count: ContextCount): string | UserPart[] {
  if (typeof value === 'string') return count.take(value, param);
  if (isAbsent(value)) return isMissing(param, 'send text, or a list of parts');
  const parts = readParts(value, param, count).map(({ part, place }): UserPart => {
    if (part['type'] === 'image_url') return readImage(part['image_url'], `${place}.image_url`);
    return { type: 'text', text: textOfPart(part, place, count) };
  });
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
}

function readParts(
  value: unknown,
  param: string,
  count: ContextCount,
): readonly { readonly part: Json; readonly place: string }[] {
  if (!Array.isArray(value)) return mustBe(param, 'text or a list of parts', value);
  const list = readList(value, param, MOST_PARTS);
  count.pieces(list.length, param);
  return list.map((item, index) => ({
    part: readObject(item, `${param}[${index}]`),
    place: `${param}[${index}]`,
  }));
}

function textOfPart(part: Json, place: string, count: ContextCount): string {
  const { type } = part;
  if (type === 'text') return count.take(asText(part['text'], `${place}.text`), `${place}.text`);
  if (type === 'refusal') return count.take(asText(part['refusal'], `${place}.refusal`), `${place}.refusal`);
  if (type === 'image_url') return isUnsupported(`${place}.type`, 'images are taken from the user alone');
  if (type === undefined) return isMissing(`${place}.type`, 'send text or image_url');
  return isUnsupported(`${place}.type`, `parts may be text and image_url; ${showValue(type)} was given`);
}

/** Not counted with the texts: the limit of the body bounds it. */
function readImage(value: unknown, param: string): UserPart {
  const { url, detail }: Json = typeof value === 'string' ? { url: value } : readObject(value, param);
  const text = readText(url, `${param}.url`);
  if (!IMAGE_URL.test(text)) {
    throw new InvalidField(`${param}.url`, `${param}.url must begin with https://, http:// or data:image/.`);
  }
  return {
    type: 'image',
    url: text,
    ...(!isAbsent(detail) && { detail: readText(detail, `${param}.detail`, MOST_NAME_CHARS) }),
  };
}

function asText(value: unknown, param: string): string {
  return typeof value === 'string' ? value : mustBe(param, 'text', value);
}
