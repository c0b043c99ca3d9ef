import { changes } from '@lontar/shared/near-name.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { GENERATION_FIELDS } from './given-fields.ts';

/** Names that are listed at most, and characters of each. */
const MOST_NAMES = 10;
const MOST_NAME_CHARS = 40;

const KNOWN: ReadonlySet<string> = new Set([...GENERATION_FIELDS, 'apikey']);

/** What other services call things that are called otherwise here; misspellings are found by themselves. */
const MEANT: Readonly<Record<string, string>> = {
  stream: 'the header Accept: text/event-stream',
  messages: 'POST /v1/chat/completions',
  max_tokens: 'maxOutputTokens',
  max_output_tokens: 'maxOutputTokens',
  max_completion_tokens: 'maxOutputTokens',
  max_new_tokens: 'maxOutputTokens',
  maxTokens: 'maxOutputTokens',
  temp: 'temperature',
  q: 'prompt',
  query: 'prompt',
  text: 'prompt',
  message: 'prompt',
  input: 'prompt',
  model_name: 'model',
  engine: 'model',
  key: 'apikey',
  token: 'apikey',
};
/** A name this far from a known one is taken for a misspelling of it, changed letters. */
const MOST_CHANGES = 2;

/**
 * The parameters of a request that nothing reads, for the header `X-Ignored-Parameters`: they are ignored as promised, and
 * who misspelt one learns of it. Names alone, ten at most, in characters that a header takes.
 *
 * @returns `undefined` where there are none
 */
export function ignoredParameters({ query, body }: Pick<RequestContext, 'query' | 'body'>): string | undefined {
  const ignored = new Set<string>();
  for (const name of query.keys()) {
    if (!KNOWN.has(name)) ignored.add(name);
    if (ignored.size > MOST_NAMES) break;
  }
  for (const name in body) {
    if (ignored.size > MOST_NAMES) break;
    if (!KNOWN.has(name)) ignored.add(name);
  }
  if (ignored.size === 0) return undefined;
  const listed = [...ignored].slice(0, MOST_NAMES).map(describe);
  return ignored.size > MOST_NAMES ? `${listed.join(', ')}, and more` : listed.join(', ');
}

function describe(name: string): string {
  const shown = name.slice(0, MOST_NAME_CHARS).replaceAll(/[^\w.-]/g, '_') || '_';
  const meant = meantBy(name);
  return meant === undefined ? shown : `${shown} (did you mean ${meant}?)`;
}

function meantBy(name: string): string | undefined {
  if (Object.hasOwn(MEANT, name)) return MEANT[name];
  if (name.length > MOST_NAME_CHARS) return undefined;
  const plain = plainName(name);
  // Of a short name two letters are half of it.
  const near = [...KNOWN].find((known) => changes(plain, plainName(known)) <= Math.min(MOST_CHANGES, plain.length / 3));
  return near;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
