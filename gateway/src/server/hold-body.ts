import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from '../envelope/announces-body.ts';

/** What may come of a body that nobody reads before it is too much, bytes. */
const MOST_DISCARDED = 64 * 1024;

/**
 * Keeps a request's body out until somebody reads it. Node would read on by itself, and hold what comes for as long as
 * the request is judged, waits, or is answered without its body.
 *
 * What came in one piece with the head is here already, at most 64 KB. The rest stays in the kernel, where it holds the
 * sender back. A sender that asked whether to go on (`Expect: 100-continue`) is told so when the reading begins.
 *
 * This rests on what Node 24 does: a server's request lets its socket go on from `_read` and nowhere else, and says
 * `resume`, or is listened to for `readable`, when somebody begins to read. hold-body.int.test.ts would notice a change.
 *
 * @param tooLarge answers a request whose body is no part of it, and too large to be thrown away
 */
export function holdBody(
  request: IncomingMessage,
  response: ServerResponse,
  tooLarge: (request: IncomingMessage) => void,
): void {
  if (!announcesBody(request.headers)) return;
  withBody.add(request);
  if (request.method !== 'POST') return discardBody(request, tooLarge);
  request.socket.pause();
  request._read = () => undefined;
  const letIn = (): void => {
    request.off('resume', letIn).off('newListener', onListener);
    // The one of the prototype is behind it.
    delete (request as { _read?: unknown })._read;
    if (expectsContinue(request) && !response.headersSent) response.writeContinue();
    request._read(0);
  };
  const onListener = (event: string | symbol): void => {
    if (event === 'readable') letIn();
  };
  request.on('resume', letIn).on('newListener', onListener);
}

const withBody = new WeakSet<IncomingMessage>();

/** Whether a request came with a body, whatever has become of that. */
export function cameWithBody(request: IncomingMessage): boolean {
  return withBody.has(request);
}

/** Whether the sender waits to be told that it may send its body. */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor > 0 && headers.expect?.toLowerCase() === '100-continue';
}

/**
 * Reading goes on, so that the caller's leaving is noticed. For everybody else the request has no body: handed on, it
 * would be without the headers that frame it, or those without it.
 */
function discardBody(request: IncomingMessage, tooLarge: (request: IncomingMessage) => void): void {
  const { socket, headers } = request;
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  request.pipe = (destination) => {
    destination.end();
    return destination;
  };
  const most = socket.bytesRead + MOST_DISCARDED;
  const discard = (): void => {
    if (socket.bytesRead <= most) return;
    request.off('data', discard);
    tooLarge(request);
  };
  request.on('data', discard);
}
