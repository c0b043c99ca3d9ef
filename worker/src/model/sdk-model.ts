import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
} from '@ai-sdk/provider';
import { type ChatMessage, textOf } from '@lontar/shared/chat-request.ts';
import { machineNow } from '@lontar/shared/machine-time.ts';
import { startAttempt } from './attempt.ts';
import { type LanguageModel, ModelError, type ModelRequest, type ModelResult } from './language-model.ts';
import { toModelError } from './to-model-error.ts';

export interface SdkModelOptions {
  readonly provider: LanguageModel['provider'];
  /** Makes the SDK's model of an upstream name; called once per name, because it builds schemas. */
  readonly modelOf: (name: string) => LanguageModelV4;
  /** What one provider wants besides the common call options. */
  readonly extras?: (request: ModelRequest) => Partial<LanguageModelV4CallOptions>;
  /** How long one attempt may take, connecting and reading included, ms. */
  readonly timeoutMs: number;
  readonly close: () => Promise<void>;
}

/**
 * Puts a model of the Vercel AI SDK behind the port, through its provider-level call: that costs the worker about 60 %
 * of the CPU of `generateText`, retries nothing, and records nothing.
 */
export function sdkModel({ provider, modelOf, extras, timeoutMs, close }: SdkModelOptions): LanguageModel {
  const models = new Map<string, LanguageModelV4>();
  return {
    provider,
    async generate(request, signal) {
      const attempt = startAttempt(signal, timeoutMs);
      const ending = new AbortController();
      attempt.atEnd(() => ending.abort());
      try {
        const options = { ...callOptions(request), ...extras?.(request), abortSignal: ending.signal };
        ending.signal.throwIfAborted();
        const model = models.get(request.model) ?? modelOf(request.model);
        models.set(request.model, model);
        return toAnswer(await model.doGenerate(options));
      } catch (error) {
        throw toModelError(error, { ended: attempt.ended(), request }, machineNow());
      } finally {
        attempt.finish();
      }
    },
    close,
  };
}

function callOptions(request: ModelRequest): LanguageModelV4CallOptions {
  return {
    prompt: request.chat.messages.map(toSdkMessage),
    ...(request.chat.temperature !== undefined && { temperature: request.chat.temperature }),
    maxOutputTokens: request.maxOutputTokens,
  };
}

function toSdkMessage(message: ChatMessage): LanguageModelV4Message {
  if (message.role === 'system') return { role: 'system', content: message.content };
  return { role: 'user', content: [{ type: 'text', text: textOf({ messages: [message] }) }] };
}

/**
 * Takes the text out of what the SDK gives. Reasoning, files and tool calls are no text.
 *
 * @throws ModelError `content_blocked` or `empty_answer` where there is no text, unless all tokens were used up before it
 */
function toAnswer(result: LanguageModelV4GenerateResult): ModelResult {
  const { unified } = result.finishReason;
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (text.trim() === '' && unified !== 'length') {
    throw new ModelError(unified === 'content-filter' ? 'content_blocked' : 'empty_answer');
  }
  return {
    // A lone surrogate would become something else in Redis than what was masked.
    text: text.toWellFormed(),
    usage: { input: count(result.usage.inputTokens.total), output: count(result.usage.outputTokens.total) },
    finishReason: unified === 'stop' || unified === 'length' ? unified : 'other',
  };
}

function count(tokens: number | undefined): number {
  return Number.isFinite(tokens) ? Math.max(0, Math.trunc(tokens ?? 0)) : 0;
}
