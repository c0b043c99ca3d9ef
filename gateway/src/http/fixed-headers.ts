import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/**
 * The headers that every answer carries: helmet's, and that nothing may be stored. Helmet is asked once, at the start,
 * because its fifteen steps would give the same for every request.
 */
export function fixedHeaders(): ReadonlyMap<string, string> {
  const headers = new Map([['Cache-Control', 'no-store']]);
  const secure = helmet({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  });
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => undefined,
  };
  secure({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}
