import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import { showValue } from '../envelope/show-value.ts';
import { defaultOutputTokens, listModelNames, type ReadingLimits } from '../generation/generation-rules.ts';
import type { ReadingProblem } from '../generation/protocol.ts';
import { countContext } from './context-count.ts';
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
  readNumber,
  readText,
} from './fields.ts';
import { readMessages } from './read-messages.ts';
import { readResponseFormat, readTools } from './read-tools.ts';

/** The rules of the numbers: the reader refuses by them, and the API document shows them. */
export const CHAT_RULES = {
  temperature: { least: 0, most: 2 },
  top_p: { least: 0, most: 1 },
  presence_penalty: { least: -2, most: 2 },
  frequency_penalty: { least: -2, most: 2 },
  seed: { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER, isWhole: true },
  mostStops: 16,
} as const;

const MOST_STOP_CHARS = 1_000;
const MOST_USER_CHARS = 1_024;
const EFFORT = /^[a-z]{1,32}$/;

/** What a caller asks of `/v1/chat/completions`, checked. */
export interface ChatAsk {
  readonly chat: ChatRequest;
  /** Its public name, also where the caller gave an alias. */
  readonly model: string;
  readonly maxOutputTokens: number;
  /** The caller did not say how many. */
  readonly isDefaultOutput: boolean;
  readonly stream: boolean;
  /** `stream_options.include_usage` */
  readonly includeUsage: boolean;
}

export type ChatReading =
  | { readonly ok: true; readonly ask: ChatAsk }
  | { readonly ok: false; readonly problem: ReadingProblem };

/** Reads the body of a `/v1/chat/completions`. Fields that it does not know are ignored: clients send many. Never throws. */
export function readChat(body: Json, limits: ReadingLimits): ChatReading {
  try {
    return { ok: true, ask: readAsk(body, limits) };
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error;
    const { error: code, message, param, fault } = error;
    return { ok: false, problem: { error: code, message, param, ...(fault && { fault }) } };
  }
}

function readAsk(body: Json, limits: ReadingLimits): ChatAsk {
  const model = readModel(body['model'], limits);
  refuseUnsupported(body);
  const count = countContext(limits.maxContextChars);
  const messages = readMessages(body['messages'], count);
  const responseFormat = readResponseFormat(body, count);
  const asked = readMaxTokens(body, limits);
  const { include_usage: includeUsage } = readStreamOptions(body);
  const chat: ChatRequest = {
    messages,
    ...readSampling(body),
    ...(responseFormat && { responseFormat }),
    ...readTools(body, count),
  };
  count.conclude();
  return {
    chat,
    model,
    maxOutputTokens: asked ?? defaultOutputTokens(limits),
    isDefaultOutput: asked === undefined,
    stream: readFlag(body, 'stream') ?? false,
    includeUsage: includeUsage === true,
  };
}

function readModel(value: unknown, { models }: ReadingLimits): string {
  if (isAbsent(value)) return isMissing('model', `send one of ${listModelNames(models)}`);
  if (typeof value !== 'string') return mustBe('model', 'text', value);
  const known = models.current.resolve(value);
  if (known !== undefined) return known;
  const message = `The model ${showValue(value)} does not exist. GET /v1/models lists those that your key may use.`;
  throw new InvalidField('model', message, { error: 'model_not_found' });
}

/** What would change the answer, and cannot be had here. */
function refuseUnsupported(body: Json): void {
  const { n, logprobs, modalities } = body;
  if (!isAbsent(n) && n !== 1) isUnsupported('n', 'each request has one answer; leave it out, or send 1');
  if (!isAbsent(logprobs) && logprobs !== false) isUnsupported('logprobs', 'leave it out');
  if (!isAbsent(body['top_logprobs'])) isUnsupported('top_logprobs', 'leave it out');
  if (!isAbsent(body['audio'])) isUnsupported('audio', 'answers are text');
  if (!isAbsent(modalities) && !(Array.isArray(modalities) && modalities.every((kind) => kind === 'text'))) {
    isUnsupported('modalities', 'answers are text; leave it out');
  }
  const bias = body['logit_bias'];
  if (!isAbsent(bias) && !(isObject(bias) && Object.keys(bias).length === 0)) {
    isUnsupported('logit_bias', 'leave it out');
  }
  if (!isAbsent(body['web_search_options'])) isUnsupported('web_search_options', 'leave it out');
  const { functions } = body;
  if (!isAbsent(functions) && !(Array.isArray(functions) && functions.length === 0)) {
    isUnsupported('functions', 'functions have become tools; send tools');
  }
  if (isObject(body['function_call'])) isUnsupported('function_call', 'functions have become tools; send tool_choice');
}

/** One cap under two names; the lower one where a caller gives both, so that none is exceeded. */
function readMaxTokens(body: Json, limits: ReadingLimits): number | undefined {
  const rule = { least: 1, most: limits.maxOutputTokens, isWhole: true } as const;
  const completion = readNumber(body, 'max_completion_tokens', rule);
  const older = readNumber(body, 'max_tokens', rule);
  return completion === undefined || older === undefined ? (completion ?? older) : Math.min(completion, older);
}

function readSampling(body: Json): Omit<ChatRequest, 'messages'> {
  const temperature = readNumber(body, 'temperature', CHAT_RULES.temperature);
  const topP = readNumber(body, 'top_p', CHAT_RULES.top_p);
  const stop = readStop(body['stop']);
  const seed = readNumber(body, 'seed', CHAT_RULES.seed);
  const presencePenalty = readNumber(body, 'presence_penalty', CHAT_RULES.presence_penalty);
  const frequencyPenalty = readNumber(body, 'frequency_penalty', CHAT_RULES.frequency_penalty);
  const reasoningEffort = readEffort(body['reasoning_effort']);
  const { user } = body;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(stop.length > 0 && { stop }),
    ...(seed !== undefined && { seed }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(!isAbsent(user) && { user: readText(user, 'user', MOST_USER_CHARS) }),
  };
}

function readStop(value: unknown): string[] {
  if (isAbsent(value)) return [];
  const texts =
    typeof value === 'string'
      ? [readText(value, 'stop', MOST_STOP_CHARS)]
      : readList(value, 'stop', CHAT_RULES.mostStops).map((text, index) =>
          readText(text, `stop[${index}]`, MOST_STOP_CHARS),
        );
  // An empty one would end every answer at once, or be refused.
  return texts.filter((text) => text !== '');
}

/** The names of efforts differ by model and grow: the upstream knows its own. */
function readEffort(value: unknown): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string' && EFFORT.test(value)) return value;
  return mustBe('reasoning_effort', 'a word in small letters, such as low, medium or high', value);
}

function readStreamOptions(body: Json): Json {
  const value = body['stream_options'];
  if (isAbsent(value)) return {};
  return isObject(value) ? value : mustBe('stream_options', 'an object', value);
}
