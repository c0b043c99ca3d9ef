import type { ChatRequest, ToolCall } from '@lontar/shared/chat-request.ts';
import type { FailureCause } from '@lontar/shared/failure-cause.ts';
import type { Deadlines, ProviderName } from '@lontar/shared/models/catalog.ts';
import type { Literal } from '@lontar/shared/settlement/known-literal.ts';
import type { FinishReason, TokenUsage } from '@lontar/shared/settlement/settlement.ts';

/**
 * The one port behind which every model stands. An implementation makes exactly one attempt per call: retries belong
 * to the queue, so that an attempt is never hidden from the deadline, the counters or the operator.
 */
export interface LanguageModel {
  readonly provider: ProviderName;
  /**
   * Makes one attempt.
   *
   * @param signal ends the attempt at once: the deadline, a lost job lock, a caller that left
   * @param onPart is called with each part of the answer as it comes, in order; together they are the result. Called, not
   *   iterated: async iteration costs more for each token than reading it. Where absent, the answer may be asked for in
   *   one piece.
   * @throws ModelError and nothing else
   */
  generate(request: ModelRequest, signal: AbortSignal, onPart?: (part: ModelPart) => void): Promise<ModelResult>;
  /** Closes the connections; attempts that still run end with a ModelError. */
  close(): Promise<void>;
}

export interface ModelRequest {
  readonly requestId: string;
  /** The upstream's name of the model, not the public one. */
  readonly model: string;
  /** The persona, where there is one, is its first message. */
  readonly chat: ChatRequest;
  readonly maxOutputTokens: number;
  /** The caller did not ask for so many: an upstream that finds them too many is asked for what it can give. */
  readonly isDefaultOutput?: boolean;
  /** An earlier call for it may have cost money: none is made a second time in this attempt where that may cost, too. */
  readonly isSpent?: boolean;
  /** How long each part of the attempt may take; the upstream's own limits where absent. */
  readonly deadlines?: Deadlines;
}

/** A part of an answer, NOT masked. A tool call comes whole. */
export type ModelPart =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ToolCall };

export interface ModelResult {
  /**
   * Well-formed Unicode, and NOT masked: it must not leave the worker's memory as it is. Blank only where there are tool
   * calls or a refusal, or all tokens were used up before it (`length`).
   */
  readonly text: string;
  /** Where it is there, the JSON in which a text came, which may be this one: no less secret. */
  readonly literal?: Literal;
  /** What the model says in place of a text, where its upstream tells that apart; as the text. No part of it was given on. */
  readonly refusal?: string;
  /** As the text; absent for none. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly usage: TokenUsage;
  /** `length`: cut at the token limit; `other`: the upstream stopped early for a reason of its own. */
  readonly finishReason: FinishReason | 'other';
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
  'context_exceeded',
  'request_refused',
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
  context_exceeded: 'The request is longer than the context of the model.',
  request_refused: 'The upstream does not take a parameter of the caller.',
  content_blocked: 'The safety filter of the upstream refused the prompt or the answer.',
  too_large: 'The answer of the upstream is larger than MAX_ANSWER_BYTES.',
  cancelled: 'The attempt was cancelled.',
};

/** What the operator may read of a call that failed, beside how it ended: fields of a log line, masked and cut. */
export type UpstreamWords = Omit<FailureCause, 'reason'>;

export interface ModelErrorDetails {
  /** HTTP status of the refusal; absent where there was none. */
  readonly status?: number | undefined;
  /** How long the upstream wants no further request, ms (`Retry-After`). */
  readonly retryAfterMs?: number | undefined;
  readonly upstream?: UpstreamWords | undefined;
  readonly isUnknownModel?: boolean;
  /** Which field of the caller's it was refused for, in OpenAI's names. */
  readonly field?: string | undefined;
}

/**
 * A failed attempt. Its message is fixed per kind and it has no `cause`: provider errors carry the prompt, the answer,
 * the upstream's words, its host and sometimes the key, and errors end up in logs. What the operator may read of that
 * stands in `upstream`.
 */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  upstream: UpstreamWords | undefined;
  /** The upstream does not know the model's name, or has nothing at the path. */
  readonly isUnknownModel: boolean;
  /** Of `request_refused`, which field of the caller's it is about, in OpenAI's names, where that is known. */
  readonly field: string | undefined;
  /** Whether the attempt made a call before the one that failed so, which may have cost money. */
  wasRepeated = false;
  /** Whether the model may have been asked: where its caller left before a connection was there, it was not. */
  wasAsked = true;

  constructor(kind: ModelErrorKind, details: ModelErrorDetails = {}) {
    super(MESSAGES[kind]);
    this.name = 'ModelError';
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.upstream = details.upstream;
    this.isUnknownModel = details.isUnknownModel ?? false;
    this.field = details.field;
  }
}
