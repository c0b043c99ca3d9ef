import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

export interface Connector {
  /** undici's option `connect`. */
  readonly connect: buildConnector.connector;
  /** Ends the connections that are being made; undici's `destroy` would wait for them until their timeout. */
  readonly close: () => void;
}

/**
 * Makes connections as undici does, one request at a time on each: HTTP/2 would put a hundred on one, and lose them all
 * with it.
 *
 * @param timeoutMs how long connecting may take
 */
export function createConnector(timeoutMs: number): Connector {
  // It gives the socket back, which its type does not tell.
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs }) as (
    ...args: Parameters<buildConnector.connector>
  ) => Socket;
  const connecting = new Set<Socket>();
  return {
    connect(options, callback) {
      const socket = connect(options, (...outcome) => {
        connecting.delete(socket);
        callback(...outcome);
      });
      connecting.add(socket);
    },
    close() {
      for (const socket of connecting) socket.destroy(new Error('The connection is no longer wanted.'));
    },
  };
}
