import { ENDPOINTS } from '@lontar/shared/endpoints.ts';
import { z } from 'zod';
import { generationFieldsSchema, type ReadingLimits } from '../generation/generation-rules.ts';
import { generationAnswerSchema } from './answer-schemas.ts';
import { ANSWER_HEADERS, type HeaderName, LIMIT_HEADERS } from './headers.ts';
import { errors, type Operation } from './operation.ts';

const PERSONAS = {
  '/api/ai': 'a chat bot: short, conversational, in the language of the prompt',
  '/api/ai2': 'a general-purpose AI',
  '/api/ai3': 'a helpful assistant',
} as const satisfies Record<(typeof ENDPOINTS)[number], string>;

const EXAMPLE = {
  status: true,
  code: 200,
  message: 'Sukses',
  result: 'Old palm leaves whisper…\n\n```ini\nDATABASE_URL=***DB_CONNECTION***\n```',
  metadata: {
    api_version: '2.0.0',
    timestamp: '2026-01-31T08:15:30.123Z',
    request_id: 'req_4Jx0vQd3mKZ8c1TnR7yWbA',
    response_time: 812,
    remaining_requests: 97,
    finish_reason: 'stop',
    usage: { prompt_tokens: 12, completion_tokens: 48, total_tokens: 60 },
  },
};

/** The three generation endpoints, by GET and by POST. */
export function generationOperations(limits: ReadingLimits): Operation[] {
  return [...ENDPOINTS.flatMap((path) => [byGet(path, limits), byPost(path, limits)]), onceMore()];
}

function onceMore(): Operation {
  return {
    id: 'getRequest',
    method: 'get',
    path: '/api/requests/{id}',
    tag: 'Generation',
    summary: 'Get the answer of an earlier request again',
    description:
      'Only with the same API key, at any gateway, for ten minutes. If the answer is not ready, this request waits for it. The id is in `metadata.request_id` and in the header `X-Request-Id`. As events, the answer continues after the event that the header `Last-Event-ID` names. It costs no credit, but counts as a request of the address. If the earlier request failed, you get its error again.',
    key: 'needed',
    parameters: [{ name: 'id', in: 'path', required: true, schema: z.string() }],
    responses: {
      200: answered(),
      ...errors([400, 401, 403, 404, 408, 414, 422, 429, 431, 500, 502, 503, 504], ['Cache-Control', ...LIMIT_HEADERS]),
    },
  };
}

function byGet(path: (typeof ENDPOINTS)[number], limits: ReadingLimits): Operation {
  const fields = generationFieldsSchema(limits).shape;
  return {
    id: `generate${suffix(path)}`,
    method: 'get',
    path,
    tag: 'Generation',
    summary: `Answer a prompt as ${PERSONAS[path]}`,
    description:
      'Long prompts do not fit into a URL: use POST. Unknown parameters are ignored, and listed in the header X-Ignored-Parameters. No parameter may be given twice.',
    key: 'needed',
    parameters: Object.entries(fields).map(([name, schema]) => ({
      name,
      in: 'query',
      required: name === 'prompt',
      schema,
    })),
    responses: {
      200: answered(['X-Ignored-Parameters']),
      ...errors([400, 401, 403, 408, 414, 422, 429, 431, 500, 502, 503, 504], ['Cache-Control', ...LIMIT_HEADERS]),
    },
  };
}

function byPost(path: (typeof ENDPOINTS)[number], limits: ReadingLimits): Operation {
  const schema = generationFieldsSchema(limits)
    .extend({ apikey: z.string().optional().meta({ description: 'The API key, if no header has it.' }) })
    .loose();
  return {
    id: `generateByPost${suffix(path)}`,
    method: 'post',
    path,
    tag: 'Generation',
    summary: `The same by POST: answer as ${PERSONAS[path]}`,
    key: 'needed',
    parameters: [],
    body: { media: 'application/json', schema, example: { prompt: 'Write a haiku about palm leaves.' } },
    responses: {
      200: answered(['X-Ignored-Parameters']),
      ...errors(
        [400, 401, 403, 408, 413, 414, 415, 422, 429, 431, 500, 502, 503, 504],
        ['Cache-Control', ...LIMIT_HEADERS],
      ),
    },
  };
}

function answered(more: readonly HeaderName[] = []) {
  return {
    description:
      'The masked answer. With `Accept: text/event-stream` it is sent while the model writes it: events `delta` (`{"text"}`), then `done` (this body without `result`) or `error` (the body of an error).',
    schemas: [generationAnswerSchema],
    alsoMedia: 'text/event-stream',
    example: EXAMPLE,
    headers: ['Cache-Control', ...ANSWER_HEADERS, ...LIMIT_HEADERS, ...more],
  } as const;
}

function suffix(path: string): string {
  return path.replace('/api/ai', '');
}
