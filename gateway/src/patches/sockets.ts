import type { Server } from 'node:http';
import { Server as ConnectionServer, type Socket } from 'node:net';

/**
 * Stops reading from a connection. There is no public way to do that: `pause` keeps what has been read, but a read that
 * has begun goes on, into 64 KB of memory of the connection's own. A resumed socket has to be started again, because
 * it takes itself for reading.
 *
 * Uses the socket's `_handle`: checked with Node 24.21.0. sockets.int.test.ts fails where that no longer stops the reading.
 */
function stopReading(socket: Socket): void {
  socket.pause();
  const { _handle: handle } = socket as { _handle?: { reading: boolean; readStop(): void } | null };
  if (!handle?.reading) return;
  handle.reading = false;
  handle.readStop();
}

/**
 * Stops the reading of a socket that Node's HTTP server has handed over (`upgrade`), which goes on by itself, until
 * the socket is resumed.
 *
 * Uses `_read` of the socket: checked with Node 24.21.0. sockets.int.test.ts fails where it does not begin again.
 */
export function stopReadingHandedOver(socket: Socket): void {
  stopReading(socket);
  socket.on('resume', () => socket._read(0));
}

/**
 * Stops reading from a connection for good, and lets go of what has been read. What resumes it later, as Node does with
 * every request when it is answered, has no effect. Its end shows no longer, so that it has to be closed by a timer.
 *
 * Patches `_read` of the socket: checked with Node 24.21.0. sockets.int.test.ts fails where it reads on.
 */
export function neverReadAgain(socket: Socket): void {
  stopReading(socket);
  socket.removeAllListeners('resume');
  socket._read = () => undefined;
  socket.read();
}

/**
 * Has the connection of an answer ended in another way than Node does it.
 *
 * Patches `destroySoon` of the socket, by which Node 24.21.0 ends a connection behind an answer that says `close`.
 * sockets.int.test.ts fails where it ends it otherwise.
 */
export function endAnsweredBy(socket: Socket, end: () => void): void {
  socket.destroySoon = end;
}

/**
 * Stops listening, and leaves open connections alone. The HTTP server's own `close` would close idle ones at once.
 *
 * Calls `close` of the server that Node's HTTP server inherits from: checked with Node 24.21.0. sockets.int.test.ts
 * fails where it closes idle connections, too.
 *
 * @param closed called once the last connection has ended
 */
export function stopListening(server: Server, closed: () => void): void {
  ConnectionServer.prototype.close.call(server, closed);
}
