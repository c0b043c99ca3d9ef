import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/**
 * The headers that helmet sets, asked once: its fifteen steps give the same for every request.
 *
 * Hands helmet a response that takes headers and knows nothing else: checked with helmet 8.3.0.
 * helmet-headers.test.ts fails where helmet wants more of it, or sets other headers.
 *
 * @throws what helmet does where it does not take the options
 */
export function helmetHeaders(options: Parameters<typeof helmet>[0]): Map<string, string> {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}
