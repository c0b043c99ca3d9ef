import { isNativeError } from 'node:util/types';
import { APICallError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { MachineTime } from '@lontar/shared/machine-time.ts';
import type { AttemptEnd } from './attempt.ts';
import { AnswerTooLargeError } from './capped-fetch.ts';
import { ModelError, type ModelErrorKind, type ModelRequest } from './language-model.ts';
import { EmptyStreamError } from './openai/response-reader.ts';
import { isUnknownModel, kindOfRefusal, kindOfWords, refusedField } from './refusal-kind.ts';
import { readRetryAfterMs } from './retry-after.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';
import { readUpstreamSaid } from './upstream-said.ts';
import type { DescribeFailure } from './upstream-words.ts';

/** What is known of an attempt that failed. */
export interface FailedAttempt {
  /** Why our own side ended it; it explains an error better than the error itself. */
  readonly ended: AttemptEnd;
  readonly request?: ModelRequest | undefined;
  /** What of an upstream's words the operator may read; nothing where absent. */
  readonly describe?: DescribeFailure | undefined;
}

/**
 * Turns whatever an attempt threw into a ModelError that holds nothing of it but a kind, a wait, and what `describe`
 * makes of the upstream's words.
 *
 * @param thrown anything: a response that is no answer, an error of the SDK or of the HTTP client, a bug
 * @param now for `Retry-After` dates
 */
export function toModelError(thrown: unknown, attempt: FailedAttempt, now: MachineTime): ModelError {
  const error = judgeFailure(thrown, attempt, now);
  // Of one without words of its own the operator learns where it happened.
  if (SILENT.has(error.kind)) error.upstream ??= attempt.describe?.silence();
  return error;
}

/** Kinds of failures for which an upstream need not have said a word. */
const SILENT: ReadonlySet<ModelErrorKind> = new Set([
  'timed_out',
  'connection',
  'cut_off',
  'invalid_answer',
  'empty_answer',
  'too_large',
]);

function judgeFailure(thrown: unknown, attempt: FailedAttempt, now: MachineTime): ModelError {
  if (thrown instanceof ModelError) return thrown;
  if (attempt.ended !== undefined) return new ModelError(attempt.ended);
  // What the SDK cannot say in the upstream's protocol.
  if (UnsupportedFunctionalityError.isInstance(thrown)) return new ModelError('request_refused');
  if (thrown instanceof EmptyStreamError) return new ModelError('cut_off');
  const refusal = toRefusal(thrown);
  if (refusal !== undefined && !isSuccess(refusal.status)) return fromStatus(refusal.status, refusal, attempt, now);
  for (const error of causes(thrown)) {
    if (error instanceof AnswerTooLargeError) return new ModelError('too_large');
    const kind = connectionFailure(error);
    if (kind !== undefined) return new ModelError(kind, { upstream: attempt.describe?.connection(codeOf(error)) });
  }
  return refusal === undefined ? new ModelError('invalid_answer') : fromDressed(refusal, attempt, now);
}

function toRefusal(thrown: unknown): UpstreamRefusal | undefined {
  if (thrown instanceof UpstreamRefusal) return thrown;
  if (!APICallError.isInstance(thrown) || thrown.statusCode === undefined) return undefined;
  return new UpstreamRefusal(thrown.statusCode, thrown.responseHeaders ?? {}, readUpstreamSaid(thrown.responseBody));
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function fromStatus(status: number, refusal: UpstreamRefusal, attempt: FailedAttempt, now: MachineTime): ModelError {
  const kind = kindOfRefusal(status, refusal.said, attempt.request);
  return described(kind, refusal, attempt, now);
}

function described(
  kind: ModelErrorKind,
  refusal: UpstreamRefusal,
  { request, describe }: FailedAttempt,
  now: MachineTime,
): ModelError {
  const waits = kind === 'rate_limited' || kind === 'server_error';
  return new ModelError(kind, {
    status: refusal.status,
    retryAfterMs: waits ? readRetryAfterMs(refusal.headers, refusal.said.body, now) : undefined,
    upstream: describe?.refusal(refusal, request),
    field: kind === 'request_refused' && request ? refusedField(refusal.said, request) : undefined,
    isUnknownModel: kind === 'refused' && isUnknownModel(refusal.said.status ?? refusal.status, refusal.said),
  });
}

/**
 * Some gateways (OpenRouter) report an upstream's failure as a 200 whose body is `{ "error": { "code": 429 } }`, and in a
 * stream there is no other way.
 */
function fromDressed(refusal: UpstreamRefusal, attempt: FailedAttempt, now: MachineTime): ModelError {
  if (refusal.said.status !== undefined) return fromStatus(refusal.said.status, refusal, attempt, now);
  const kind = kindOfWords(refusal.said) ?? (refusal.isInStream ? 'server_error' : 'invalid_answer');
  return described(kind, refusal, attempt, now);
}

/** Codes that mean: no connection was made, so the upstream has nothing of the request. */
const UNREACHED_CODES = new Set(
  (
    'ECONNREFUSED ENETUNREACH EHOSTUNREACH ENETDOWN ENOTFOUND EAI_AGAIN EAI_FAIL EADDRNOTAVAIL EMFILE EPROTO ' +
    'UND_ERR_CONNECT_TIMEOUT UND_ERR_CLOSED UND_ERR_DESTROYED'
  ).split(' '),
);

/** Codes that mean: the request may have arrived, and been worked on, before its connection broke. */
const CUT_OFF_CODES = new Set(
  (
    'ECONNRESET ECONNABORTED EPIPE ETIMEDOUT UND_ERR_SOCKET UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT ' +
    'UND_ERR_ABORTED UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  ).split(' '),
);

function connectionFailure(error: Error): 'connection' | 'cut_off' | undefined {
  const code = codeOf(error);
  // A handshake that fails, or a certificate that cannot be verified, has one of some fifty codes.
  if (UNREACHED_CODES.has(code) || /^ERR_(?:TLS|SSL)_|CERT/.test(code)) return 'connection';
  if (!CUT_OFF_CODES.has(code)) return undefined;
  // The same code while connecting is a connection that was never made.
  return 'syscall' in error && error.syscall === 'connect' ? 'connection' : 'cut_off';
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** An error and what it names as its causes, at most ten deep, the outermost first. */
function causes(thrown: unknown): Error[] {
  const chain: Error[] = [];
  let error = thrown;
  // Not `instanceof`: errors of Node itself may come from another realm than this module.
  while (isNativeError(error) && chain.length < 10) {
    chain.push(error);
    // Connecting to several addresses of one name fails with one error for each.
    error = error.cause ?? firstOfSeveral(error);
  }
  return chain;
}

function firstOfSeveral(error: Error): unknown {
  return 'errors' in error && Array.isArray(error.errors) ? error.errors[0] : undefined;
}
