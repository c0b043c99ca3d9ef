import type { Request, Response } from 'express';
import type { Protocol } from '../envelope/request-context.ts';

const OWN_EXPOSED =
  'X-Request-Id, X-Masked, X-Model, X-Finish-Reason, X-Ignored-Parameters, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, Retry-After';
const OWN_ALLOWED = 'Authorization, Content-Type, X-API-Key';
/** Limits under OpenAI's names. */
const OPENAI_EXPOSED = ['Requests', 'Tokens'].flatMap((what) =>
  ['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}-${what}`),
);
/** What OpenAI's and other clients of its protocol send from browsers, beside those that need no leave. */
const OPENAI_ALLOWED = [
  'Accept, Cache-Control, Idempotency-Key, Last-Event-ID, User-Agent, HTTP-Referer, X-Title, X-Requested-With, X-Request-Id',
  'OpenAI-Organization, OpenAI-Project, OpenAI-Beta',
  'X-Stainless-Arch, X-Stainless-Async, X-Stainless-Custom-Poll-Interval, X-Stainless-Helper-Method, X-Stainless-Lang',
  'X-Stainless-OS, X-Stainless-Package-Version, X-Stainless-Poll-Helper, X-Stainless-Raw-Response',
  'X-Stainless-Read-Timeout, X-Stainless-Retry-Count, X-Stainless-Runtime, X-Stainless-Runtime-Version, X-Stainless-Timeout',
];

const ALLOWED = { envelope: OWN_ALLOWED, openai: [OWN_ALLOWED, ...OPENAI_ALLOWED].join(', ') };

/**
 * In the head of each answer of the API: pages of any origin may call it, for a key is needed anyway, and no cookie counts
 * there. Lines of a head.
 */
export const OPEN_TO_OTHER_ORIGINS: Readonly<Record<Protocol, string>> = {
  envelope: openLines(OWN_EXPOSED),
  openai: openLines([OWN_EXPOSED, ...OPENAI_EXPOSED, 'X-Should-Retry'].join(', ')),
};

function openLines(exposed: string): string {
  return `Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: ${exposed}\r\n`;
}

/** Tells a browser that asks what a page of another origin may do. */
export function tellPreflight(request: Request, response: Response, protocol: Protocol): void {
  if (!isPreflight(request)) return;
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST');
  response.setHeader('Access-Control-Allow-Headers', ALLOWED[protocol]);
  response.setHeader('Access-Control-Max-Age', '86400');
}

/** Whether a browser asks what a page of another origin may do. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
