import type { IncomingHttpHeaders } from 'node:http';

/** Methods whose requests have a body that is read; that of others is thrown away as it comes. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PATCH']);

/** Whether the body of such a request is a part of it. */
export function takesBody(method: string | undefined): boolean {
  return WITH_BODY.has(method ?? '');
}

/** Whether a request has a body, of whatever length. */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
