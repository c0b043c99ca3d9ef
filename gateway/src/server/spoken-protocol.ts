import type { Protocol } from '../envelope/request-context.ts';

/** `/v1` and what is below it, also behind an origin, as proxies may write it. */
const OPENAI = /^(?:https?:\/\/[^/?#]*)?\/v1(?:[/?#]|$)/i;

/**
 * Which form a request is answered in, by its target; also where the request is not read any further.
 *
 * @param target as it stands in the request line; `undefined` where that was not read
 */
export function protocolOf(target: string | undefined): Protocol {
  return target !== undefined && OPENAI.test(target) ? 'openai' : 'envelope';
}
