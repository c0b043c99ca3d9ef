import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { AnswerGatherer } from '../answer-gatherer.ts';
import { ModelError, type ModelResult } from '../language-model.ts';
import { partsOf } from '../token-counts.ts';
import { UpstreamRefusal } from '../upstream-refusal.ts';
import { readParsed } from '../upstream-said.ts';

/** Takes in what the SDK gives in one piece. Files and sources are no text. */
export function gatherWhole(result: LanguageModelV4GenerateResult, into: AnswerGatherer): ModelResult {
  for (const content of result.content) addContent(content, into);
  return finish(result.finishReason, result.usage, into);
}

/**
 * Takes in a stream of the SDK.
 *
 * @param onContent called with each part of the answer, whole or not
 * @throws what the stream fails with; UpstreamRefusal where an error stands in it; ModelError `cut_off` where it ends
 *   without saying so, and what the gatherer throws
 */
export async function gatherStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  into: AnswerGatherer,
  onContent: () => void,
): Promise<ModelResult> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) throw new ModelError('cut_off');
      if (CONTENT.has(part.type)) onContent();
      if (part.type === 'text-delta') into.addText(part.delta);
      else if (part.type === 'reasoning-delta') into.addReasoning(part.delta);
      else if (part.type === 'tool-call') addContent(part, into);
      else if (part.type === 'error') throw errorOf(part.error);
      else if (part.type === 'finish') return finish(part.finishReason, part.usage, into);
    }
  } finally {
    // Ends the request where the stream was not read to its end.
    reader.cancel().catch(() => undefined);
  }
}

const CONTENT: ReadonlySet<LanguageModelV4StreamPart['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'tool-call',
]);

function addContent(content: LanguageModelV4Content, into: AnswerGatherer): void {
  if (content.type === 'text') into.addText(content.text);
  if (content.type === 'reasoning') into.addReasoning(content.text);
  if (content.type === 'tool-call' && content.providerExecuted !== true) {
    into.addCallPiece(undefined, { id: content.toolCallId, name: content.toolName, arguments: content.input });
  }
}

function finish(
  { unified }: LanguageModelV4FinishReason,
  usage: LanguageModelV4Usage,
  into: AnswerGatherer,
): ModelResult {
  if (unified === 'interrupted') throw new ModelError('cut_off');
  into.setFinish(FINISH_REASONS[unified] ?? 'other');
  const { inputTokens, outputTokens } = usage;
  // The SDK says 0 where Gemini says nothing.
  const parts = partsOf({
    cachedInput: inputTokens.cacheRead || undefined,
    reasoning: outputTokens.reasoning || undefined,
  });
  into.setUsage({ input: count(inputTokens.total), output: count(outputTokens.total), ...parts });
  return into.finish();
}

const FINISH_REASONS: Readonly<Record<string, ModelResult['finishReason']>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
};

function count(tokens: number | undefined): number {
  return Number.isFinite(tokens) ? Math.max(0, Math.trunc(tokens ?? 0)) : 0;
}

/** The SDK's error of an event that is an error has the event in it. */
function errorOf(error: unknown): unknown {
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  return data === undefined ? error : new UpstreamRefusal(200, {}, readParsed({ error: data }), true);
}
