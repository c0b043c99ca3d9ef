import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { announcesBody, takesBody } from '../envelope/announces-body.ts';
import { isAnswerable } from './last-answers.ts';

const newest = new WeakMap<Socket, ServerResponse>();

/** The newest response on a connection; `undefined` before its first request. */
export function newestResponse(socket: Socket): ServerResponse | undefined {
  return newest.get(socket);
}

/**
 * Serves the requests of one connection one after the other: each when the answer before it has been taken. Node would
 * serve all that come in one piece at once and hold their answers, and two kilobytes of requests can ask for megabytes
 * that are not read.
 *
 * A POST or PATCH with a body does not wait: its socket is not read until its body is, so that the leaving of the caller before
 * it would not be noticed. Its answer is short, unless a key has paid for it.
 */
export function serveInTurn(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const before = newest.get(socket);
    newest.set(socket, response);
    const mustNotWait = takesBody(request.method) && announcesBody(request.headers);
    if (before === undefined || before.writableFinished || mustNotWait) return listener(request, response);
    // A connection that has ended, by whichever side, has no use for the answers that were to follow.
    before.once('finish', () => {
      if (isAnswerable(socket)) listener(request, response);
    });
  };
}
