import { expect } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** One answer, as it came. */
export interface Exchange {
  readonly method: string;
  /** As it was sent, query and all. */
  readonly target: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Operation {
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}
interface DocumentedResponse {
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
}

/** The service's own API document, against which every answer is held. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** `get /api/ai 200` for each answer so far, and `get /api/ai 200 metadata.request_id` for each field seen. */
  readonly seen: ReadonlySet<string>;
  /** Fails unless the answer is as documented. */
  check(exchange: Exchange): void;
}

/** What the dashboard serves; not part of the API. */
const PAGES = /^\/($|assets\/|dashboard(\/|$)|docs\/style\.css$)/;
/** Statuses that a path may have that is not in the document: refusals of the door, and "there is nothing". */
const ANYWHERE = [400, 403, 404, 408, 414, 429, 431, 503];

/** What says when more is left again. */
const OF_TIME: ReadonlySet<string> = new Set([
  'Retry-After',
  'X-RateLimit-Reset',
  'X-RateLimit-Reset-Requests',
  'X-RateLimit-Reset-Tokens',
]);

/** Whether credits are the limit that an answer names: they never come back by waiting, so nothing may say when. */
function boundByCredits({ headers }: Exchange): boolean {
  const left = /"credits";r=(\d+)/.exec(headers['ratelimit'] ?? '')?.[1];
  const limit = /"credits";q=(\d+)/.exec(headers['ratelimit-policy'] ?? '')?.[1];
  const isTied = headers['x-ratelimit-reset'] !== undefined;
  return (
    left !== undefined && left === headers['x-ratelimit-remaining'] && limit === headers['x-ratelimit-limit'] && !isTied
  );
}

let known: Promise<ApiDocument> | undefined;

/** The document of the service at this address; read once, as all instances have the same. */
export function apiDocument(url: string): Promise<ApiDocument> {
  known ??= readDocument(url);
  return known;
}

async function readDocument(url: string): Promise<ApiDocument> {
  const response = await fetch(new URL('/openapi.json', url));
  const document = (await response.json()) as {
    paths: ApiDocument['paths'];
    components: { headers: Record<string, { schema: { pattern: string } }> };
  };
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validators = new Map<Schema, ValidateFunction>();
  const seen = new Set<string>();

  function checkHeaders(documented: DocumentedResponse, exchange: Exchange): void {
    const wrong = Object.keys(documented.headers).filter((name) => {
      if (name === 'X-Ignored-Parameters' && exchange.headers[name.toLowerCase()] === undefined) return false;
      // What waiting helps against, such as a full queue, says how long also to a key whose credits bind soonest.
      const saysWhen = name === 'Retry-After' && exchange.status === 503;
      if (OF_TIME.has(name) && !saysWhen && boundByCredits(exchange))
        return exchange.headers[name.toLowerCase()] !== undefined;
      const pattern = document.components.headers[name]?.schema.pattern ?? '^$';
      return !new RegExp(pattern).test(exchange.headers[name.toLowerCase()] ?? '');
    });
    expect({ ...about(exchange), headersNotAsDocumented: wrong }).toEqual({
      ...about(exchange),
      headersNotAsDocumented: [],
    });
  }

  function checkBody(documented: DocumentedResponse, exchange: Exchange, name: string): void {
    const [media = '', { schema } = {}] = Object.entries(documented.content)[0] ?? [];
    if (media !== '*/*') expect(exchange.headers['content-type']).toContain(media);
    if (schema === undefined || exchange.method === 'HEAD') return;
    const validate = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, validate);
    const body: unknown = JSON.parse(exchange.text);
    validate(body);
    expect({ ...about(exchange), errors: validate.errors ?? [] }).toEqual({ ...about(exchange), errors: [] });
    for (const field of fieldsOf(schema, body)) seen.add(`${name} ${field}`);
  }

  return {
    paths: document.paths,
    seen,
    check(exchange) {
      const path = exchange.target.split(/[?#]/)[0] ?? '';
      if (exchange.method === 'OPTIONS' || PAGES.test(path)) return;
      const template = templateOf(path, document.paths);
      const operation = template === undefined ? undefined : document.paths[template]?.[exchange.method.toLowerCase()];
      const documented = operation?.responses[String(exchange.status)];
      if (documented) {
        const name = `${exchange.method.toLowerCase()} ${template} ${exchange.status}`;
        seen.add(name);
        checkHeaders(documented, exchange);
        return checkBody(documented, exchange, name);
      }
      if (operation) throw new Error(`an undocumented status: ${JSON.stringify(about(exchange))} ${exchange.text}`);
      const allowed = template === undefined ? ANYWHERE : [...ANYWHERE, 405];
      expect({ ...about(exchange), isAllowed: allowed.includes(exchange.status) }).toMatchObject({ isAllowed: true });
      if (exchange.status === 405) expect(exchange.headers['allow']).toMatch(/^[A-Z, ]+$/);
    },
  };
}

function about({ method, target, status }: Exchange) {
  return { method, target: target.slice(0, 200), status };
}

function templateOf(path: string, paths: ApiDocument['paths']): string | undefined {
  if (path in paths) return path;
  // A part in braces takes one segment.
  return Object.keys(paths).find((template) => {
    const [parts, given] = [template.split('/'), path.split('/')];
    return parts.length === given.length && parts.every((part, at) => part === given[at] || /^\{\w+\}$/.test(part));
  });
}

/** Paths of the fields of a schema that a value has. */
export function fieldsOf(schema: Schema, value: unknown, prefix = ''): string[] {
  if (schema.anyOf) return schema.anyOf.flatMap((form) => fieldsOf(form, value, prefix));
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(schema.items ?? {}, item, `${prefix}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const given = (value as Record<string, unknown>)[name];
    const field = prefix === '' ? name : `${prefix}.${name}`;
    return given === undefined ? [] : [field].concat(fieldsOf(inner, given, field));
  });
}

/** Everything that the document says can be answered: statuses, and fields of bodies. */
export function everything(document: ApiDocument): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const name = `${method} ${path} ${status}`;
        const schema = Object.values(content)[0]?.schema;
        // A HEAD has no body to look into.
        const fields = schema === undefined || method === 'head' ? [] : allFields(schema);
        return [name].concat(fields.map((field) => `${name} ${field}`));
      }),
    ),
  );
}

function allFields(schema: Schema, prefix = ''): string[] {
  if (schema.anyOf) return [...new Set(schema.anyOf.flatMap((form) => allFields(form, prefix)))];
  if (schema.items) return allFields(schema.items, `${prefix}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const field = prefix === '' ? name : `${prefix}.${name}`;
    return [field].concat(allFields(inner, field));
  });
}
