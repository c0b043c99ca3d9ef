import type { z } from 'zod';
import { errorExample, errorSchema, limitedSchema } from './answer-schemas.ts';
import { type HeaderName, LIMIT_HEADERS } from './headers.ts';

/** One answer of an operation. */
export interface Response {
  readonly description: string;
  /** JSON body; several where it may have one of several forms. */
  readonly schemas?: readonly z.ZodType[];
  /** Instead of JSON: the media type; any where it is `*`. */
  readonly media?: string;
  /** Beside JSON: another media type that callers may ask for. */
  readonly alsoMedia?: string;
  readonly example?: unknown;
  /** Headers that it always carries, besides `X-Request-Id`. */
  readonly headers: readonly HeaderName[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly schema: z.ZodType;
}

/** One method of one path, as callers see it. */
export interface Operation {
  readonly id: string;
  readonly method: 'get' | 'head' | 'post' | 'patch' | 'delete';
  /** With parameters in braces. */
  readonly path: string;
  readonly tag: 'Generation' | 'OpenAI' | 'Uploads' | 'Utility' | 'Admin' | 'Reference';
  readonly summary: string;
  readonly description?: string;
  /** Whether an API key is needed, may be given, or does not matter; or the operator alone is let in; or an admin token is needed. */
  readonly key: 'needed' | 'optional' | 'none' | 'operator' | 'admin';
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly media: string; readonly schema: z.ZodType; readonly example: unknown };
  readonly responses: Readonly<Record<number, Response>>;
}

const ERRORS = {
  400: 'A parameter is missing or not valid; the message names it, the rule and the value given. Also where maxOutputTokens was used up before any text.',
  401: 'The API key is unknown or malformed.',
  403: 'The API key is not active or may not use this model, or the address is blocked.',
  404: 'There is no such file or request, or it is not of this API key.',
  408: 'The request did not arrive in time.',
  413: 'The body is too large, or for what the API key may still keep; nothing of it is kept.',
  414: 'The URL is too long; POST takes the same fields as JSON.',
  415: 'The body has another type than this path takes.',
  422: "The model's safety filter refused the prompt.",
  429: 'A limit is used up; the message says which one and who can lift it, the body how much, Retry-After how long to wait. Credits never come back by waiting, so where they are used up there is no Retry-After.',
  431: 'URL and headers are too long.',
  500: 'A bug of ours; the message says whether the request was charged.',
  502: 'The model failed for good; the message says whether the request was charged.',
  503: 'The service cannot take the request now; Retry-After says when to try again.',
  504: 'There was no answer before the deadline; the message says whether the request was charged.',
  507: 'There is no room for the upload, in the storage or on its disk; nothing of it is kept.',
} as const;

export type ErrorStatus = keyof typeof ERRORS;

/**
 * Error answers by status.
 *
 * @param headers what each of them carries; parser errors (408, 414, 431) and 503 without Redis carry none of the limits
 */
export function errors(statuses: readonly ErrorStatus[], headers: readonly HeaderName[]): Record<number, Response> {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: ERRORS[status],
        schemas: [status === 429 ? limitedSchema : errorSchema(status)],
        example: errorExample(status),
        headers: headersOf(status, headers),
      },
    ]),
  );
}

function headersOf(status: ErrorStatus, headers: readonly HeaderName[]): readonly HeaderName[] {
  // The limits come from Redis, and the parser knows no route; so not every 400, 500 or 503 can name them.
  if (status === 503) return ['Cache-Control', 'Retry-After'];
  if (status === 429) return ['Cache-Control', ...LIMIT_HEADERS, 'Retry-After'];
  return [400, 408, 414, 431, 500].includes(status) ? ['Cache-Control'] : headers;
}
