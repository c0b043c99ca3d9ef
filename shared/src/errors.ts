/**
 * Every way a request can end other than with an answer. The codes travel between services (a settlement names one);
 * status, label and message are what a caller sees. Whether a failure of generation was charged is decided when it is
 * settled (settlement/charge.ts), and said after the message then.
 */
export const ERROR_CATALOG = {
  missing_parameters: {
    status: 400,
    label: 'Missing required parameters',
    message: 'apikey and prompt are required',
  },
  invalid_parameter: {
    status: 400,
    label: 'Invalid parameter',
    message: 'A parameter is not valid. See /docs for the rules.',
  },
  output_used_up: {
    status: 400,
    label: 'Invalid parameter',
    message:
      'maxOutputTokens was used up before there was any text (reasoning counts, too). Give a larger number, or leave it out.',
  },
  context_exceeded: {
    status: 400,
    label: 'Invalid parameter',
    message: 'The prompt is longer than this model can read. Shorten it, or use a model with a longer context.',
  },
  request_refused: {
    status: 400,
    label: 'Invalid parameter',
    message:
      'The model does not accept this request. Leave out what it may not support: images, tools, response formats.',
  },
  invalid_api_key: {
    status: 401,
    label: 'Invalid API key',
    message: 'This API key does not exist. Check it for typing errors, or ask the operator for a new one.',
  },
  key_not_active: {
    status: 403,
    label: 'API key not active',
    message: 'This API key is not active. Ask the operator for a new one.',
  },
  model_not_allowed: {
    status: 403,
    label: 'Model not allowed',
    message:
      'This API key may not use this model. GET /v1/models lists those that it may use; the operator can allow more.',
  },
  address_blocked: {
    status: 403,
    label: 'Address blocked',
    message: 'Requests from this address are blocked. Ask the operator if you think this is a mistake.',
  },
  cross_site_request: {
    status: 403,
    label: 'Cross-site request',
    message:
      'A page of another site sent this request in a way that cannot read the answer. Call the API with fetch, or from your own server.',
  },
  not_found: {
    status: 404,
    label: 'Not Found',
    message:
      'There is nothing at this path. Text is generated at /api/ai, /api/ai2, /api/ai3 and /v1/chat/completions; see /docs.',
  },
  model_not_found: {
    status: 404,
    label: 'Not Found',
    message: 'There is no such model, or this API key may not use it. GET /v1/models lists those that it may use.',
  },
  method_not_allowed: {
    status: 405,
    label: 'Method Not Allowed',
    message: 'This path does not accept this method. The Allow header lists the methods that it accepts.',
  },
  request_timeout: {
    status: 408,
    label: 'Request Timeout',
    message: 'The request did not arrive in time. Send it faster.',
  },
  payload_too_large: {
    status: 413,
    label: 'Payload Too Large',
    message: 'The request body is too large. Send a shorter one.',
  },
  uri_too_long: {
    status: 414,
    label: 'URI Too Long',
    message: 'The URL is too long. Use POST with a JSON body of the same fields.',
  },
  unsupported_media_type: {
    status: 415,
    label: 'Unsupported Media Type',
    message: 'Send the body as JSON in UTF-8, with the header Content-Type: application/json.',
  },
  headers_too_large: {
    status: 431,
    label: 'Request Header Fields Too Large',
    message: 'The URL and headers are too long. Use POST with a JSON body of the same fields.',
  },
  content_blocked: {
    status: 422,
    label: 'Content blocked',
    message: "The model's safety filter refused this prompt, or left no text of the answer. Rephrase the prompt.",
  },
  too_many_requests: {
    status: 429,
    label: 'Too many requests',
    message: 'Too many requests. Wait for the time in the Retry-After header, in seconds.',
  },
  internal_error: {
    status: 500,
    label: 'Internal error',
    message: 'Something went wrong on our side. Try again later.',
  },
  masking_failed: {
    status: 500,
    label: 'Internal error',
    message: 'The answer could not be checked for sensitive data, so it was not sent.',
  },
  upstream_error: {
    status: 502,
    label: 'Upstream error',
    message: 'The model did not give an answer. Try again later.',
  },
  stream_broken: {
    status: 502,
    label: 'Upstream error',
    message: 'The answer broke off. The text that was sent is not the whole answer.',
  },
  service_unavailable: {
    status: 503,
    label: 'Service unavailable',
    message: 'The service cannot take requests now. Try again after the time in the Retry-After header, in seconds.',
  },
  timed_out: {
    status: 504,
    label: 'Timed out',
    message: 'There was no answer in time. Try again, or ask for a shorter answer.',
  },
  insufficient_storage: {
    status: 507,
    label: 'Insufficient Storage',
    message: 'There is no room to keep this upload, so nothing of it was kept. Try again later, or ask the operator.',
  },
  client_closed: {
    status: 499,
    label: 'Client closed',
    message: 'The caller disconnected before the answer.',
  },
} as const satisfies Record<string, ErrorEntry>;

export interface ErrorEntry {
  readonly status: number;
  readonly label: string;
  readonly message: string;
}

export type ErrorCode = keyof typeof ERROR_CATALOG;

/** All codes of the catalog, in its order. */
export const ERROR_CODES = Object.keys(ERROR_CATALOG) as [ErrorCode, ...ErrorCode[]];

/** The codes a settlement may carry: how a generation that was admitted can fail. */
export const GENERATION_FAILURES = [
  'content_blocked',
  'output_used_up',
  'context_exceeded',
  'request_refused',
  'stream_broken',
  'upstream_error',
  'timed_out',
  'masking_failed',
  'internal_error',
  'service_unavailable',
  'client_closed',
] as const satisfies readonly ErrorCode[];

export type GenerationFailure = (typeof GENERATION_FAILURES)[number];
