import { ERROR_CATALOG, type ErrorCode } from '@lontar/shared/errors.ts';
import type { Problem } from '../envelope/answer.ts';

/** How an error of the catalog is said in OpenAI's form, whose clients choose what they do by status and code. */
interface OpenAiForm {
  /** Where it is not the catalog's. */
  readonly status?: number;
  readonly type: string;
  readonly code: string | null;
  readonly param?: string;
  /** Some programs know an error by these words alone, at the beginning of its message. */
  readonly words?: string;
  /** What will not pass by waiting: most clients would try again for ever. */
  readonly isFinal?: true;
}

const INVALID = 'invalid_request_error';
const INCORRECT_KEY: OpenAiForm = {
  status: 401,
  type: INVALID,
  code: 'invalid_api_key',
  words: 'Incorrect API key provided.',
};
const NO_MODEL: OpenAiForm = { status: 404, type: INVALID, code: 'model_not_found', param: 'model' };

const FORMS = {
  missing_parameters: INCORRECT_KEY,
  invalid_parameter: { type: INVALID, code: 'invalid_value' },
  output_used_up: { type: INVALID, code: 'invalid_value' },
  context_exceeded: {
    type: INVALID,
    code: 'context_length_exceeded',
    param: 'messages',
    // LiteLLM and LangChain know the first sentence, pi and opencode the second: these begin to compact by themselves.
    words:
      'Input tokens exceed the configured limit. This exceeds the context window: reduce the length of the messages.',
  },
  request_refused: { type: INVALID, code: 'request_refused' },
  invalid_api_key: INCORRECT_KEY,
  key_not_active: { type: INVALID, code: 'key_not_active' },
  model_not_allowed: NO_MODEL,
  address_blocked: { type: INVALID, code: 'address_blocked' },
  cross_site_request: { type: INVALID, code: 'cross_site_request' },
  not_found: { type: INVALID, code: 'not_found' },
  model_not_found: NO_MODEL,
  method_not_allowed: { type: INVALID, code: 'method_not_allowed' },
  request_timeout: { type: INVALID, code: 'request_timeout' },
  payload_too_large: { type: INVALID, code: 'payload_too_large' },
  uri_too_long: { type: INVALID, code: 'uri_too_long' },
  unsupported_media_type: { type: INVALID, code: 'unsupported_media_type' },
  headers_too_large: { type: INVALID, code: 'headers_too_large' },
  content_blocked: { status: 400, type: INVALID, code: 'content_filter', param: 'messages' },
  too_many_requests: { type: 'requests', code: 'rate_limit_exceeded' },
  internal_error: { type: 'server_error', code: 'internal_error' },
  masking_failed: { type: 'server_error', code: 'masking_failed' },
  upstream_error: { type: 'server_error', code: 'upstream_error' },
  stream_broken: { type: 'server_error', code: 'stream_broken' },
  service_unavailable: { type: 'service_unavailable_error', code: 'server_is_overloaded' },
  timed_out: { type: 'timeout', code: 'timeout' },
  insufficient_storage: { type: 'server_error', code: 'insufficient_storage' },
  client_closed: { type: INVALID, code: 'client_closed' },
} as const satisfies Record<ErrorCode, OpenAiForm>;

/** What has a form of its own by its cause. */
const BY_CAUSE = {
  credits: { status: 402, type: 'insufficient_quota', code: 'insufficient_quota', isFinal: true },
} as const satisfies Record<NonNullable<Problem['cause']>, OpenAiForm>;

const BY_FAULT = {
  missing: 'missing_required_parameter',
  unsupported: 'unsupported_parameter',
} as const satisfies Record<NonNullable<Problem['fault']>, string>;

/** The body of every error under `/v1`, and of an event in a stream. */
export interface OpenAiErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

export interface RenderedError {
  readonly status: number;
  /** Besides those of limits. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether trying again is of no use, so that nothing may say when to. */
  readonly isFinal: boolean;
  readonly body: OpenAiErrorBody;
}

/** Says an error of the catalog in OpenAI's form. */
export function renderError(problem: Problem): RenderedError {
  const { code, message, param, fault, cause } = problem;
  const form: OpenAiForm = cause === undefined ? FORMS[code] : BY_CAUSE[cause];
  const isFinal = form.isFinal ?? false;
  return {
    status: form.status ?? ERROR_CATALOG[code].status,
    headers: isFinal ? { 'x-should-retry': 'false' } : {},
    isFinal,
    body: {
      error: {
        message: form.words === undefined ? message : `${form.words} ${message}`,
        type: form.type,
        param: param ?? form.param ?? null,
        code: fault === undefined ? form.code : BY_FAULT[fault],
      },
    },
  };
}
