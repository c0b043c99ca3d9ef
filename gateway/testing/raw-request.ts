import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends bytes as they are, which an HTTP client would tidy up, and gives all that comes until the gateway closes. */
export async function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return text(socket);
}

/** A request without a body whose connection ends with its answer. */
export function get(target: string, ...headers: readonly string[]): string {
  return [`GET ${target} HTTP/1.1`, 'Host: gateway', 'Connection: close', ...headers, '', ''].join('\r\n');
}
