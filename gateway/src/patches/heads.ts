import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Has something done to each answer at the moment it begins: headers that are set on arrival cost each waiting request
 * two kilobytes, and Express knows no step behind its handlers.
 *
 * Patches `writeHead` of the response that all of an application's inherit from: checked with Express 5.3.0 and Node
 * 24.21.0, which begins every answer by it. heads.int.test.ts fails where one begins another way.
 */
export function beforeHeads<Response extends ServerResponse>(
  app: { readonly response: Response },
  prepare: (request: IncomingMessage, response: Response) => void,
): void {
  const { response } = app;
  const { writeHead } = response;
  function writeHeadPrepared(this: Response, ...args: Parameters<typeof writeHead>): ServerResponse {
    prepare(this.req, this);
    return writeHead.apply(this, args);
  }
  response.writeHead = writeHeadPrepared as typeof writeHead;
}

/**
 * Writes lines into the head of each answer: a header that is the same for all need not be set, checked and put together
 * anew for each of them.
 *
 * Patches `_storeHeader` of the response that all of an application's inherit from, and adds to the status line that it is
 * given: checked with Node 24.21.0. heads.int.test.ts fails where heads are made another way.
 *
 * @param linesFor whole lines with their line ends; headers that the answer has are in the response by then, if one was set
 *   before its head began
 */
export function intoHeads<Response extends ServerResponse>(
  app: { readonly response: Response },
  linesFor: (response: Response) => string,
): void {
  const response = app.response as unknown as HeadMaker<Response>;
  const { _storeHeader: storeHeader } = response;
  response._storeHeader = function storeHeaderWithLines(this: Response, statusLine: string, headers: unknown): void {
    storeHeader.call(this, statusLine + linesFor(this), headers);
  };
}

interface HeadMaker<Response> {
  _storeHeader(this: Response, statusLine: string, headers: unknown): void;
}
