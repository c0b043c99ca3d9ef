import type { JSONObject } from '@ai-sdk/provider';
import { createCappedFetch } from './capped-fetch.ts';
import type { LanguageModel, ModelRequest } from './language-model.ts';
import { sdkModel } from './sdk-model.ts';
import { createAdvice } from './upstream-advice.ts';
import type { UpstreamLimits } from './upstream-limits.ts';
import { describeFailures } from './upstream-words.ts';

export interface GeminiOptions extends UpstreamLimits {
  readonly apiKey: string;
  /** With its version: `https://host/v1beta`. */
  readonly baseUrl: string;
}

/**
 * Gemini through its own protocol (`models/{model}:generateContent` and `:streamGenerateContent`). Its SDK is loaded when the
 * first upstream of this kind is opened: it takes 3 MB, and most workers have none.
 */
export function geminiModel({ apiKey, baseUrl, ...limits }: GeminiOptions): LanguageModel {
  const http = createCappedFetch({ maxBytes: limits.maxAnswerBytes, connectTimeoutMs: limits.connectTimeoutMs });
  const loading = import('@ai-sdk/google').then(({ createGoogle }) =>
    createGoogle({ apiKey, baseURL: baseUrl, fetch: http.fetch }),
  );
  // Each attempt that needs it hears of its failure.
  loading.catch(() => undefined);
  return sdkModel({
    ...limits,
    provider: 'gemini',
    modelOf: async (name) => (await loading).languageModel(name),
    extras: thinkingOptions,
    describe: limits.redact && describeFailures(new URL(baseUrl).host, limits.redact),
    advise: createAdvice({ url: `${baseUrl}/models?pageSize=1000`, headers: { 'x-goog-api-key': apiKey } }, limits),
    whenSent: http.whenSent,
    close: http.close,
  });
}

/** Below this limit an answer and unbounded thinking do not both fit; it is also the default of the API. */
const ROOMY_OUTPUT_TOKENS = 8_192;

function thinkingOptions(request: ModelRequest) {
  // A caller who says how much is to be thought has its own wish honoured, and sees the thoughts.
  const { reasoningEffort } = request.chat;
  if (reasoningEffort !== undefined) return thinkingConfig({ includeThoughts: reasoningEffort !== 'none' });
  const thinkingBudget = thinkingBudgetOf(request);
  return thinkingBudget === undefined ? {} : thinkingConfig({ thinkingBudget });
}

function thinkingConfig(config: JSONObject) {
  return { providerOptions: { google: { thinkingConfig: config } } };
}

/**
 * How many tokens a Gemini 2.5 model may think with, tokens; undefined leaves it to the model.
 *
 * The models of the 2.5 family take what they think out of `maxOutputTokens`, so that a small limit often ends in an
 * answer without any text. Under a small limit they get a quarter of it, or none where they can do without (Flash takes
 * 0, Flash-Lite 0 or 512 and more, Pro no less than 128: https://ai.google.dev/gemini-api/docs/thinking).
 */
export function thinkingBudgetOf({ model, maxOutputTokens }: Pick<ModelRequest, 'model' | 'maxOutputTokens'>) {
  const family = /(?:^|\/)gemini-2\.5-(flash|pro)(?!.*-(?:image|tts))/.exec(model)?.[1];
  if (family === undefined || maxOutputTokens >= ROOMY_OUTPUT_TOKENS) return undefined;
  const quarter = Math.floor(maxOutputTokens / 4);
  if (family === 'pro') return Math.max(128, quarter);
  return quarter < 512 ? 0 : quarter;
}
