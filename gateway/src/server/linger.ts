import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasCome, isChunked } from './chunked-requests.ts';
import { cameWithBody } from './hold-body.ts';

/**
 * How long a sender has to notice an early answer, ms. One that is not read any more costs next to nothing meanwhile, and
 * would come back with another connection.
 */
const READ_MS = 2_000;
const UNREAD_MS = 5_000;
/** What is read of a body meanwhile, bytes: of a file that was refused, all; of how many at once. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_READ_AT_ONCE = 8;
const LOOK_MS = 25;

let readNow = 0;

/**
 * Ends the connection behind an answer that goes out before the request's body has arrived, and so that the sender gets
 * to see it: a connection that is closed with bytes unread is reset, and a reset may overtake the answer. So the answer
 * goes out with the end of the connection behind it, and the sender has a moment to see both. A few who say how much
 * they send are read until they are through, because some look for an answer only then.
 *
 * To be called before the head of the answer is sent. Node closes such a connection by its `destroySoon`, for which
 * this one stands in; linger.int.test.ts would notice a change.
 */
export function closeIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (hasCome(request) || !cameWithBody(request)) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  socket.destroySoon = () => linger(socket, request);
}

function linger(socket: Socket, request: IncomingMessage): void {
  const isRead = !isChunked(request) && readNow < MOST_READ_AT_ONCE;
  if (isRead) readNow++;
  const most = socket.bytesRead + MOST_BYTES;
  const end = performance.now() + (isRead ? READ_MS : UNREAD_MS);
  const timer = setInterval(() => {
    const isOver = hasCome(request) || socket.bytesRead > most || performance.now() > end;
    if (!isOver && !socket.destroyed) return;
    clearInterval(timer);
    if (isRead) readNow--;
    socket.destroy();
  }, LOOK_MS);
  socket.end();
  if (isRead) socket.resume();
  else stopReading(socket);
}

/** What has come goes, and nothing more comes: what is paused alone would be kept, and filled up. */
function stopReading(socket: Socket): void {
  socket.pause();
  socket._read = () => undefined;
  socket.read();
}
