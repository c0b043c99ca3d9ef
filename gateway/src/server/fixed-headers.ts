import type { Express } from 'express';
import { beforeHeads, intoHeads } from '../patches/heads.ts';
import { helmetHeaders } from '../patches/helmet-headers.ts';
import { closeIfUnread } from './linger.ts';

/** The headers that every answer carries: helmet's, and that nothing may be stored. */
export function fixedHeaders(): ReadonlyMap<string, string> {
  const secure = helmetHeaders({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  });
  return new Map([['Cache-Control', 'no-store'], ...secure]);
}

/** Makes an application's answers carry headers, where the answer has none of that name. */
export function setHeadersLast(app: Express, headers: ReadonlyMap<string, string>): void {
  beforeHeads(app, closeIfUnread);
  const lines = [...headers].map(([name, value]) => ({ name, line: `${name}: ${value}\r\n` }));
  const all = lines.map(({ line }) => line).join('');
  intoHeads(app, (response) => {
    if (!lines.some(({ name }) => response.hasHeader(name))) return all;
    return lines.map(({ name, line }) => (response.hasHeader(name) ? '' : line)).join('');
  });
}
