import {
  briefHealthSchema,
  type Health,
  healthSchema,
  serviceStatsSchema,
  uploadLimitReachedSchema,
  uploadLimitSchema,
  usageSchema,
} from '@lontar/shared/utility-answers.ts';
import type { UtilityAccess } from '../statistics/paths.ts';
import { envelope, errorSchema, limitedSchema } from './answer-schemas.ts';
import { LIMIT_HEADERS } from './headers.ts';
import { errors, type Operation, type Response } from './operation.ts';
import { OWN_KEY_PATHS } from './own-key-words.ts';
import {
  CHECK_LIMIT_EXAMPLE,
  CHECK_LIMIT_REACHED_EXAMPLE,
  HEALTH_DOWN_EXAMPLE,
  HEALTH_EXAMPLE,
  SERVICE_STATS_EXAMPLE,
  USAGE_EXAMPLE,
} from './utility-examples.ts';

const COUNTED = ['Cache-Control', ...LIMIT_HEADERS] as const;
const REFUSALS = errors([400, 403, 408, 414, 429, 431, 503], COUNTED);
const OPEN = { method: 'get', tag: 'Utility', key: 'none', parameters: [] } as const;

/** What the counters need, by `UTILITY_ENDPOINTS`. */
const COUNTERS = {
  open: { ...OPEN, responses: REFUSALS },
  key: {
    ...OPEN,
    key: 'needed',
    description: 'Needs an active API key, but costs no credit.',
    responses: errors([400, 401, 403, 408, 414, 429, 431, 503], COUNTED),
  },
  operator: {
    ...OPEN,
    key: 'operator',
    description: 'Only for the operator, who is signed in to the dashboard or sends its token.',
    responses: errors([400, 401, 403, 408, 414, 429, 431, 503], COUNTED),
  },
} as const satisfies Record<UtilityAccess, Partial<Operation>>;

/**
 * Endpoints without parameters, and the pages about all of them.
 *
 * @param access who may read the counters
 */
export function utilityOperations(access: UtilityAccess): Operation[] {
  const counters = COUNTERS[access];
  return [
    {
      ...OPEN,
      id: 'checkLimit',
      path: '/api/check-limit',
      summary: 'How many uploads your address has left today',
      responses: {
        ...REFUSALS,
        200: {
          description: 'Some are left.',
          schemas: [uploadLimitSchema],
          example: CHECK_LIMIT_EXAMPLE,
          headers: COUNTED,
        },
        429: {
          description: 'No upload is left today, or the requests of the hour are used up.',
          schemas: [uploadLimitReachedSchema, limitedSchema],
          example: CHECK_LIMIT_REACHED_EXAMPLE,
          headers: [...COUNTED, 'Retry-After'],
        },
      },
    },
    {
      ...counters,
      id: 'usage',
      path: '/api/usage',
      summary: 'What the service has answered: today, in all, by day',
      responses: {
        ...counters.responses,
        200: result('Counts of generation requests.', envelope(200, usageSchema), USAGE_EXAMPLE),
      },
    },
    {
      ...counters,
      id: 'stats',
      path: '/api/stats',
      summary: 'Totals of uploads, requests, users, keys and masked values',
      responses: {
        ...counters.responses,
        200: result('Totals since installation.', envelope(200, serviceStatsSchema), SERVICE_STATS_EXAMPLE),
      },
    },
    healthOperation(access),
    ...referenceOperations(),
  ];
}

function healthOperation(access: UtilityAccess): Operation {
  const health = access === 'open' ? healthSchema : briefHealthSchema;
  const shown = (example: Health) => (access === 'open' ? example : briefHealthSchema.parse(example));
  return {
    ...OPEN,
    id: 'health',
    path: '/api/health',
    summary: 'Whether the service and each of its parts works',
    description:
      'No limit counts it. The answer may be a second old. It never calls the model. The X-RateLimit headers describe your hourly limit; they are missing if Redis does not answer or very many clients ask.',
    responses: {
      ...errors([400, 408, 414, 431], ['Cache-Control']),
      200: {
        description: 'ok or degraded.',
        schemas: [health],
        example: shown(HEALTH_EXAMPLE),
        headers: ['Cache-Control'],
      },
      503: {
        description: 'down; or stats-service cannot be reached, so that the state is not known.',
        schemas: [health, errorSchema(503)],
        example: shown(HEALTH_DOWN_EXAMPLE),
        headers: ['Cache-Control', 'Retry-After'],
      },
    },
  };
}

function referenceOperations(): Operation[] {
  const one = (method: 'get' | 'head', id: string, path: string, media: string, summary: string): Operation => ({
    id,
    method,
    path,
    tag: 'Reference',
    summary,
    key: 'none',
    parameters: [],
    responses: {
      200: { description: summary, media, headers: ['Cache-Control'] },
      ...errors([400, 408, 414, 431], []),
    },
  });
  const page = (id: string, path: string, media: string, summary: string) => [
    one('get', id, path, media, summary),
    one('head', `${id}Headers`, path, media, `${summary}: its headers`),
  ];
  return [
    page('openApi', '/openapi.json', 'application/json', 'This document'),
    page('reference', '/docs', 'text/html', 'This document as a page'),
    page('quickStart', '/docs/quick-start', 'text/html', 'How to make the first call'),
    page(
      'ownKeyPage',
      OWN_KEY_PATHS.en,
      'text/html',
      'A page on which you enter your API key and see what is left of it',
    ),
    page('ownKeyPageIndonesian', OWN_KEY_PATHS.id, 'text/html', 'The same page in Indonesian'),
    page('llmsText', '/llms.txt', 'text/plain', 'The API in short, for language models'),
  ].flat();
}

function result(description: string, schema: NonNullable<Response['schemas']>[number], example: unknown): Response {
  return { description, schemas: [schema], example, headers: COUNTED };
}
