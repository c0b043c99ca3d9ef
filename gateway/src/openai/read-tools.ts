import type { ChatRequest, ChatTool } from '@lontar/shared/chat-request.ts';
import type { ContextCount } from './context-count.ts';
import {
  InvalidField,
  isAbsent,
  isMissing,
  isObject,
  isUnsupported,
  type Json,
  mustBe,
  readFlag,
  readList,
  readObject,
} from './fields.ts';

const MOST_TOOLS = 512;
/** Names as servers take them; the protocol says less, and some clients put dots and colons in. */
const NAME = /^[A-Za-z0-9_.:-]{1,128}$/;

type ToolFields = Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

/**
 * Reads `tools`, `tool_choice` and `parallel_tool_calls`.
 *
 * @throws InvalidField for the first that breaks a rule
 */
export function readTools(body: Json, count: ContextCount): ToolFields {
  const given = body['tools'];
  const tools = isAbsent(given)
    ? []
    : readList(given, 'tools', MOST_TOOLS).map((tool, index) => readTool(tool, index, count));
  const toolChoice = readToolChoice(body['tool_choice'], tools);
  const parallelToolCalls = readFlag(body, 'parallel_tool_calls');
  // Servers refuse both where there is nothing to call.
  if (tools.length === 0) return {};
  return {
    tools,
    ...(toolChoice !== undefined && { toolChoice }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
  };
}

function readTool(value: unknown, index: number, count: ContextCount): ChatTool {
  const param = `tools[${index}]`;
  const { type, function: declared } = readObject(value, param);
  if (type !== 'function') isUnsupported(`${param}.type`, 'tools are functions; the type must be function');
  const place = `${param}.function`;
  const tool = readObject(declared, place);
  const { description, parameters } = tool;
  const strict = readFlag(tool, 'strict', `${place}.strict`);
  return {
    name: readName(tool['name'], `${place}.name`, count),
    ...(!isAbsent(description) && { description: readDescription(description, `${place}.description`, count) }),
    ...(!isAbsent(parameters) && { parameters: readSchema(parameters, `${place}.parameters`, count) }),
    ...(strict !== undefined && { strict }),
  };
}

function readToolChoice(value: unknown, tools: readonly ChatTool[]): ChatRequest['toolChoice'] {
  if (isAbsent(value) || value === 'auto' || value === 'none') return value ?? undefined;
  if (value !== 'required' && !isObject(value)) {
    mustBe('tool_choice', 'auto, none, required, or an object that names a function', value);
  }
  if (tools.length === 0) {
    throw new InvalidField('tool_choice', 'tool_choice asks for a tool, and there are none: send tools.');
  }
  if (value === 'required') return value;
  const { type, function: chosen } = readObject(value, 'tool_choice');
  if (type !== 'function') mustBe('tool_choice.type', 'function', type);
  const { name } = readObject(chosen, 'tool_choice.function');
  const known = tools.find((tool) => tool.name === name);
  return known ? { name: known.name } : mustBe('tool_choice.function.name', 'the name of one of the tools', name);
}

/**
 * Reads `response_format`; text, which needs no asking for, is `undefined`.
 *
 * @throws InvalidField where it breaks a rule
 */
export function readResponseFormat(body: Json, count: ContextCount): ChatRequest['responseFormat'] {
  const given = body['response_format'];
  if (isAbsent(given)) return undefined;
  const format = readObject(given, 'response_format');
  const { type } = format;
  if (type === 'text') return undefined;
  if (type === 'json_object') return { type };
  if (type !== 'json_schema') return mustBe('response_format.type', 'text, json_object or json_schema', type);
  const place = 'response_format.json_schema';
  if (isAbsent(format['json_schema'])) return isMissing(place, 'send an object with name and schema');
  const wanted = readObject(format['json_schema'], place);
  const { description, schema } = wanted;
  const strict = readFlag(wanted, 'strict', `${place}.strict`);
  return {
    type,
    name: readName(wanted['name'], `${place}.name`, count),
    ...(!isAbsent(description) && { description: readDescription(description, `${place}.description`, count) }),
    ...(!isAbsent(schema) && { schema: readSchema(schema, `${place}.schema`, count) }),
    ...(strict !== undefined && { strict }),
  };
}

function readName(value: unknown, param: string, count: ContextCount): string {
  if (isAbsent(value)) return isMissing(param, 'send a name');
  if (typeof value !== 'string' || !NAME.test(value)) {
    return mustBe(param, 'text of 1 to 128 letters, digits, underscores, hyphens, dots and colons', value);
  }
  return count.take(value, param);
}

function readDescription(value: unknown, param: string, count: ContextCount): string {
  return typeof value === 'string' ? count.take(value, param) : mustBe(param, 'text', value);
}

function readSchema(value: unknown, param: string, count: ContextCount): Record<string, unknown> {
  const schema = readObject(value, param);
  count.json(schema, param);
  return schema;
}
