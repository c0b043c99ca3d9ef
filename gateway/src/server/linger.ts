import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endAnsweredBy, neverReadAgain } from '../patches/sockets.ts';
import { hasCome, isChunked } from './chunked-requests.ts';
import { cameWithBody } from './hold-body.ts';
import { noteLastAnswer } from './last-answers.ts';

/**
 * How long a sender has to notice an early answer, ms. One that is not read any more costs next to nothing meanwhile, and
 * would come back with another connection.
 */
const READ_MS = 2_000;
const UNREAD_MS = 5_000;
/**
 * After how long the connection of one that is not read is ended from our side, ms. A client that has read its answer ends
 * it by itself, since the answer says so; one that waits for our end before it comes back is worth keeping waiting.
 */
const END_AFTER_MS = 1_000;
/** How many wait unread at once. Their clients may have left long ago, which shows only where something is read. */
const MOST_UNREAD = 400;
/** What is read of a body meanwhile, bytes: of a file that was refused, all; of how many at once. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_READ_AT_ONCE = 8;
const LOOK_MS = 25;

let readNow = 0;
/** Those that wait unread, the one that has waited longest first. */
const unread = new Set<Socket>();

/**
 * Ends the connection behind an answer that goes out before the request's body has arrived, and so that the sender gets
 * to see it: a connection that is closed with bytes unread is reset, and a reset may overtake the answer. So the answer
 * goes out, and the sender has a moment to see it. A few who say how much they send are read until they are through,
 * because some look for an answer only then.
 *
 * To be called before the head of the answer is sent.
 */
export function closeIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (hasCome(request) || !cameWithBody(request)) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  endAnsweredBy(socket, () => linger(socket, request));
}

function linger(socket: Socket, request: IncomingMessage): void {
  noteLastAnswer(socket);
  if (isChunked(request) || readNow >= MOST_READ_AT_ONCE) return leaveUnread(socket);
  readNow++;
  const most = socket.bytesRead + MOST_BYTES;
  const end = performance.now() + READ_MS;
  const timer = setInterval(() => {
    const isOver = hasCome(request) || socket.bytesRead > most || performance.now() > end;
    if (!isOver && !socket.destroyed) return;
    clearInterval(timer);
    readNow--;
    socket.destroy();
  }, LOOK_MS);
  socket.resume();
}

function leaveUnread(socket: Socket): void {
  neverReadAgain(socket);
  const [longest] = unread;
  if (longest !== undefined && unread.size >= MOST_UNREAD) {
    unread.delete(longest);
    longest.destroy();
  }
  unread.add(socket);
  const ending = setTimeout(() => socket.end(), END_AFTER_MS);
  const timer = setTimeout(() => socket.destroy(), UNREAD_MS);
  socket.once('close', () => {
    clearTimeout(ending);
    clearTimeout(timer);
    unread.delete(socket);
  });
}
