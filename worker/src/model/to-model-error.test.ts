import {
  APICallError,
  InvalidResponseDataError,
  NoContentGeneratedError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { expect, test } from '@jest/globals';
import type { MachineTime } from '@lontar/shared/machine-time.ts';
import type { AttemptEnd } from './attempt.ts';
import { AnswerTooLargeError } from './capped-fetch.ts';
import { ModelError, type ModelErrorKind } from './language-model.ts';
import { toModelError } from './to-model-error.ts';

const CANARY = 'words-of-the-upstream';
const coded = (code: string, cause?: unknown) => Object.assign(new Error(CANARY, { cause }), { code });

function called(statusCode: number | undefined, more: { body?: unknown; cause?: unknown; retryAfter?: string } = {}) {
  return new APICallError({
    message: CANARY,
    url: `https://${CANARY}.example/`,
    requestBodyValues: { prompt: CANARY },
    responseBody: typeof more.body === 'string' ? more.body : JSON.stringify(more.body ?? CANARY),
    responseHeaders: more.retryAfter === undefined ? {} : { 'retry-after': more.retryAfter },
    cause: more.cause,
    ...(statusCode !== undefined && { statusCode }),
  });
}

const geminiDetails = (reason: string) => ({ error: { code: 400, details: [{ other: 1 }, null, { reason }] } });

interface Case {
  readonly name: string;
  readonly thrown: unknown;
  readonly kind: ModelErrorKind;
  readonly retryAfterMs?: number;
  readonly ended?: AttemptEnd;
}

const STATUS_KINDS: Record<number, ModelErrorKind> = {
  301: 'refused',
  307: 'refused',
  400: 'refused',
  401: 'unauthorized',
  402: 'unauthorized',
  403: 'unauthorized',
  404: 'refused',
  407: 'unauthorized',
  408: 'server_error',
  409: 'refused',
  413: 'refused',
  422: 'refused',
  425: 'server_error',
  429: 'rate_limited',
  499: 'refused',
  500: 'server_error',
  502: 'server_error',
  503: 'server_error',
  504: 'server_error',
  529: 'server_error',
};

const cases: Case[] = [
  ...Object.entries(STATUS_KINDS).map(([status, kind]) => ({
    name: `status ${status}`,
    thrown: called(Number(status)),
    kind,
  })),
  { name: '429 with a wait', thrown: called(429, { retryAfter: '4' }), kind: 'rate_limited', retryAfterMs: 4_000 },
  { name: '503 with a wait', thrown: called(503, { retryAfter: '4' }), kind: 'server_error', retryAfterMs: 4_000 },
  { name: '400 with a wait', thrown: called(400, { retryAfter: '4' }), kind: 'refused' },
  {
    name: 'a wrong key of Gemini',
    thrown: called(400, { body: geminiDetails('API_KEY_INVALID') }),
    kind: 'unauthorized',
  },
  { name: 'another reason of Gemini', thrown: called(400, { body: geminiDetails('toString') }), kind: 'refused' },
  {
    name: 'no money left',
    thrown: called(429, { body: { error: { code: 'insufficient_quota' } } }),
    kind: 'unauthorized',
  },
  {
    name: 'no money left, as a type',
    thrown: called(429, { body: { error: { type: 'insufficient_quota', code: null } } }),
    kind: 'unauthorized',
  },
  {
    name: 'a filter of Azure',
    thrown: called(400, { body: { error: { code: 'content_filter' } } }),
    kind: 'content_blocked',
  },
  { name: 'an error inside a 200', thrown: called(200, { body: { error: { code: 503 } } }), kind: 'server_error' },
  { name: 'a 200 inside a 200', thrown: called(200, { body: { error: { code: 200 } } }), kind: 'invalid_answer' },
  { name: 'garbage', thrown: called(200), kind: 'invalid_answer' },
  { name: 'half of JSON', thrown: called(200, { body: '{"choices":[' }), kind: 'invalid_answer' },
  { name: 'an answer past the cap', thrown: new AnswerTooLargeError(), kind: 'too_large' },
  {
    name: 'an answer past the cap, wrapped',
    thrown: called(200, { cause: new Error(CANARY, { cause: new AnswerTooLargeError() }) }),
    kind: 'too_large',
  },
  {
    name: 'an error page past the cap',
    thrown: called(500, { cause: new AnswerTooLargeError() }),
    kind: 'server_error',
  },
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].map((code) => ({
    name: code,
    thrown: coded(code),
    kind: 'connection' as const,
  })),
  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'].map((code) => ({
    name: code,
    thrown: coded(code),
    kind: 'cut_off' as const,
  })),
  {
    name: 'a reset while connecting',
    thrown: Object.assign(coded('ECONNRESET'), { syscall: 'connect' }),
    kind: 'connection',
  },
  { name: 'an expired certificate', thrown: coded('CERT_HAS_EXPIRED'), kind: 'connection' },
  { name: 'a self-signed certificate', thrown: coded('DEPTH_ZERO_SELF_SIGNED_CERT'), kind: 'connection' },
  { name: 'no TLS there', thrown: coded('ERR_SSL_WRONG_VERSION_NUMBER'), kind: 'connection' },
  {
    name: 'a wrapped reset',
    thrown: called(undefined, { cause: new TypeError(CANARY, { cause: coded('ECONNRESET') }) }),
    kind: 'cut_off',
  },
  {
    name: 'a reset in the middle',
    thrown: called(200, { cause: coded('UND_ERR_SOCKET') }),
    kind: 'cut_off',
  },
  {
    name: 'all addresses of a name refusing',
    thrown: called(undefined, { cause: new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]) }),
    kind: 'connection',
  },
  {
    name: 'no choices',
    thrown: new InvalidResponseDataError({ data: CANARY, message: CANARY }),
    kind: 'invalid_answer',
  },
  {
    name: 'what the SDK cannot say',
    thrown: new UnsupportedFunctionalityError({ functionality: CANARY }),
    kind: 'request_refused',
  },
  { name: 'no content', thrown: new NoContentGeneratedError({ message: CANARY }), kind: 'invalid_answer' },
  { name: 'a bug', thrown: new TypeError(CANARY), kind: 'invalid_answer' },
  { name: 'no error at all', thrown: CANARY, kind: 'invalid_answer' },
  { name: 'nothing', thrown: undefined, kind: 'invalid_answer' },
  { name: 'the caller leaving', thrown: new DOMException(CANARY, 'AbortError'), ended: 'cancelled', kind: 'cancelled' },
  { name: 'the caller leaving, seen as a reset', thrown: coded('ECONNRESET'), ended: 'cancelled', kind: 'cancelled' },
  {
    name: 'the time of an attempt',
    thrown: called(200, { cause: coded('UND_ERR_ABORTED') }),
    ended: 'timed_out',
    kind: 'timed_out',
  },
];

const NOW = 0 as MachineTime;

test.each(cases)('$name is $kind', ({ thrown, ended, kind, ...expected }) => {
  const error = toModelError(thrown, { ended }, NOW);
  expect({ kind: error.kind, retryAfterMs: error.retryAfterMs }).toEqual({ kind, retryAfterMs: expected.retryAfterMs });
  expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(CANARY);
});

test('causes that go in a circle come to an end', () => {
  const error = new Error(CANARY);
  error.cause = error;
  expect(toModelError(error, { ended: undefined }, NOW).kind).toBe('invalid_answer');
});

test('a ModelError stays itself', () => {
  const error = new ModelError('content_blocked');
  expect(toModelError(error, { ended: undefined }, NOW)).toBe(error);
});

test.each([
  ['what it names', { message: 'no', param: 'seed' }, 'seed'],
  ['a place within it', { message: 'no', param: `tools[3].${CANARY}` }, 'tools'],
  ['a word of its message', { message: 'temperature must be below 1' }, 'temperature'],
  ['the limit by any name', { message: 'max_new_tokens is too large: 90000' }, 'max_completion_tokens'],
  ['a schema', { message: 'json_schema is not supported' }, 'response_format'],
])('of a refusal the field of the caller is known by %s, in no words of the upstream', (_what, error, field) => {
  const request = {
    requestId: 'req_x',
    model: 'm',
    maxOutputTokens: 90_000,
    chat: {
      messages: [{ role: 'user' as const, content: 'x' }],
      seed: 1,
      temperature: 2,
      tools: [{ name: 'a' }],
      responseFormat: { type: 'json_schema' as const, name: 's' },
    },
  };
  const failed = toModelError(called(400, { body: { error } }), { ended: undefined, request }, 0 as MachineTime);
  expect(failed).toMatchObject({ kind: 'request_refused', field });
});
