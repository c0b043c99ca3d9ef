import type { Express, Response } from 'express';
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

/** Headers that each answer carries for its own request. */
export interface OwnHeaders {
  /** Sets at least one: without any, Node does not say which headers the answer has. */
  set(response: Response): void;
  /** The others, which no answer sets: whole lines with their line ends. */
  linesFor(response: Response): string;
}

/** Makes an application's answers carry headers: its own request's, and these, where the answer has none of that name. */
export function setHeadersLast(app: Express, headers: ReadonlyMap<string, string>, own: OwnHeaders): void {
  beforeHeads(app, (request, response) => {
    closeIfUnread(request, response);
    own.set(response);
  });
  const lines = [...headers].map(([name, value]) => ({ name, line: `${name}: ${value}\r\n` }));
  const all = lines.map(({ line }) => line).join('');
  intoHeads(app, (response) => {
    const ownLines = own.linesFor(response);
    if (!lines.some(({ name }) => response.hasHeader(name))) return ownLines + all;
    return ownLines + lines.map(({ name, line }) => (response.hasHeader(name) ? '' : line)).join('');
  });
}
