import { CHAT_ENDPOINT } from '@lontar/shared/endpoints.ts';
import { ERROR_CATALOG, ERROR_CODES } from '@lontar/shared/errors.ts';
import { z } from 'zod';
import type { Problem } from '../envelope/answer.ts';
import type { ReadingLimits } from '../generation/generation-rules.ts';
import { renderError } from '../openai/render-error.ts';
import { errorExample, errorSchema } from './answer-schemas.ts';
import { ANSWER_HEADERS, type HeaderName, OPENAI_LIMIT_HEADERS } from './headers.ts';
import { chatBodySchema, completionSchema, modelListSchema, modelSchema, openAiErrorSchema } from './openai-schemas.ts';
import type { Operation, Response } from './operation.ts';

const MODEL = { id: 'ai-2.5-flash', object: 'model', created: 1_750_118_400, owned_by: 'lontar' } as const;

const COMPLETION = {
  id: 'chatcmpl-4Jx0vQd3mKZ8c1TnR7yWbA',
  object: 'chat.completion',
  created: 1_769_847_330,
  model: 'ai-2.5-flash',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'DATABASE_URL=***DB_CONNECTION***', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 },
  lontar: { masked: { url: 0, key: 0, ip: 0, connection: 1 } },
} as const;

const ERRORS = {
  400: 'A field is missing, not valid or not supported: `param` names it. Also `context_length_exceeded`, and `content_filter` where a safety filter stopped the answer.',
  401: 'The API key is missing, unknown or malformed.',
  402: 'The credits of the API key are used up; waiting brings none.',
  403: 'The API key is not active, or the address is blocked.',
  404: 'There is no such model or completion, or the API key may not use it.',
  413: 'The body is too large.',
  414: 'The URL is too long.',
  415: 'The body is not JSON.',
  429: 'A limit is used up; Retry-After says how long to wait.',
  431: 'URL and headers are too long.',
  500: 'A bug of ours.',
  502: 'The model failed for good; the message says whether the request was charged.',
  503: 'The service cannot take the request now; Retry-After says when to try again.',
  504: 'There was no answer before the deadline, or before the client said that it stops waiting.',
} as const;
type ErrorStatus = keyof typeof ERRORS;

/** The operations under `/v1`. */
export function openAiOperations(limits: ReadingLimits): Operation[] {
  return [complete(limits), completion(), ...models()];
}

function complete(limits: ReadingLimits): Operation {
  return {
    id: 'createChatCompletion',
    method: 'post',
    path: CHAT_ENDPOINT,
    tag: 'OpenAI',
    summary: "Answer a conversation, in OpenAI's form",
    description:
      'The messages are your own: no persona is added. All sensitive values of the answer are masked, unless the operator allows your key to see some of them; lontar.masked counts the masked values. Unknown fields are ignored. Fields that would change the answer but are not supported (n above 1, logprobs, audio) are refused by name.',
    key: 'needed',
    parameters: [],
    body: {
      media: 'application/json',
      schema: chatBodySchema(limits),
      example: { model: MODEL.id, messages: [{ role: 'user', content: 'Write a haiku about palm leaves.' }] },
    },
    responses: {
      200: {
        ...answered(ANSWERED, completionSchema, COMPLETION, ANSWER_HEADERS),
        alsoMedia: 'text/event-stream',
      },
      ...errors([400, 401, 402, 403, 404, 413, 414, 415, 429, 431, 500, 502, 503, 504]),
      408: tooSlow([errorSchema(408), openAiErrorSchema]),
    },
  };
}

const ANSWERED =
  'The masked answer. With `stream: true` it is sent while the model writes it: chunks (`chat.completion.chunk`), then `[DONE]`. An error after the first chunk is `{"error"}`. Streams have no `X-Masked` and no `X-Finish-Reason`: their last chunk has the number of masked values and the finish reason.';

/** An answer once more. */
function completion(): Operation {
  const query = (name: string, schema: z.ZodType) => ({ name, in: 'query', required: false, schema }) as const;
  const offset = z.int().nonnegative().meta({ description: 'How many UTF-16 units of the text you have already.' });
  return {
    id: 'getChatCompletion',
    method: 'get',
    path: `${CHAT_ENDPOINT}/{id}`,
    tag: 'OpenAI',
    summary: 'Get an answer again, or the rest of a stream',
    description:
      'Only with the same API key, at any gateway, for ten minutes. If the answer is not finished, this request waits for it. Or it streams the rest: from `starting_after`, or after the event that the header `Last-Event-ID` names. It costs no credit, but counts as a request of the address.',
    key: 'needed',
    parameters: [
      { name: 'id', in: 'path', required: true, schema: z.string() },
      query('stream', z.enum(['true', 'false'])),
      query('starting_after', offset),
      query('include_usage', z.enum(['true', 'false'])),
    ],
    responses: {
      200: {
        ...answered('The masked answer.', completionSchema, COMPLETION, ANSWER_HEADERS),
        alsoMedia: 'text/event-stream',
      },
      ...errors([400, 401, 403, 404, 414, 429, 431, 500, 502, 503, 504]),
      408: tooSlow([errorSchema(408)]),
    },
  };
}

function models(): Operation[] {
  const common = { method: 'get', tag: 'OpenAI', key: 'needed' } as const;
  const list: Operation = {
    ...common,
    id: 'listModels',
    path: '/v1/models',
    summary: 'The models that your API key may use',
    parameters: [],
    responses: {
      200: answered('The models.', modelListSchema, { object: 'list', data: [MODEL] }),
      ...errors([400, 401, 403, 414, 429, 431, 503]),
      408: tooSlow([errorSchema(408)]),
    },
  };
  const show: Operation = {
    ...common,
    id: 'showModel',
    path: '/v1/models/{id}',
    summary: 'One of them',
    parameters: [{ name: 'id', in: 'path', required: true, schema: z.string() }],
    responses: {
      200: answered('The model.', modelSchema, MODEL),
      ...errors([400, 401, 403, 404, 414, 429, 431, 503]),
      408: tooSlow([errorSchema(408)]),
    },
  };
  return [list, show];
}

function answered(
  description: string,
  schema: z.ZodType,
  example: unknown,
  more: readonly HeaderName[] = [],
): Response {
  return { description, schemas: [schema], example, headers: ['Cache-Control', ...more, ...OPENAI_LIMIT_HEADERS] };
}

function errors(statuses: readonly ErrorStatus[]): Record<number, Response> {
  return Object.fromEntries(statuses.map((status) => [status, errorResponse(status)]));
}

function errorResponse(status: ErrorStatus): Response {
  const isLimited = ![400, 402, 414, 431, 500, 503].includes(status);
  return {
    description: ERRORS[status],
    schemas: [openAiErrorSchema],
    example: exampleOf(status),
    headers: [
      'Cache-Control',
      ...(isLimited ? OPENAI_LIMIT_HEADERS : []),
      ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
      ...(status === 402 ? (['X-Should-Retry'] as const) : []),
    ],
  };
}

/** Of a head that does not come the path is not known, so the answer has the form of the others. */
function tooSlow(schemas: readonly z.ZodType[]): Response {
  const example = errorExample(408);
  return { description: 'The request did not arrive in time.', schemas, example, headers: ['Cache-Control'] };
}

/** The catalog's first entry that is answered with the status. */
function exampleOf(status: ErrorStatus): unknown {
  const problems = ERROR_CODES.map((code): Problem => ({ code, message: ERROR_CATALOG[code].message }));
  const limited: Problem = { code: 'too_many_requests', message: 'All credits are used.', cause: 'credits' };
  return [...problems, limited].map(renderError).find((rendered) => rendered.status === status)?.body;
}
