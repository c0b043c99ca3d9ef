import { addressBits, limitAddress } from '@lontar/shared/address.ts';
import { newRequestId } from '@lontar/shared/request-id.ts';
import type { Request, Response } from 'express';
import type { RequestContext } from './request-context.ts';

/** Notes what the handlers need of a request, gives it its id, and watches for the caller's leaving. */
export function createContext(request: Request, response: Response): void {
  const gone = new AbortController();
  const address = withoutPort(request.ip ?? request.socket.remoteAddress ?? '');
  const question = request.url.indexOf('?');
  const context: RequestContext = {
    id: newRequestId(),
    method: request.method,
    receivedAt: performance.now(),
    query: new URLSearchParams(question < 0 ? '' : request.url.slice(question + 1)),
    body: undefined,
    headers: request.headers,
    address: limitAddress(address),
    addressBits: addressBits(address) ?? '',
    gone: gone.signal,
  };
  response.locals['context'] = context;
  response.setHeader('X-Request-Id', context.id);
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
}

/** Some proxies append the caller's port to the address that they forward. */
function withoutPort(address: string): string {
  const [, inBrackets, ipv4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? [];
  return inBrackets ?? ipv4 ?? address;
}
