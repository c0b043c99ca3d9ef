import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { AnswerGatherer } from './answer-gatherer.ts';
import type { Attempt } from './attempt.ts';
import { gatherStream, gatherWhole } from './gemini/gather-sdk-answer.ts';
import { toSdkCall } from './gemini/to-sdk-call.ts';
import { type LanguageModel, ModelError, type ModelRequest, type ModelResult } from './language-model.ts';
import { kindOfWords } from './refusal-kind.ts';
import { type AttemptTerms, runAttempt } from './run-attempt.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

export interface SdkModelOptions extends AttemptTerms {
  readonly provider: LanguageModel['provider'];
  /** Makes the SDK's model of an upstream name; called once per name, because it builds schemas. */
  readonly modelOf: (name: string) => Promise<LanguageModelV4>;
  /** What one provider wants besides the common call options. */
  readonly extras?: (request: ModelRequest) => Partial<LanguageModelV4CallOptions>;
  /** Calls `listener` when the request with this signal has a connection. */
  readonly whenSent: (signal: AbortSignal, listener: () => void) => void;
  readonly close: () => Promise<void>;
}

/** Names come from the operator's MODEL_MAP, and are few. */
type Models = Map<string, Promise<LanguageModelV4>>;

/**
 * Puts a model of the Vercel AI SDK behind the port, through its provider-level calls: those cost the worker about 60 %
 * of the CPU of `generateText`, retry nothing, and record nothing.
 */
export function sdkModel(options: SdkModelOptions): LanguageModel {
  const models: Models = new Map();
  return {
    provider: options.provider,
    generate: (request, signal, onPart) =>
      runAttempt(request, signal, options, async (attempt) => {
        const ending = new AbortController();
        attempt.atEnd(() => ending.abort());
        const model = await modelFor(request.model, models, options);
        ending.signal.throwIfAborted();
        const isStream = onPart !== undefined;
        attempt.connecting();
        options.whenSent(ending.signal, () => attempt.sent(isStream));
        const gatherer = new AnswerGatherer(request.chat, options.maxAnswerBytes, onPart);
        const call = { ...toSdkCall(request), ...options.extras?.(request), abortSignal: ending.signal };
        return ask(model, call, { gatherer, attempt, isStream });
      }),
    close: options.close,
  };
}

function modelFor(name: string, models: Models, { modelOf }: SdkModelOptions): Promise<LanguageModelV4> {
  const model = models.get(name) ?? modelOf(name);
  models.set(name, model);
  return model;
}

interface Asking {
  readonly gatherer: AnswerGatherer;
  readonly attempt: Attempt;
  readonly isStream: boolean;
}

async function ask(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  { gatherer, attempt, isStream }: Asking,
): Promise<ModelResult> {
  if (!isStream) return gatherWhole(await model.doGenerate(call), gatherer);
  const { stream } = await model.doStream(call);
  try {
    return await gatherStream(stream, gatherer, attempt.heard);
  } catch (error) {
    // An upstream that fails in the middle of an answer has done work that may cost.
    const isFailure =
      gatherer.hasContent && error instanceof UpstreamRefusal && kindOfWords(error.said) !== 'content_blocked';
    throw isFailure ? new ModelError('cut_off') : error;
  }
}
