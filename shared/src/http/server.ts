import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { within } from '../within.ts';

const CHECK_INTERVAL_MS = 1_000;
/** Longer than any proxy in front keeps an idle connection, so that it is not closed under a request. */
const KEEP_ALIVE_MS = 65_000;

export interface RunningServer {
  readonly port: number;
  /** Ends idle connections at once, the others after their answer: those that have not ended in time are cut. */
  stop(): Promise<void>;
}

/**
 * Serves on a port that only our own parts and the operator's tools reach. The public listener has more to bound, see
 * gateway/src/server/server.ts.
 *
 * @param options.receiveMs how long a request may be on its way, ms
 * @param options.lastAnswersMs how long answers that are on their way when it stops may take, ms
 * @throws the system's error when the port is taken
 */
export async function serve(
  listener: RequestListener,
  options: {
    readonly host: string;
    readonly port: number;
    /** The setting that names the port. */
    readonly setting: string;
    readonly receiveMs: number;
    readonly lastAnswersMs: number;
    readonly maxHeaderSize?: number;
  },
): Promise<RunningServer> {
  const { host, port, setting, receiveMs, lastAnswersMs, maxHeaderSize } = options;
  const limits: ServerOptions = {
    ...(maxHeaderSize === undefined ? {} : { maxHeaderSize }),
    headersTimeout: receiveMs,
    requestTimeout: receiveMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const server = createServer(limits, listener);
  await listen(server, { port, host, setting });
  return { port: (server.address() as AddressInfo).port, stop: () => close(server, lastAnswersMs) };
}

/** Where to listen. */
interface Place {
  readonly port: number;
  readonly host: string;
  /** The setting that names the port. */
  readonly setting: string;
}

/** Resolves when the server listens. @throws the system's error when it cannot, with what to do about it */
export function listen(server: Server, place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      error.message = explain(error, place);
      reject(error);
    };
    server.once('error', refuse);
    server.listen({ port: place.port, host: place.host, backlog: 4096 }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

const TAKEN = 'is taken by another program.';

/** Whether an error of `listen`, in whatever text stands around it, says that a port is taken. */
export function saysTaken(text: string, port: string): boolean {
  return text.split('\n').some((line) => line.includes(`: port ${port} on `) && line.includes(TAKEN));
}

function explain({ code, message }: NodeJS.ErrnoException, { port, host, setting }: Place): string {
  const where = `${setting}: port ${port} on ${host}`;
  if (code === 'EADDRINUSE') {
    return `${where} ${TAKEN} Stop that program, or choose another port: ${setting}=NUMBER.`;
  }
  if (code === 'EACCES') return `${where} may not be opened by this user (ports below 1024 need more rights).`;
  if (code === 'EADDRNOTAVAIL') return `${where} cannot be opened: this machine has no such address.`;
  return `${where} cannot be opened: ${message}`;
}

async function close(server: Server, lastAnswersMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await within(lastAnswersMs, closed, () => server.closeAllConnections());
  await closed;
}
