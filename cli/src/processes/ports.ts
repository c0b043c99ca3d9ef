import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartFailure } from '../failure/start-failure.ts';

const LAST_PORT = 65_535;

/** Hands out ports of one start, each once. */
export interface PortFinder {
  /**
   * @param name the setting that says this port, for the message
   * @returns exactly that port, or a free one for 0
   * @throws StartFailure when it is taken or this user may not listen there
   */
  claim(name: string, port: number, host: string): Promise<number>;
  /** The first free port from `first` on. */
  firstFree(first: number, host: string): Promise<number>;
}

/** @param beyond how far from where it is asked to `firstFree` begins to look */
export function createPortFinder(beyond = 0): PortFinder {
  const given = new Set<number>();
  const finder: PortFinder = {
    async claim(name, port, host) {
      if (port === 0) return take(await tryListening(0, host));
      const outcome = given.has(port) ? 'EADDRINUSE' : await tryListening(port, host);
      if (typeof outcome === 'string') throw new StartFailure(explain(outcome, name, port, host));
      return take(port);
    },
    async firstFree(first, host) {
      for (let port = first + beyond; port <= LAST_PORT; port += 1) {
        if (!given.has(port) && typeof (await tryListening(port, host)) === 'number') return take(port);
      }
      throw new StartFailure(`No port from ${first} on is free on ${host}.`);
    },
  };
  return finder;

  function take(outcome: number | string): number {
    if (typeof outcome === 'string') throw new StartFailure(`No port can be opened: ${outcome}`);
    given.add(outcome);
    return outcome;
  }
}

/** Whether a port could be opened just now. Never rejects: what cannot be tried is not free. */
export async function isFree(port: number, host: string): Promise<boolean> {
  return typeof (await tryListening(port, host)) === 'number';
}

/** The address under which this machine reaches a listener: `0.0.0.0` and `::` are not addresses to call. */
export function callableUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::' || host === '') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** @returns the port that was opened for a moment, or the system's error code */
async function tryListening(port: number, host: string): Promise<number | string> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : port;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    server.close();
  }
}

function explain(code: string, name: string, port: number, host: string): string {
  const other = port < LAST_PORT ? port + 1 : port - 1;
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is taken by another program. Stop that program, or choose another port: ${name}=${other} npm start`;
  }
  if (code === 'EACCES') {
    return `This user may not open port ${port} (ports below 1024 need more rights). Choose another: ${name}=8080 npm start`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `This machine has no address ${host}. Set HOST to one that it has; 0.0.0.0 means all.`;
  }
  return `Port ${port} on ${host} cannot be opened: ${code}.`;
}
