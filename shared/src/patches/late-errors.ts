import type { Redis } from 'ioredis';

interface Connects {
  readonly connector: { connect(...args: unknown[]): Promise<{ on(event: 'error', listener: () => void): unknown }> };
}

/**
 * Keeps the process alive where a socket has more than one error to tell. Node refuses a certificate and destroys the socket,
 * and an alert of the server that arrives afterwards is an `error` event of its own; ioredis listens to the first one alone,
 * and the second ends the process before it has said what is wrong.
 *
 * Wraps `connect` of the connector: checked with ioredis 6.0.0 and Node 24. late-errors.int.test.ts fails where a socket comes
 * another way.
 */
export function hearLateErrors(redis: Redis): void {
  const { connector } = redis as unknown as Connects;
  const connect = connector.connect.bind(connector);
  connector.connect = async (...args) => {
    const stream = await connect(...args);
    stream.on('error', () => undefined);
    return stream;
  };
}
