import type { TokenUsage } from '@lontar/shared/settlement/settlement.ts';

/**
 * The one port behind which every model stands. An implementation makes exactly one attempt per call: retries belong
 * to the queue, so that an attempt is never hidden from the deadline, the counters or the operator.
 */
export interface LanguageModel {
  readonly provider: 'gemini' | 'openai' | 'demo';
  /**
   * Makes one attempt.
   *
   * @param signal ends the attempt at once: the deadline, a lost job lock, a caller that left
   * @throws ModelError and nothing else
   */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelResult>;
  /** Closes the connections; attempts that still run end with a ModelError. */
  close(): Promise<void>;
}

export interface ModelRequest {
  readonly requestId: string;
  /** Persona; empty for none. */
  readonly system: string;
  readonly prompt: string;
  /** The upstream's name of the model, not the public one. */
  readonly model: string;
  readonly temperature: number;
  readonly maxOutputTokens: number;
}

export interface ModelResult {
  /** Never blank, well-formed Unicode, and NOT masked: it must not leave the worker's memory as it is. */
  readonly text: string;
  readonly usage: TokenUsage;
  /** `length`: cut at the token limit; `other`: the upstream stopped early for a reason of its own. */
  readonly finishReason: 'stop' | 'length' | 'other';
}

/** How a model call ended; `none` is a success. Metrics have these as a label's values. */
export const MODEL_ERROR_KINDS = [
  'none',
  'rate_limited',
  'server_error',
  'connection',
  'cut_off',
  'timed_out',
  'refused',
  'unauthorized',
  'invalid_answer',
  'empty_answer',
  'output_used_up',
  'content_blocked',
  'too_large',
  'cancelled',
] as const;
export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number];

const MESSAGES: Record<ModelErrorKind, string> = {
  none: 'The model did not fail.',
  rate_limited: 'The upstream takes no more requests at the moment.',
  server_error: 'The upstream failed.',
  connection: 'The upstream could not be reached.',
  cut_off: 'The connection to the upstream broke after the request was sent.',
  timed_out: 'The upstream did not finish its answer in the time of one attempt.',
  refused: 'The upstream refused the request.',
  unauthorized: 'The upstream does not accept the configured credentials, or their account may not be used.',
  invalid_answer: 'The upstream sent something that is not an answer.',
  empty_answer: 'The upstream sent an answer without text.',
  output_used_up: 'The model used all its output tokens before any text.',
  content_blocked: 'The safety filter of the upstream refused the prompt or the answer.',
  too_large: 'The answer of the upstream is larger than MAX_ANSWER_BYTES.',
  cancelled: 'The attempt was cancelled.',
};

export interface ModelErrorDetails {
  /** How long the upstream wants no further request, ms (`Retry-After`). */
  readonly retryAfterMs?: number | undefined;
}

/**
 * A failed attempt. Its message is fixed per kind and it has no `cause`: provider errors carry the prompt, the answer,
 * the upstream's words, its host and sometimes the key, and errors end up in logs.
 */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ModelErrorKind, details: ModelErrorDetails = {}) {
    super(MESSAGES[kind]);
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfterMs = details.retryAfterMs;
  }
}
