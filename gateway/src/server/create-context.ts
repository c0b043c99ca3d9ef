import { newRequestId } from '@lontar/shared/request-id.ts';
import type { Request, Response } from 'express';
import { readAddress } from '../caller/address.ts';
import { identify } from '../caller/identify.ts';
import { CUT_FOR_PACE, type RequestContext } from '../envelope/request-context.ts';
import { wasCutForPace } from './pace.ts';
import { protocolOf } from './spoken-protocol.ts';

/** Notes what the handlers need of a request, gives it its id, and watches for the caller's leaving. */
export function createContext(request: Request, response: Response): RequestContext {
  const gone = new AbortController();
  const question = request.url.indexOf('?');
  const { headers } = request;
  const query = new URLSearchParams(question < 0 ? '' : request.url.slice(question + 1));
  const context: RequestContext = {
    id: newRequestId(),
    method: request.method,
    protocol: protocolOf(request.url),
    receivedAt: performance.now(),
    query,
    body: undefined,
    headers,
    key: identify({ query, headers, body: undefined }),
    ...readAddress(request.ip ?? request.socket.remoteAddress ?? ''),
    gone: gone.signal,
  };
  response.locals['context'] = context;
  response.setHeader('X-Request-Id', context.id);
  response.on('close', () => {
    if (!response.writableFinished) gone.abort(wasCutForPace(response) ? CUT_FOR_PACE : undefined);
  });
  return context;
}
