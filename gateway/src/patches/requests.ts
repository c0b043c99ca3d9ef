import { IncomingMessage } from 'node:http';

/**
 * Keeps Node from reading a request's body by itself, until it is read.
 *
 * Patches `_read` of the request: checked with Node 24.21.0, whose server lets a socket go on from there and nowhere
 * else, and says `resume`, or is listened to for `readable`, when somebody begins to read. hold-body.int.test.ts fails
 * where it does not.
 *
 * @param begin called once, just before the reading begins
 */
export function holdReading(request: IncomingMessage, begin: () => void): void {
  request.socket.pause();
  request._read = readNothing;
  const letIn = (): void => {
    request.off('resume', letIn).off('newListener', onListener);
    // Not deleted: V8 would keep the request's properties in a table from then on, a kilobyte more for each in flight.
    request._read = IncomingMessage.prototype._read;
    begin();
    request._read(0);
  };
  const onListener = (event: string | symbol): void => {
    if (event === 'readable') letIn();
  };
  request.on('resume', letIn).on('newListener', onListener);
}

/** No literal at its place: V8 would put one into the old generation, which keeps the request until a full collection. */
const readNothing = (): void => undefined;

/**
 * Makes a request one without a body for what hands it on: its bytes would follow a head that does not announce them.
 *
 * Patches `pipe` of the request: checked with http-proxy-middleware 4.2.1, which hands on by it. requests.int.test.ts
 * fails where that goes another way.
 */
export function pipeNothing(request: IncomingMessage): void {
  request.pipe = (destination) => {
    destination.end();
    return destination;
  };
}

/** Real upgrades are answered as any other request. */
export const hasTransferEncoding = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined;

/**
 * A request of Node's server that takes every one with a transfer encoding for one that leaves HTTP: Node then stops
 * reading behind its head, and hands over the socket.
 *
 * Stands in for the property `upgrade` that Node's parser sets: checked with Node 24.21.0, which decides by it after
 * `shouldUpgradeCallback`. chunked-requests.int.test.ts fails where it does not.
 */
export class PublicRequest extends IncomingMessage {
  declare isHandedOver: boolean | null;

  get upgrade(): boolean {
    return this.isHandedOver === true || hasTransferEncoding(this);
  }
  set upgrade(isHandedOver: boolean | null) {
    this.isHandedOver = isHandedOver;
  }
}
