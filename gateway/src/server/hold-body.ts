import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody, takesBody } from '../envelope/announces-body.ts';
import { holdReading, pipeNothing } from '../patches/requests.ts';

/** What may come of a body that is not read before it is too much, bytes. */
const MOST_DISCARDED = 64 * 1024;

/**
 * Keeps a request's body out until it is read. Node would read on by itself, and hold what comes for as long as
 * the request is judged, waits, or is answered without its body.
 *
 * What came in one piece with the head is here already, at most 64 KB. The rest stays in the kernel, where it holds the
 * sender back. A sender that asked whether to go on (`Expect: 100-continue`) gets its 100 when the reading begins.
 *
 * @param tooLarge answers a request whose body is no part of it, and too large to be thrown away
 */
export function holdBody(
  request: IncomingMessage,
  response: ServerResponse,
  tooLarge: (request: IncomingMessage) => void,
): void {
  if (!announcesBody(request.headers)) return;
  if (!takesBody(request.method)) return discardBody(request, tooLarge);
  holdReading(request, () => {
    if (expectsContinue(request) && !response.headersSent) response.writeContinue();
  });
}

/** Those whose headers say no longer that they came with a body. */
const discarded = new WeakSet<IncomingMessage>();

/** Whether a request came with a body, whatever has become of that. */
export function cameWithBody(request: IncomingMessage): boolean {
  return announcesBody(request.headers) || discarded.has(request);
}

/** Whether the sender waits for 100 Continue before its body. */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor > 0 && headers.expect?.toLowerCase() === '100-continue';
}

/**
 * Reading goes on, so that the caller's leaving is noticed. For all other code the request has no body: handed on, it
 * would be without the headers that frame it, or those without it.
 */
function discardBody(request: IncomingMessage, tooLarge: (request: IncomingMessage) => void): void {
  const { socket, headers } = request;
  discarded.add(request);
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  pipeNothing(request);
  const most = socket.bytesRead + MOST_DISCARDED;
  const discard = (): void => {
    if (socket.bytesRead <= most) return;
    request.off('data', discard);
    tooLarge(request);
  };
  request.on('data', discard);
}
