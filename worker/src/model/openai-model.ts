import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { withoutSlashesAtEnd } from '@lontar/shared/base-url.ts';
import { createCappedFetch } from './capped-fetch.ts';
import type { LanguageModel } from './language-model.ts';
import { sdkModel } from './sdk-model.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

export interface OpenAiOptions extends UpstreamLimits {
  /** Undefined or empty: no Authorization header. */
  readonly apiKey: string | undefined;
  /** With its version: `https://host/v1`; a query (`?api-version=…`) is sent with every request. */
  readonly baseUrl: string;
}

/** Anything that speaks the protocol of OpenAI's `/chat/completions`. */
export function openAiModel({ apiKey, baseUrl, ...limits }: OpenAiOptions): LanguageModel {
  const http = createCappedFetch({ maxBytes: limits.maxAnswerBytes, connectTimeoutMs: limits.connectTimeoutMs });
  const url = new URL(baseUrl);
  const queryParams = Object.fromEntries(url.searchParams);
  url.search = '';
  url.hash = '';
  const openai = createOpenAICompatible({
    name: 'openai',
    baseURL: withoutSlashesAtEnd(url.href),
    queryParams,
    fetch: http.fetch,
    transformRequestBody: suitReasoningModels,
    ...(apiKey && { apiKey }),
  });
  return sdkModel({
    provider: 'openai',
    modelOf: (name) => openai.chatModel(name),
    timeoutMs: limits.timeoutMs,
    close: http.close,
  });
}

/**
 * OpenAI's reasoning models (o1 and later, GPT-5 and later) refuse `max_tokens` and any `temperature` but their own;
 * they would refuse every request otherwise. Other models and servers get the fields that all of them know.
 */
export function suitReasoningModels(body: Record<string, unknown>): Record<string, unknown> {
  if (!/(?:^|\/)(?:o\d|gpt-[5-9])(?!.*chat)/.test(String(body['model']))) return body;
  const { max_tokens, temperature: _temperature, ...rest } = body;
  return { ...rest, max_completion_tokens: max_tokens };
}
