import type { TokenUsage } from '@lontar/shared/settlement/settlement.ts';
import type { AnswerGatherer } from '../answer-gatherer.ts';
import { ModelError, type ModelResult } from '../language-model.ts';
import { isCount, partsOf } from '../token-counts.ts';
import { UpstreamRefusal } from '../upstream-refusal.ts';
import { readParsed } from '../upstream-said.ts';

/**
 * Reads what servers of the Messages protocol answer, in one piece or in events. Nothing in it is trusted to be there, or
 * to be of its type; what has no meaning here is passed over: pings, signatures, kinds of blocks that are not asked for.
 */
type Json = Readonly<Record<string, unknown>>;

/**
 * Takes in a whole answer.
 *
 * @throws ModelError `invalid_answer` where it is none; UpstreamRefusal where it may say that the upstream failed; what
 *   AnswerGatherer throws
 */
export function readMessage(body: string, into: AnswerGatherer): void {
  const message = parseObject(body);
  const content = message['content'];
  if (message['type'] === 'error' || !Array.isArray(content)) {
    throw new UpstreamRefusal(OK, {}, readParsed(message));
  }
  for (const [index, block] of content.entries()) readBlock(asObject(block), index, into);
  const usage = asObject(message['usage']);
  setUsage(askedOf(usage), usage?.['output_tokens'], into);
  into.setFinish(finishOf(message['stop_reason']));
}

/** Reads the events of one stream; returns whether one was the last, and throws as `readMessage` does. */
export function createEventReader(): (data: string, event: string, into: AnswerGatherer) => boolean {
  let asked: Asked | undefined;
  return (data, event, into) => {
    if (data.trim() === '') return false;
    const body = parseObject(data);
    switch (typeof body['type'] === 'string' ? body['type'] : event) {
      case 'error':
        throw new UpstreamRefusal(OK, {}, readParsed(body), true);
      case 'message_start':
        asked = askedOf(asObject(asObject(body['message'])?.['usage']));
        return false;
      case 'content_block_start':
        readBlock(asObject(body['content_block']), placeOf(body), into, true);
        return false;
      case 'content_block_delta':
        readDelta(asObject(body['delta']), placeOf(body), into);
        return false;
      case 'message_delta': {
        const usage = asObject(body['usage']);
        asked = askedOf(usage) ?? asked;
        setUsage(asked, usage?.['output_tokens'], into);
        const reason = asObject(body['delta'])?.['stop_reason'];
        if (typeof reason === 'string') into.setFinish(finishOf(reason));
        return false;
      }
      case 'message_stop':
        return true;
      default:
        return false;
    }
  };
}

const OK = 200;

/** @param isBeginning whether the arguments of a call follow in pieces */
function readBlock(block: Json | undefined, index: number, into: AnswerGatherer, isBeginning = false): void {
  switch (block?.['type']) {
    case 'text':
      if (isText(block['text'])) into.addText(block['text']);
      return;
    case 'thinking':
      if (isText(block['thinking'])) into.addReasoning(block['thinking']);
      return;
    case 'tool_use': {
      const { id, name, input } = block;
      into.addCallPiece(index, { id, name, arguments: isBeginning ? undefined : (input ?? {}) });
    }
  }
}

function readDelta(delta: Json | undefined, index: number, into: AnswerGatherer): void {
  switch (delta?.['type']) {
    case 'text_delta':
      if (isText(delta['text'])) into.addText(delta['text']);
      return;
    case 'thinking_delta':
      if (isText(delta['thinking'])) into.addReasoning(delta['thinking']);
      return;
    case 'input_json_delta':
      into.addCallPiece(index, { arguments: delta['partial_json'] });
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function placeOf({ index }: Json): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : 0;
}

type Asked = Pick<TokenUsage, 'input' | 'cachedInput'>;

/** What was read from a cache, or written to it, was asked too. */
function askedOf(usage: Json | undefined): Asked | undefined {
  const [read, written] = [usage?.['cache_read_input_tokens'], usage?.['cache_creation_input_tokens']];
  const counts = [usage?.['input_tokens'], read, written];
  if (!isCount(counts[0])) return undefined;
  const input = counts.filter(isCount).reduce((sum, count) => sum + count, 0);
  return { input, ...partsOf({ cachedInput: read, reasoning: undefined }) };
}

function setUsage(asked: Asked | undefined, output: unknown, into: AnswerGatherer): void {
  if (asked !== undefined && isCount(output)) into.setUsage({ ...asked, output });
}

const FINISH_REASONS: Readonly<Record<string, ModelResult['finishReason']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

function finishOf(reason: unknown): ModelResult['finishReason'] {
  return typeof reason === 'string' && Object.hasOwn(FINISH_REASONS, reason)
    ? (FINISH_REASONS[reason] ?? 'other')
    : 'other';
}

function parseObject(body: string): Json {
  try {
    const value = asObject(JSON.parse(body));
    if (value !== undefined) return value;
  } catch {
    // Not JSON: as what follows.
  }
  throw new ModelError('invalid_answer');
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}
