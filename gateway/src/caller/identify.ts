import { readKeyId } from '@lontar/shared/api-key.ts';
import type { GivenKey, RequestContext } from '../envelope/request-context.ts';

/** Where a request may name its API key. */
type KeyPlaces = Pick<RequestContext, 'query' | 'headers' | 'body'>;

/**
 * Reads the API key that a request names, in its query, its JSON body and its headers together. Redis is not asked:
 * whether the key exists is for admission to say.
 *
 * A value in query or body counts as given even where it is blank, a header only where it holds a key.
 */
export function identify({ query, headers, body }: KeyPlaces): GivenKey {
  const given: unknown[] = query.getAll('apikey');
  if (body && Object.hasOwn(body, 'apikey')) given.push(body['apikey']);
  given.push(...headerKeys(headers));
  if (given.length > 1) return { kind: 'repeated', times: given.length };
  if (given.length === 0) return { kind: 'absent' };
  const [value] = given;
  if (value === null) return { kind: 'blank' };
  return typeof value === 'string' ? presented(value.trim()) : { kind: 'not_text' };
}

/** Notes a request's JSON body once it has been read, and the key that it may name. */
export function noteBody(context: RequestContext, body: Readonly<Record<string, unknown>>): void {
  context.body = body;
  if (Object.hasOwn(body, 'apikey')) context.key = identify(context);
}

/** What is wrong with a key that was given more than once. */
export function repeatedKeyMessage(times: number): string {
  return `apikey was given ${times} times; give it once.`;
}

/** What is wrong where OpenAI's protocol is spoken and no key was given: its clients know one place for it. */
export const NO_BEARER_MESSAGE = 'There is none: send yours in the header Authorization: Bearer YOUR_KEY.';

function presented(text: string): GivenKey {
  if (text === '') return { kind: 'blank' };
  const id = readKeyId(text);
  return { kind: 'presented', key: id === undefined ? { text } : { text, id } };
}

/** Keys given as `Authorization: Bearer KEY` or `X-API-Key: KEY`; other schemes are not Lontar's. */
function headerKeys(headers: RequestContext['headers']): string[] {
  const keys: string[] = [];
  const bearer = /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '');
  if (bearer?.[1] !== undefined) keys.push(bearer[1]);
  const own = headers['x-api-key'];
  if (typeof own === 'string' && own.trim() !== '') keys.push(own);
  return keys;
}
