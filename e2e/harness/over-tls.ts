import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Proxy } from './proxies.ts';

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

/** A caller of a proxy, on connections that it keeps. */
export interface OverTls {
  ask(path: string, options?: Sent): Promise<Answered>;
  /** The same, with the answer as it comes. */
  send<Result>(path: string, options: Sent, take: (response: IncomingMessage) => Promise<Result>): Promise<Result>;
  close(): void;
}

/** Calls a proxy by its name, and holds it to its certificate. */
export function openTls(proxy: Proxy): OverTls {
  const agent = new Agent({ keepAlive: true, ca: proxy.certificate, servername: proxy.host });
  const send: OverTls['send'] = (path, { method = 'GET', headers, body }, take) =>
    new Promise((resolve, reject) => {
      const where = { host: '127.0.0.1', port: proxy.port, path, method, agent };
      const all = { host: `${proxy.host}:${proxy.port}`, ...headers };
      const sent = request({ ...where, headers: all }, (response) => void take(response).then(resolve, reject));
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    send,
    ask: (path, options = {}) =>
      send(path, options, async (response) => ({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: await textOf(response),
      })),
    close: () => agent.destroy(),
  };
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
