import type { RequestContext } from '../envelope/request-context.ts';

/** Where a request may name something, by a name that is nearly right. */
type Places = Pick<RequestContext, 'query' | 'body' | 'headers'>;

/** What callers of other services, and those who type by hand, call the prompt. */
const PROMPT_NAMES = ['q', 'query', 'question', 'text', 'message', 'msg', 'input', 'content', 'contents', 'ask'];
const KEY_NAMES = [
  'api_key',
  'api-key',
  'apiKey',
  'apikeys',
  'ApiKey',
  'APIKEY',
  'key',
  'token',
  'access_token',
  'auth',
];
const KEY_HEADERS = ['apikey', 'api-key', 'api_key', 'x-apikey', 'x-api-token', 'x-auth-token', 'x-goog-api-key'];

/**
 * Says what of a key, of a prompt or of both is missing, and what of the request was probably meant: the names that are
 * said are ours, and no value is.
 */
export function missingMessage(places: Places, missing: { readonly key: boolean; readonly prompt: boolean }): string {
  const hints = [missing.prompt ? promptHint(places) : '', missing.key ? keyHint(places) : ''].filter(
    (hint) => hint !== '',
  );
  const required = requiredMessage(missing);
  return [hints.length > 0 && !required.endsWith('.') ? `${required}.` : required, ...hints].join(' ');
}

function requiredMessage({ key, prompt }: { readonly key: boolean; readonly prompt: boolean }): string {
  if (key && prompt) return 'apikey and prompt are required';
  return key
    ? 'apikey is required: send your API key in the header X-API-Key.'
    : 'prompt is required: the text to answer, not blank.';
}

function promptHint({ query, body }: Places): string {
  const isGiven = given({ query, body });
  if (isGiven('messages')) {
    return 'messages was given: send it to POST /v1/chat/completions, or its text as prompt here.';
  }
  const name = [...PROMPT_NAMES, 'Prompt', 'PROMPT', 'prompts', 'promt', 'prompt_text'].find(isGiven);
  if (name !== undefined) return `${name} was given: call it prompt.`;
  // What a shell leaves of a URL without quotes.
  const isCut = body === undefined && query.has('apikey') && query.size === 1;
  return isCut ? 'In a shell, put the URL in quotes: & ends a command.' : '';
}

function keyHint({ query, body, headers }: Places): string {
  const { authorization } = headers;
  if (authorization !== undefined) {
    if (/^basic\b/i.test(authorization)) {
      return 'Authorization: Basic was given: send Authorization: Bearer YOUR_KEY, or the header X-API-Key.';
    }
    return 'The header Authorization does not begin with Bearer: send Authorization: Bearer YOUR_KEY, or the header X-API-Key.';
  }
  const header = KEY_HEADERS.find((name) => headers[name] !== undefined);
  if (header !== undefined) return `The header ${header} was given: call it X-API-Key.`;
  const name = KEY_NAMES.find(given({ query, body }));
  return name === undefined ? '' : `${name} was given: call it apikey, or better send the header X-API-Key.`;
}

function given({ query, body }: Pick<Places, 'query' | 'body'>): (name: string) => boolean {
  return (name) => query.has(name) || (body !== undefined && Object.hasOwn(body, name));
}
