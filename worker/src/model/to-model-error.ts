import { isNativeError } from 'node:util/types';
import { APICallError } from '@ai-sdk/provider';
import type { MachineTime } from '@lontar/shared/machine-time.ts';
import { z } from 'zod';
import { AnswerTooLargeError } from './capped-fetch.ts';
import { ModelError, type ModelErrorKind } from './language-model.ts';
import { readRetryAfterMs } from './retry-after.ts';

/** Why our own side ended an attempt, if it did. */
export type AttemptEnd = 'cancelled' | 'timed_out' | undefined;

/**
 * Turns whatever an attempt threw into a ModelError that holds nothing of it but a kind and a wait.
 *
 * @param thrown anything: an APICallError of the SDK, an error of the HTTP client, a bug
 * @param ended why our own side ended the attempt; it explains the error better than the error itself
 * @param now for `Retry-After` dates
 */
export function toModelError(thrown: unknown, ended: AttemptEnd, now: MachineTime): ModelError {
  if (thrown instanceof ModelError) return thrown;
  if (ended !== undefined) return new ModelError(ended);
  const call = APICallError.isInstance(thrown) ? thrown : undefined;
  const status = call?.statusCode;
  if (call !== undefined && status !== undefined && (status < 200 || status > 299)) {
    return fromStatus(status, call, parseJson(call.responseBody), now);
  }
  for (const error of causes(thrown)) {
    if (error instanceof AnswerTooLargeError) return new ModelError('too_large');
    const kind = connectionFailure(error);
    if (kind !== undefined) return new ModelError(kind);
  }
  return call === undefined ? new ModelError('invalid_answer') : fromUnreadableAnswer(call, now);
}

function fromStatus(status: number, call: APICallError, body: unknown, now: MachineTime): ModelError {
  const kind = kindOfStatus(status, body);
  const waits = kind === 'rate_limited' || kind === 'server_error';
  return new ModelError(kind, {
    retryAfterMs: waits ? readRetryAfterMs(call.responseHeaders ?? {}, body, now) : undefined,
  });
}

/** Some gateways (OpenRouter) report an upstream's failure as a 200 whose body is `{ "error": { "code": 429 } }`. */
function fromUnreadableAnswer(call: APICallError, now: MachineTime): ModelError {
  const body = parseJson(call.responseBody);
  const code = errorBody.safeParse(body).data?.error.code;
  const isStatus = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599;
  return isStatus ? fromStatus(code, call, body, now) : new ModelError('invalid_answer');
}

const errorBody = z.object({
  error: z.object({
    /** OpenAI: a word; Gemini and OpenRouter: an HTTP status. */
    code: z.union([z.string(), z.number()]).nullish(),
    type: z.string().nullish(),
    details: z.array(z.looseObject({ reason: z.string().nullish() }).catch({})).nullish(),
  }),
});

/** What upstreams say where their status alone would mislead. */
const KIND_OF_WORD: Record<string, ModelErrorKind> = {
  // Gemini answers 400, not 401, to a wrong key.
  API_KEY_INVALID: 'unauthorized',
  // OpenAI answers 429 when the account has no money left; waiting does not help.
  insufficient_quota: 'unauthorized',
  // OpenAI and Azure answer 400 when a filter stopped the prompt.
  content_filter: 'content_blocked',
  content_policy_violation: 'content_blocked',
};

function kindOfStatus(status: number, body: unknown): ModelErrorKind {
  const error = errorBody.safeParse(body).data?.error;
  const words = [error?.code, error?.type, ...(error?.details ?? []).map((detail) => detail.reason)];
  for (const word of words) {
    if (typeof word === 'string' && Object.hasOwn(KIND_OF_WORD, word)) return KIND_OF_WORD[word] ?? 'refused';
  }
  if (status === 429) return 'rate_limited';
  // 402: the account has no money left. 407: a proxy on the way wants credentials.
  if (status === 401 || status === 402 || status === 403 || status === 407) return 'unauthorized';
  // 408 and 425 are an upstream's way to say "again, please": it was slow, or the connection was too young.
  if (status >= 500 || status === 408 || status === 425) return 'server_error';
  return 'refused';
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
  const code = 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return undefined;
  // A handshake that fails, or a certificate that cannot be verified, has one of some fifty codes.
  if (UNREACHED_CODES.has(code) || /^ERR_(?:TLS|SSL)_|CERT/.test(code)) return 'connection';
  if (!CUT_OFF_CODES.has(code)) return undefined;
  // The same code while connecting is a connection that was never made.
  return 'syscall' in error && error.syscall === 'connect' ? 'connection' : 'cut_off';
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

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
