import type { Express } from 'express';
import { beforeHeads } from '../patches/heads.ts';
import { helmetHeaders } from '../patches/helmet-headers.ts';
import { closeIfUnread } from './linger.ts';

/** The headers that every answer carries: helmet's, and that nothing may be stored. */
export function fixedHeaders(): ReadonlyMap<string, string> {
  const secure = helmetHeaders({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  });
  return new Map([['Cache-Control', 'no-store'], ...secure]);
}

/** Makes an application set headers at the moment an answer begins, where the answer has none of that name. */
export function setHeadersLast(app: Express, headers: ReadonlyMap<string, string>): void {
  beforeHeads(app, (request, response) => {
    closeIfUnread(request, response);
    for (const [name, value] of headers) if (!response.hasHeader(name)) response.setHeader(name, value);
  });
}
