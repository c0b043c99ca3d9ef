import type { IncomingHttpHeaders } from 'node:http';

/** Whether a request has a body, of whatever length. */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
