import { ADMIN_ERRORS, type AdminError, reasonsOf } from '@lontar/shared/admin/admin-errors.ts';
import type { AdminOperation } from '@lontar/shared/admin/admin-operation.ts';
import { ADMIN_OPERATIONS, type AdminOperationId } from '@lontar/shared/admin/admin-operations.ts';
import { ERROR_CATALOG, type ErrorCode } from '@lontar/shared/errors.ts';
import { successBody } from '@lontar/shared/http/envelope.ts';
import { z } from 'zod';
import { ADMIN_BODIES, ADMIN_RESULTS } from './admin-examples.ts';
import { envelope } from './answer-schemas.ts';
import type { HeaderName } from './headers.ts';
import type { Operation, Parameter, Response } from './operation.ts';

/** What every operation may be refused for by the admin API. */
const ALWAYS = ['invalid', 'unauthorized', 'forbidden', 'banned', 'cross_site', 'limited'] as const;
/** And by the gateway, before it gets there. */
const BY_GATEWAY = [
  'invalid_parameter',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'service_unavailable',
] as const satisfies readonly ErrorCode[];
/** What the HTTP parser says of a request that is none. */
const NO_HTTP = { status: 400, label: 'Bad Request', about: 'This is not a valid HTTP request.' };

/** The operations of the admin API, as the API document has them. */
export function adminOperations(): Operation[] {
  return (Object.keys(ADMIN_OPERATIONS) as AdminOperationId[]).map((id) => describe(id, ADMIN_OPERATIONS[id]));
}

function describe(id: AdminOperationId, operation: AdminOperation): Operation {
  const { method, path, summary, description = '', role, body, status } = operation;
  const whose = role === 'operator' ? 'operators' : `the role ${role} and those above it`;
  const example = ADMIN_BODIES[id as keyof typeof ADMIN_BODIES];
  return {
    id: `admin${id.charAt(0).toUpperCase()}${id.slice(1)}`,
    method: method.toLowerCase() as Operation['method'],
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    tag: 'Admin',
    summary,
    description: `${description} For ${whose}.`.trimStart(),
    key: 'admin',
    parameters: parametersOf(operation),
    ...(body && { body: { media: 'application/json', schema: body, example } }),
    responses: { ...refusalsOf(operation), [status]: success(id, operation) },
  };
}

function success(id: AdminOperationId, { status, result, hasETag, media }: AdminOperation): Response {
  if (media !== undefined) return { description: 'A line for each row.', media, headers: ['Cache-Control'] };
  return {
    description: 'As the schema says.',
    schemas: [envelope(status, result)],
    example: successBody(status, ADMIN_RESULTS[id]),
    headers: ['Cache-Control', ...(hasETag ? (['ETag'] as const) : [])],
  };
}

function parametersOf({ path, query, ifMatch, idempotent }: AdminOperation): Parameter[] {
  const text = z.string();
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']): Parameter => {
    return { name, in: 'path', required: true, schema: text };
  });
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]): Parameter => {
    return { name, in: 'query', required: false, schema: schema as z.ZodType };
  });
  const header = (name: string, required: boolean, description: string): Parameter => {
    return { name, in: 'header', required, schema: text.meta({ description }) };
  };
  return [
    ...inPath,
    ...inQuery,
    ...(ifMatch ? [header('If-Match', ifMatch === 'required', 'The ETag that was read, or *.')] : []),
    ...(idempotent ? [header('Idempotency-Key', false, 'Names the request, so that it can be repeated.')] : []),
  ];
}

interface Refusal {
  readonly status: number;
  readonly label: string;
  readonly about: string;
  /** Of the admin API's own. */
  readonly reasons?: readonly string[];
}

/** Refusals by status, each with the labels and fields that it may have. */
function refusalsOf({ refusals, body, tellsProblems }: AdminOperation): Record<number, Response> {
  const fromApi = [...ALWAYS, ...refusals].map((error: AdminError): Refusal => {
    const { status, label, about } = ADMIN_ERRORS[error];
    const known = { status, label, about };
    // Of other pages' requests stats-service judges before it knows what they ask for.
    return error === 'cross_site' ? known : Object.assign(known, { reasons: reasonsOf(error) });
  });
  const codes: readonly ErrorCode[] = body === undefined ? BY_GATEWAY : [...BY_GATEWAY, 'payload_too_large'];
  const fromGateway = codes.map((code): Refusal => {
    const { status, label, message } = ERROR_CATALOG[code];
    return { status, label, about: message };
  });
  const all = [...fromApi, ...fromGateway, NO_HTTP];
  return Object.fromEntries(
    [...Map.groupBy(all, ({ status }) => status)].map(([status, some]) => {
      const further = status === 400 && tellsProblems ? PROBLEMS : FURTHER[status];
      return [status, refusal(status, some, further)];
    }),
  );
}

function refusal(status: number, some: readonly Refusal[], further: Further = {}): Response {
  const labels = [...new Set(some.map(({ label }) => label))] as [string, ...string[]];
  const { fields = {}, example = {}, headers = [] } = further;
  const schema = z.object({
    status: z.literal(false),
    code: z.literal(status),
    message: z.string().min(1),
    error: z.enum(labels),
    ...reasonField(some),
    ...fields,
  });
  const [{ label, about } = NO_HTTP] = some;
  return {
    description: [...new Set(some.map((one) => one.about))].join(' '),
    schemas: [schema],
    example: { status: false, code: status, message: about, error: label, ...reasonExample(some), ...example },
    headers: ['Cache-Control', ...headers],
  };
}

/** What the gateway or the HTTP parser says has none. */
function reasonField(some: readonly Refusal[]): Record<string, z.ZodType> {
  const reasons = some.flatMap((one) => one.reasons ?? []);
  if (reasons.length === 0) return {};
  const schema = z.enum(reasons as [string, ...string[]]).meta({ description: 'The reason as a word for programs.' });
  return { reason: some.every((one) => one.reasons !== undefined) ? schema : schema.optional() };
}

function reasonExample([first]: readonly Refusal[]): { readonly reason?: string } {
  const reason = first?.reasons?.[0];
  return reason === undefined ? {} : { reason };
}

/** What some refusals have besides. */
interface Further {
  readonly fields?: Record<string, z.ZodType>;
  readonly example?: object;
  readonly headers?: readonly HeaderName[];
}

const PROBLEMS: Further = {
  fields: {
    problems: z
      .array(z.object({ field: z.string(), rule: z.string() }))
      .optional()
      .meta({ description: 'Every field of a key that breaks its rule.' }),
  },
};

const FURTHER: Readonly<Record<number, Further>> = {
  412: {
    fields: {
      changed: z.array(z.string()).nullable().meta({
        description: 'What has been changed since; `null` where that is too long ago to be known.',
      }),
      version: z.int(),
    },
    example: { changed: ['credits'], version: 4 },
    headers: ['ETag'],
  },
  429: {
    fields: { used: z.int(), remaining: z.literal(0), limit: z.int() },
    example: { used: 600, remaining: 0, limit: 600 },
    headers: ['Retry-After'],
  },
  503: { headers: ['Retry-After'] },
};
