import { newRequestId } from '@lontar/shared/request-id.ts';
import type { Request, Response } from 'express';
import { readAddress } from '../caller/address.ts';
import { identify } from '../caller/identify.ts';
import { Leaving } from '../envelope/leaving.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { OPEN_TO_OTHER_ORIGINS } from './cross-origin.ts';
import type { OwnHeaders } from './fixed-headers.ts';
import { protocolOf } from './spoken-protocol.ts';

/** Notes what the handlers need of a request, and gives it its id. */
export function createContext(request: Request, response: Response, isOpenToPages: boolean): RequestContext {
  const question = request.url.indexOf('?');
  const { headers } = request;
  const query = new URLSearchParams(question < 0 ? '' : request.url.slice(question + 1));
  const context: RequestContext = {
    id: newRequestId(),
    method: request.method,
    protocol: protocolOf(request.url),
    isOpenToPages,
    receivedAt: performance.now(),
    query,
    body: undefined,
    headers,
    key: identify({ query, headers, body: undefined }),
    ...readAddress(request.ip ?? request.socket.remoteAddress ?? ''),
    gone: new Leaving(),
  };
  response.locals['context'] = context;
  return context;
}

/**
 * What the head of an answer says of its own request. Done when it begins: headers that are set on arrival take half a kilobyte
 * of each request in flight.
 */
export const OWN_HEADERS: OwnHeaders = {
  set(response) {
    const context = contextIn(response);
    if (context) response.setHeader('X-Request-Id', context.id);
  },
  linesFor(response) {
    const context = contextIn(response);
    return context?.isOpenToPages ? OPEN_TO_OTHER_ORIGINS[context.protocol] : '';
  },
};

/** `undefined` where a request failed before it had one. */
function contextIn({ locals }: Response): RequestContext | undefined {
  return locals['context'] as RequestContext | undefined;
}
