import type { Socket } from 'node:net';

/**
 * Stops reading from a connection, until it is resumed. There is no public way to do that: `pause` keeps what has been
 * read, but a read that has begun goes on, into 64 KB of memory of the connection's own. What is resumed has to be told
 * to begin again, because it takes itself for reading.
 */
export function stopReading(socket: Socket): void {
  socket.pause();
  const { _handle: handle } = socket as { _handle?: { reading: boolean; readStop(): void } | null };
  if (!handle?.reading) return;
  handle.reading = false;
  handle.readStop();
}

/**
 * Stops reading from a connection for good, and lets go of what has been read. What resumes it later, as Node does with
 * every request when it is answered, has no effect. Its end shows no longer, so that somebody has to close it.
 */
export function neverReadAgain(socket: Socket): void {
  stopReading(socket);
  socket.removeAllListeners('resume');
  socket._read = () => undefined;
  socket.read();
}
