import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Has something done to each answer at the moment it begins: headers that are set on arrival cost each waiting request
 * two kilobytes, and Express knows no step behind its handlers.
 *
 * Patches `writeHead` of the response that all of an application's inherit from: checked with Express 5.3.0 and Node
 * 24.21.0, which begins every answer by it. heads.int.test.ts fails where one begins another way.
 */
export function beforeHeads(
  app: { readonly response: ServerResponse },
  prepare: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  const { response } = app;
  const { writeHead } = response;
  function writeHeadPrepared(this: ServerResponse, ...args: Parameters<typeof writeHead>): ServerResponse {
    prepare(this.req, this);
    return writeHead.apply(this, args);
  }
  response.writeHead = writeHeadPrepared as typeof writeHead;
}
