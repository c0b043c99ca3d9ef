import { setTimeout as wait } from 'node:timers/promises';
import { type ChatMessage, type ChatRequest, type ToolCall, textOf } from '@lontar/shared/chat-request.ts';
import { demoAnswer, demoToolAnswer } from './demo/demo-answer.ts';
import { demoCall, wordsOf } from './demo/demo-call.ts';
import { demoValue } from './demo/demo-value.ts';
import { atPace, piecesOf } from './demo/pace.ts';
import {
  type LanguageModel,
  ModelError,
  type ModelPart,
  type ModelRequest,
  type ModelResult,
} from './language-model.ts';

/** About how many characters of English or Indonesian make one token. */
const CHARS_PER_TOKEN = 4;
/** As fast as people read with ease. */
const TOKENS_PER_SECOND = 40;

export interface DemoOptions {
  /** How long an answer takes, ms. */
  readonly latencyMs?: number;
  /** How fast streams are. */
  readonly tokensPerSecond?: number;
  /** Changes all made-up values. */
  readonly seed?: string;
}

/**
 * A model that is built in and offline, so that the service answers from the first minute. The same seed, persona and
 * prompt give the same answer; it says what it is, and holds made-up secrets so that masking can be seen. It calls tools
 * where they fit or must be called, fits JSON schemas, and streams at the pace of a reader.
 */
export function demoModel({
  latencyMs = 0,
  tokensPerSecond = TOKENS_PER_SECOND,
  seed = '',
}: DemoOptions = {}): LanguageModel {
  return {
    provider: 'demo',
    async generate(request, signal, onPart) {
      try {
        if (latencyMs > 0) await wait(latencyMs, undefined, { signal });
        signal.throwIfAborted();
        const result = answer(request, seed);
        if (onPart !== undefined) await giveParts(result, tokensPerSecond, signal, onPart);
        return result;
      } catch (error) {
        throw error instanceof ModelError ? error : new ModelError('cancelled');
      }
    },
    close: () => Promise.resolve(),
  };
}

async function giveParts(
  { text, toolCalls = [] }: ModelResult,
  tokensPerSecond: number,
  signal: AbortSignal,
  onPart: (part: ModelPart) => void,
): Promise<void> {
  await atPace(piecesOf(text), tokensPerSecond, signal, (piece) => onPart({ kind: 'text', text: piece }));
  for (const call of toolCalls) {
    // It takes its time to write, and comes whole.
    await atPace(piecesOf(call.arguments), tokensPerSecond, signal, () => undefined);
    onPart({ kind: 'call', call });
  }
}

function answer(request: ModelRequest, seed: string): ModelResult {
  const { chat } = request;
  const system = textOf({ messages: chat.messages.filter(({ role }) => role === 'system') });
  const prompt = lastText(chat, 'user');
  const call = demoCall(chat, prompt, seed);
  if (call !== undefined) return callOf(call, request);
  if (chat.responseFormat !== undefined) return cutAnywhere(demoJson(chat, prompt, seed), request);
  const isToldByTool = chat.messages.at(-1)?.role === 'tool';
  const said = isToldByTool ? demoToolAnswer(lastText(chat, 'tool'), prompt) : demoAnswer({ seed, system, prompt });
  return cutToWords(untilStop(said, chat.stop), request);
}

function demoJson({ responseFormat }: ChatRequest, prompt: string, seed: string): string {
  const key = `${seed}\n${prompt}`;
  const schema = responseFormat?.type === 'json_schema' ? responseFormat.schema : undefined;
  return JSON.stringify(demoValue(schema ?? ANY_ANSWER, key, wordsOf(prompt)));
}

const ANY_ANSWER = {
  type: 'object',
  properties: { model: { const: 'demo' }, question: { type: 'string' }, api_url: { type: 'string' } },
};

/** A call that the limit cuts is none. */
function callOf(call: ToolCall, request: ModelRequest): ModelResult {
  const used = tokensOf(call.name + call.arguments);
  const fits = used <= request.maxOutputTokens;
  return {
    text: '',
    ...(fits && { toolCalls: [call] }),
    usage: { input: askedTokens(request.chat), output: Math.min(used, request.maxOutputTokens) },
    finishReason: fits ? 'tool_calls' : 'length',
  };
}

function untilStop(text: string, stops: readonly string[] = []): string {
  const ends = stops.filter((stop) => stop !== '').map((stop) => text.indexOf(stop));
  return text.slice(0, Math.min(text.length, ...ends.filter((end) => end >= 0)));
}

/** Cuts between words only: no made-up secret holds a space, so that none can lose the part by which it is known. */
function cutToWords(whole: string, request: ModelRequest): ModelResult {
  const limit = request.maxOutputTokens * CHARS_PER_TOKEN;
  const text = whole.length <= limit ? whole : whole.slice(0, whole.slice(0, limit + 1).search(/\s\S*$/)).trimEnd();
  return resultOf(text, whole, request);
}

function cutAnywhere(whole: string, request: ModelRequest): ModelResult {
  return resultOf(whole.slice(0, request.maxOutputTokens * CHARS_PER_TOKEN).toWellFormed(), whole, request);
}

function resultOf(text: string, whole: string, { chat }: ModelRequest): ModelResult {
  return {
    text,
    usage: { input: askedTokens(chat), output: tokensOf(text) },
    finishReason: text === whole ? 'stop' : 'length',
  };
}

/** Of the last message of a role. */
function lastText({ messages }: ChatRequest, role: ChatMessage['role']): string {
  return textOf({ messages: messages.filter((message) => message.role === role).slice(-1) });
}

function askedTokens({ messages }: ChatRequest): number {
  return tokensOf(messages.map((message) => textOf({ messages: [message] })).join(''));
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
