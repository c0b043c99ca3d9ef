import type { Duplex } from 'node:stream';

/** Connections that have had their last answer, and stay open for a moment so that it is seen. */
const answered = new WeakSet<Duplex>();

/** No further answer goes out on a connection: the one behind which it ends is on its way. */
export function noteLastAnswer(socket: Duplex): void {
  answered.add(socket);
}

/** Whether an answer could still go out on a connection. */
export function isAnswerable(socket: Duplex): boolean {
  return socket.writable && !answered.has(socket);
}
