import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Response } from 'express';
import helmet from 'helmet';
import { closeIfUnread } from './linger.ts';

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

/**
 * Makes an application set headers at the moment an answer begins, where the answer has none of that name. Set on
 * arrival they would cost each waiting request two kilobytes.
 */
export function setHeadersLast(app: Express, headers: ReadonlyMap<string, string>): void {
  const { response } = app;
  const { writeHead } = response;
  function writeHeadWithAll(this: Response, ...args: Parameters<typeof writeHead>): Response {
    closeIfUnread(this.req, this);
    for (const [name, value] of headers) if (!this.hasHeader(name)) this.setHeader(name, value);
    return writeHead.apply(this, args);
  }
  response.writeHead = writeHeadWithAll as typeof writeHead;
}
