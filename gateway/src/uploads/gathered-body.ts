import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { UploadProblem } from './upload-problem.ts';

/**
 * The body of a request in pieces of what has arrived meanwhile. A body that comes in chunks of a byte arrives in
 * thousands of tiny buffers, each of which costs a hundred times its byte: they are put together here, before they
 * are kept. However it ends, what is left of the body is read and dropped, so that the caller gets to read the answer.
 *
 * @param mostBytes of the whole body; fails with an UploadProblem where there is more, or the caller leaves before the end
 */
export function gatherBody(request: IncomingMessage, mostBytes: number): Readable {
  let bytes = 0;
  let isWanted = false;
  const give = () => {
    // Without a size it gives all that there is as one buffer; `data` events and pipes would hand on each.
    const piece = isWanted ? (request.read() as Buffer | null) : null;
    if (piece === null) return;
    bytes += piece.length;
    if (bytes > mostBytes) {
      return void body.destroy(new UploadProblem('too_large', 'The request body is too large. Send a shorter one.'));
    }
    isWanted = false;
    body.push(piece);
  };
  const cutOff = () => body.destroy(new UploadProblem('cut_off', 'The upload was cut off.'));
  const onClose = () => {
    if (!request.complete) cutOff();
  };
  const body = new Readable({
    highWaterMark: 1,
    read() {
      isWanted = true;
      give();
    },
    destroy(error, done) {
      request.off('readable', give).off('close', onClose);
      request.resume();
      done(error);
    },
  });
  request.on('readable', give);
  request.on('end', () => body.push(null));
  request.on('error', cutOff);
  request.on('close', onClose);
  // The caller may have left during the command to Redis: `close` already fired then, and no further event follows.
  if (request.destroyed) cutOff();
  return body;
}

/** What its header says that the body has, bytes; absent where it does not say. */
export function declaredLength(request: IncomingMessage): number | undefined {
  const length = request.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
