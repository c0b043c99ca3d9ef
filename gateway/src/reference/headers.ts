/** Response headers that answers may carry, as the API document describes them. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Id of this request. Quote it when you ask the operator.',
    pattern: '^req_[0-9A-Za-z]{22}$',
  },
  'Cache-Control': { description: 'Nothing may be kept.', pattern: '^no-store$' },
  'X-Masked': {
    description: 'How many values were masked in this answer; 0: the answer is as the model wrote it.',
    pattern: '^\\d+$',
  },
  'X-Model': { description: 'The model that was asked.', pattern: '^[\\w.-]+$' },
  'X-Finish-Reason': {
    description: 'Why the answer ended. `length`: the output tokens were used up, so the answer is cut.',
    pattern: '^(stop|length|tool_calls|content_filter)$',
  },
  'X-Ignored-Parameters': {
    description:
      'Up to ten parameters of the request that are not known and had no effect, with the parameter that was probably meant. Missing if there are none.',
    pattern: '^[ -~]+$',
  },
  'X-RateLimit-Limit': {
    description:
      'The limit that will be reached first. Missing for a key that is exempt from the limit of addresses, if no other limit was checked.',
    pattern: '^\\d+$',
  },
  'X-RateLimit-Remaining': { description: 'What is left under it.', pattern: '^\\d+$' },
  'X-RateLimit-Reset': {
    description:
      'When more is left again, Unix seconds. Missing if credits will be used up first, because only the operator can add some.',
    pattern: '^\\d+$',
  },
  'RateLimit-Policy': { description: 'All limits that apply (IETF draft).', pattern: '^"[a-z-]+";q=\\d+' },
  RateLimit: { description: 'What is left under each of them (IETF draft).', pattern: '^"[a-z-]+";r=\\d+' },
  'X-RateLimit-Limit-Requests': { description: 'The limit that will be reached first.', pattern: '^\\d+$' },
  'X-RateLimit-Remaining-Requests': { description: 'What is left under it.', pattern: '^\\d+$' },
  'X-RateLimit-Reset-Requests': {
    description: 'When more is left again: `12ms`, `6m0s`.',
    pattern: '^(\\d+(ms|h|m|s))+$',
  },
  'X-RateLimit-Limit-Tokens': {
    description: 'How many output tokens these requests may ask for at most; no limit counts tokens.',
    pattern: '^\\d+$',
  },
  'X-RateLimit-Remaining-Tokens': { description: 'The same for the requests that are left.', pattern: '^\\d+$' },
  'X-RateLimit-Reset-Tokens': { description: 'When more are left again.', pattern: '^(\\d+(ms|h|m|s))+$' },
  'X-Should-Retry': { description: 'Trying again is of no use.', pattern: '^false$' },
  'Retry-After': {
    description: 'Seconds to wait before trying again; missing where credits are used up.',
    pattern: '^[1-9]\\d*$',
  },
  ETag: { description: 'Version of the state that the answer shows, for If-Match.', pattern: '^"\\d+"$' },
  Allow: { description: 'Methods that the path accepts.', pattern: '^[A-Z, ]+$' },
  'Content-Disposition': { description: 'The file is to be saved under this name.', pattern: '^attachment;' },
  'Content-Security-Policy': {
    description: 'If a browser shows the file nevertheless, it runs no code of it.',
    pattern: "^default-src 'none'; sandbox$",
  },
  'X-Content-Type-Options': { description: 'The type is not to be guessed.', pattern: '^nosniff$' },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** On every answer of a model that is sent in one piece. */
export const ANSWER_HEADERS = ['X-Masked', 'X-Model', 'X-Finish-Reason'] as const satisfies readonly HeaderName[];

/** Those that answers may well do without. */
export const OCCASIONAL_HEADERS: ReadonlySet<string> = new Set<HeaderName>(['X-Ignored-Parameters']);

/** On every answer under /api/ that was counted. */
export const LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const satisfies readonly HeaderName[];

/** On those under /v1, beside them. */
export const OPENAI_LIMIT_HEADERS = [
  ...LIMIT_HEADERS,
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Requests',
  'X-RateLimit-Limit-Tokens',
  'X-RateLimit-Remaining-Tokens',
  'X-RateLimit-Reset-Tokens',
] as const satisfies readonly HeaderName[];
