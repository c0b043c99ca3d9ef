import { type Answer, refuse } from '../envelope/answer.ts';

const OF_OPENAI =
  /^\/(?:api\/v1\/|v1\/v1\/|api\/|openai\/v1\/|openai\/)?(chat\/completions|completions|embeddings|models|responses|messages)(?:\/|$)/i;

/**
 * The answer at a path that does not exist. To clients of OpenAI's protocol it says what is wrong with their base URL, or
 * that the path is not served; to others where texts are generated.
 *
 * @param path without the query; it is compared, and never repeated
 */
export function refuseUnknownPath(path: string): Answer {
  const message = messageFor(path);
  return message === undefined ? refuse('not_found') : refuse('not_found', { message });
}

/** Paths that are written otherwise now and then. */
const KNOWN = ['/api/ai', '/api/ai2', '/api/ai3', '/v1/chat/completions', '/v1/models', '/api/upload', '/api/code'];

/** The path that differs from this one by capitals, or by slashes at its end or in a row. */
function knownPath(path: string): string | undefined {
  if (path.length > 100) return undefined;
  const plain = path.toLowerCase().replaceAll(/\/+/g, '/').replace(/\/$/, '');
  return KNOWN.find((known) => known === plain);
}

function messageFor(path: string): string | undefined {
  const near = knownPath(path);
  if (near !== undefined) return `Use the path ${near}, exactly as it is written here.`;
  if (/^\/v1\/v1(?:\/|$)/i.test(path))
    return 'The base URL has /v1 twice: clients add the rest of the path by themselves.';
  if (/^\/v1\/chat\/completions\/chat\/completions/i.test(path)) {
    return 'The base URL ends in /v1: clients add /chat/completions by themselves.';
  }
  if (/^\/v1(?:\/|$)/i.test(path)) {
    return "This path is not served. Of OpenAI's protocol only /v1/chat/completions and /v1/models are; see /docs.";
  }
  if (OF_OPENAI.test(path)) return "OpenAI's protocol is served under /v1: the base URL of clients has to end in /v1.";
  if (/^\/ai[23]?(?:\/|$)/i.test(path)) return 'The path begins with /api: /api/ai, /api/ai2 or /api/ai3.';
  return undefined;
}
