import type { IncomingHttpHeaders } from 'node:http';
import type { GivenFields } from './read-generation.ts';

const FIELDS = ['prompt', 'apikey', 'model', 'temperature', 'maxOutputTokens'] as const;

/**
 * Gathers the known fields of a generation request from its query, its JSON body and its headers, keeping repeats so
 * that the reader can refuse them. Unknown fields are ignored.
 *
 * @param body the parsed JSON object of a POST
 */
export function gatherFields(
  query: URLSearchParams,
  body: Readonly<Record<string, unknown>> | undefined,
  headers: IncomingHttpHeaders,
): GivenFields {
  const given = new Map<string, unknown[]>();
  for (const field of FIELDS) {
    const values: unknown[] = query.getAll(field);
    if (body && Object.hasOwn(body, field)) values.push(body[field]);
    given.set(field, values);
  }
  given.get('apikey')?.push(...headerKeys(headers));
  return given;
}

/** Keys given as `Authorization: Bearer KEY` or `X-API-Key: KEY`; other schemes belong to somebody else. */
function headerKeys(headers: IncomingHttpHeaders): string[] {
  const keys: string[] = [];
  const bearer = /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '');
  if (bearer?.[1] !== undefined) keys.push(bearer[1]);
  const own = headers['x-api-key'];
  if (typeof own === 'string' && own.trim() !== '') keys.push(own);
  return keys;
}
