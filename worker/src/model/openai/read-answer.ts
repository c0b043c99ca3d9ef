import type { Literal } from '@lontar/shared/settlement/known-literal.ts';
import type { AnswerGatherer } from '../answer-gatherer.ts';
import { ModelError, type ModelResult } from '../language-model.ts';
import { isCount, partsOf } from '../token-counts.ts';
import { UpstreamRefusal } from '../upstream-refusal.ts';
import { readParsed } from '../upstream-said.ts';

/**
 * Reads what servers of the OpenAI protocol answer, in one piece or in chunks. Nothing in it is trusted to be there, or to
 * be of its type; what has no meaning here is passed over. It is read by hand: it runs for every token.
 */
type Json = Readonly<Record<string, unknown>>;

/**
 * Takes in a whole answer.
 *
 * @throws ModelError `invalid_answer` where it is none; UpstreamRefusal where it may say that the upstream failed; what
 *   AnswerGatherer throws
 */
export function readWhole(text: string, into: AnswerGatherer): void {
  let content: Literal | undefined;
  // The text of a short answer is written again in less time than its JSON is found.
  const body = text.length < LONG_ANSWER ? parseObject(text) : parseObject(text, (literal) => (content = literal));
  const choice = firstChoice(body);
  const message = asObject(choice?.['message']);
  const failure = failureIn(body, choice);
  if (choice === undefined || message === undefined || failure !== undefined) {
    throw new UpstreamRefusal(OK, {}, readParsed(failure ?? body));
  }
  readDelta(message, into, true);
  if (content !== undefined) into.noteLiteral(content);
  readUsage(body, into);
  into.setFinish(endBy(choice['finish_reason']));
}

/**
 * Takes in one event of a stream.
 *
 * @returns whether it was the last one
 * @throws as `readWhole`
 */
export function readEvent(data: string, event: string, into: AnswerGatherer): boolean {
  if (data.charCodeAt(0) !== OPENING_BRACE) {
    const trimmed = data.trim();
    // Some proxies keep a connection busy with empty events.
    if (trimmed === '') return false;
    if (trimmed === '[DONE]') return true;
  }
  const body = parseObject(data);
  const choice = firstChoice(body);
  const failure = event === 'error' ? body : failureIn(body, choice);
  if (failure !== undefined) throw new UpstreamRefusal(OK, {}, readParsed(failure), true);
  if (choice !== undefined) {
    const delta = asObject(choice['delta']) ?? messageOf(body, choice, into);
    if (delta !== undefined) readDelta(delta, into, false);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '' && reason !== 'null') {
      into.setFinish(endBy(reason));
      // Moonshot has its token counts here, and Groq there, where it was not asked for them as others are.
      readUsage(choice, into);
      readUsage(asObject(body['x_groq']) ?? NOTHING, into);
    }
  }
  if (isSaid(body['usage'])) readUsage(body, into);
  return false;
}

/** Servers that were told to stream and do not know how send a message; MiniMax sends it all once more at the end. */
function messageOf(body: Json, choice: Json, into: AnswerGatherer): Json | undefined {
  return body['object'] === 'chat.completion' && into.hasContent ? undefined : asObject(choice['message']);
}

const OPENING_BRACE = 123;
/** Characters of JSON. */
const LONG_ANSWER = 16_384;
/** How much longer than its text a literal may be: escapes take room in Redis. */
const MOST_ESCAPES = 1.25;

const NOTHING: Json = {};

const OK = 200;

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * OpenRouter says what failed beside the choices, or within the first of them; SGLang and vLLM of 2025 and before are all
 * error.
 */
function failureIn(body: Json, choice: Json | undefined): Json | undefined {
  if (isSaid(body['error']) || body['object'] === 'error') return body;
  return choice !== undefined && isSaid(choice['error']) ? choice : undefined;
}

/** @param isWhole whether it is all of a message, and the place of a call is its place in the list */
function readDelta(delta: Json, into: AnswerGatherer, isWhole: boolean): void {
  const content = delta['content'];
  // Some servers write both names, and one of them empty.
  const named = delta['reasoning_content'];
  const thought = named === '' || !isSaid(named) ? delta['reasoning'] : named;
  if (typeof thought === 'string' && thought !== '') into.addReasoning(thought);
  if (typeof content === 'string') {
    if (content !== '') into.addText(content);
  } else if (Array.isArray(content)) {
    readParts(content, into);
  }
  const refusal = delta['refusal'];
  if (typeof refusal === 'string' && refusal !== '') into.addRefusal(refusal);
  const calls = delta['tool_calls'];
  if (Array.isArray(calls)) {
    for (const [at, call] of calls.entries()) readCall(asObject(call), into, { at, isWhole });
  } else if (isSaid(calls)) {
    // TGI streams one call without a list around it.
    readCall(asObject(calls), into, { at: 0, isWhole: false });
  }
}

/** Mistral's reasoning models write a list of parts, and so does Databricks, whose thoughts are a summary. */
function readParts(parts: readonly unknown[], into: AnswerGatherer): void {
  for (const part of parts.map(asObject)) {
    if (typeof part?.['text'] === 'string' && part['text'] !== '') into.addText(part['text']);
    const thoughts = part?.['thinking'] ?? part?.['summary'];
    if (typeof thoughts === 'string' && thoughts !== '') into.addReasoning(thoughts);
    for (const thought of Array.isArray(thoughts) ? thoughts.map(asObject) : []) {
      if (typeof thought?.['text'] === 'string') into.addReasoning(thought['text']);
    }
  }
}

/** @param listed where it stands in its list; a place of its own has each call of a whole message */
function readCall(
  call: Json | undefined,
  into: AnswerGatherer,
  { at, isWhole }: { at: number; isWhole: boolean },
): void {
  if (call === undefined) return;
  const index = isWhole ? at : call['index'];
  const called = asObject(call['function']);
  const place = typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : undefined;
  const piece = { id: call['id'], name: called?.['name'], arguments: called?.['arguments'] };
  // Those of one list are not pieces of the same call.
  into.addCallPiece(place ?? (at > 0 ? 'behind another' : undefined), piece);
}

function readUsage(body: Json, into: AnswerGatherer): void {
  const usage = asObject(body['usage']);
  const [input, output] = [usage?.['prompt_tokens'], usage?.['completion_tokens']];
  if (!isCount(input) || !isCount(output)) return;
  const cachedInput = asObject(usage?.['prompt_tokens_details'])?.['cached_tokens'];
  const reasoning = asObject(usage?.['completion_tokens_details'])?.['reasoning_tokens'];
  into.setUsage({ input, output, ...partsOf({ cachedInput, reasoning }) });
}

const FINISH_REASONS: Readonly<Record<string, ModelResult['finishReason']>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  // Servers that are near to the protocol: TGI, and proxies that leave another provider's word.
  eos_token: 'stop',
  stop_sequence: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  complete: 'stop',
  max_tokens: 'length',
  // Mistral: the context is full.
  model_length: 'length',
  model_context_window_exceeded: 'length',
  // Proxies in front of Gemini and Anthropic that leave their words.
  safety: 'content_filter',
  recitation: 'content_filter',
  refusal: 'content_filter',
  // Zhipu, and Cohere.
  sensitive: 'content_filter',
  error_toxic: 'content_filter',
};

/** How servers say that an answer is not whole: vLLM and SGLang as they stop, DeepSeek without room, OpenRouter, Zhipu. */
const BROKEN: ReadonlySet<unknown> = new Set(['abort', 'error', 'insufficient_system_resource', 'network_error']);

/** @throws ModelError `cut_off` where the answer is not whole */
function endBy(given: unknown): ModelResult['finishReason'] {
  const reason = typeof given === 'string' ? given.toLowerCase() : given;
  if (BROKEN.has(reason)) throw new ModelError('cut_off');
  return finishOf(reason);
}

function finishOf(reason: unknown): ModelResult['finishReason'] {
  return typeof reason === 'string' && Object.hasOwn(FINISH_REASONS, reason)
    ? (FINISH_REASONS[reason] ?? 'other')
    : 'other';
}

function firstChoice(body: Json): Json | undefined {
  const choices = body['choices'];
  if (!Array.isArray(choices)) return undefined;
  // More than one answer was not asked for.
  for (const one of choices) {
    const choice = asObject(one);
    if (choice !== undefined && isFirst(choice['index'])) return choice;
  }
  return undefined;
}

function isFirst(index: unknown): boolean {
  return index === undefined || index === null || index === 0 || index === '0';
}

/** @param onContent is given each text that is named `content`, and the JSON it stood in */
function parseObject(text: string, onContent?: (literal: Literal) => void): Json {
  try {
    const parsed: unknown = onContent ? parseWithSource(text, contentsFor(onContent)) : JSON.parse(text);
    // Gemini's layer for OpenAI's clients writes its errors as a list of one.
    const body = asObject(Array.isArray(parsed) ? parsed[0] : parsed);
    if (body !== undefined) return body;
  } catch {
    // Not JSON: as what follows.
  }
  throw new ModelError('invalid_answer');
}

/** `JSON.parse`, with what TypeScript's types of it do not know yet: where a value is no object, the JSON that it stood in. */
type Revive = (name: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, revive: Revive) => unknown;

function contentsFor(onContent: (literal: Literal) => void): Revive {
  return (name, value, { source }) => {
    if (name === 'content' && typeof value === 'string' && source !== undefined) {
      // Much longer is one in which all is escaped that is not ASCII.
      if (source.length < MOST_ESCAPES * value.length) onContent({ text: value, json: Buffer.from(source) });
    }
    return value;
  };
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}
