import { z } from 'zod';
import type { ReadingLimits } from '../generation/generation-rules.ts';
import type { UtilityAccess } from '../statistics/paths.ts';
import { adminOperations } from './admin-operations.ts';
import { generationOperations } from './generation-operations.ts';
import { HEADERS, LIMIT_HEADERS, OCCASIONAL_HEADERS } from './headers.ts';
import { openAiOperations } from './openai-operations.ts';
import type { Operation, Response } from './operation.ts';
import { OWN_KEY_OPERATION } from './own-key-operation.ts';
import { uploadOperations } from './upload-operations.ts';
import { utilityOperations } from './utility-operations.ts';

/** What of the configuration callers get to see. */
export interface PublicLimits {
  readonly reading: ReadingLimits;
  readonly maxFileBytes: number;
  readonly uploadsPerDay: number;
  readonly perHour: number;
  readonly utilityEndpoints: UtilityAccess;
  readonly downloadsPerHour: number;
  /** Whether the admin API is at this listener. */
  readonly hasAdminApi: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI 3.1 document, as far as we look into it. */
export interface OpenApi extends Json {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

const KEY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer KEY' },
  header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The best way from a program.' },
  query: {
    type: 'apiKey',
    in: 'query',
    name: 'apikey',
    description: "Simple, but a key in a URL ends up in other people's logs.",
  },
};

/** By which the operator is known, where a path is the operator's alone. */
const OPERATOR_SCHEMES = {
  operatorToken: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer DASHBOARD_TOKEN' },
  operatorSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'lontar_session',
    description: 'Operators who are signed in to the dashboard have it.',
  },
};

/** By which the admin API knows who asks. */
const ADMIN_SCHEMES = {
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'Authorization: Bearer ADMIN_TOKEN, under /admin/v1 alone',
  },
  operatorSession: OPERATOR_SCHEMES.operatorSession,
};

/** Every operation of the API, those of operators last. */
export function operations({ reading, maxFileBytes, utilityEndpoints, hasAdminApi }: PublicLimits): Operation[] {
  return [
    ...generationOperations(reading),
    ...openAiOperations(reading),
    ...uploadOperations(maxFileBytes),
    OWN_KEY_OPERATION,
    ...utilityOperations(utilityEndpoints),
    ...(hasAdminApi ? adminOperations() : []),
  ];
}

/**
 * The API document.
 *
 * @param version of Lontar
 * @param origin where the caller reaches the gateway
 */
export function openApiDocument(limits: PublicLimits, version: string, origin: string): OpenApi {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations(limits)) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lontar',
      version,
      description: [
        'Text generation behind one GET, and over the protocol of OpenAI under /v1. Every answer is masked before it is stored or sent.',
        `An address may make ${limits.perHour} requests in any hour and ${limits.uploadsPerDay} uploads in a UTC day, and ask for ${limits.downloadsPerHour} files in any hour; an API key may have limits of its own, or be exempt from the hour of addresses.`,
        'Other paths answer 404, other methods 405 with Allow, both in the form of the errors below: those under /v1 as OpenAI gives them.',
      ].join('\n\n'),
    },
    servers: [{ url: origin }],
    tags: [
      { name: 'Generation' },
      { name: 'OpenAI' },
      { name: 'Uploads' },
      { name: 'Utility' },
      ...(limits.hasAdminApi ? [{ name: 'Admin' }] : []),
      { name: 'Reference' },
    ],
    paths,
    components: {
      securitySchemes: {
        ...KEY_SCHEMES,
        ...(limits.utilityEndpoints === 'operator' ? OPERATOR_SCHEMES : {}),
        ...(limits.hasAdminApi ? ADMIN_SCHEMES : {}),
      },
      headers: headerComponents(),
    },
  };
}

function describe(operation: Operation): Json {
  const { id, tag, summary, description, key, parameters, body, responses } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: security(key),
    ...(parameters.length > 0 && {
      parameters: parameters.map(({ name, in: place, required, schema }) => ({
        name,
        in: place,
        required,
        schema: jsonSchema(schema, 'input'),
      })),
    }),
    ...(body && {
      requestBody: {
        required: true,
        content: { [body.media]: { schema: jsonSchema(body.schema, 'input'), example: body.example } },
      },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, describeResponse(response, status)]),
    ),
  };
}

function describeResponse(response: Response, status: string): Json {
  const { description, schemas, media, alsoMedia, example, headers } = response;
  // The HTTP parser answers before a request has an id.
  const always = ['408', '414', '431', '400'].includes(status) ? headers : (['X-Request-Id', ...headers] as const);
  const forms = (schemas ?? []).map((schema) => jsonSchema(schema, 'output'));
  const content =
    media === undefined
      ? {
          'application/json': {
            schema: forms.length === 1 ? forms[0] : { anyOf: forms },
            ...(example ? { example } : {}),
          },
          ...(alsoMedia !== undefined && { [alsoMedia]: { schema: { type: 'string' } } }),
        }
      : { [media === '*' ? '*/*' : media]: {} };
  return {
    description,
    headers: Object.fromEntries(always.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content,
  };
}

const LIMITS: ReadonlySet<string> = new Set(LIMIT_HEADERS);

function headerComponents(): Json {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, { description, pattern }]) => [
      name,
      // A key that is exempt from the hour of addresses may have no limit that is known.
      {
        description,
        required: !LIMITS.has(name) && !OCCASIONAL_HEADERS.has(name),
        schema: { type: 'string', pattern },
      },
    ]),
  );
}

function security(key: Operation['key']): readonly Json[] {
  if (key === 'none') return [];
  const known = { operator: OPERATOR_SCHEMES, admin: ADMIN_SCHEMES, needed: KEY_SCHEMES, optional: KEY_SCHEMES }[key];
  const schemes = Object.keys(known).map((name) => ({ [name]: [] }));
  return key === 'optional' ? [{}, ...schemes] : schemes;
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
