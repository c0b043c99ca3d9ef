import type { GivenFields } from './read-generation.ts';

/** What the endpoints with a persona read, beside the key. */
export const GENERATION_FIELDS = ['prompt', 'model', 'temperature', 'maxOutputTokens'] as const;

/**
 * Gathers the known fields of a generation request from its query and its JSON body, keeping repeats so that the reader
 * can refuse them. Unknown fields are ignored, see `ignoredParameters`; the key is read for every request, see `identify`.
 *
 * @param body the parsed JSON object of a POST
 */
export function gatherFields(query: URLSearchParams, body: Readonly<Record<string, unknown>> | undefined): GivenFields {
  const given = new Map<string, unknown[]>();
  for (const field of GENERATION_FIELDS) {
    const values: unknown[] = query.getAll(field);
    if (body && Object.hasOwn(body, field)) values.push(body[field]);
    given.set(field, values);
  }
  return given;
}
