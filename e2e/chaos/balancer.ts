import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const LOOK_MS = 250;

interface Target {
  readonly url: string;
  readonly probe: string;
  ready: boolean;
}

export interface Balancer {
  readonly url: string;
  /** Adds a gateway; it gets requests once its readiness is green, and none while it is red. */
  add(url: string, probe: string): void;
  stop(): Promise<void>;
}

/**
 * A balancer as they are: it looks at readiness now and then, keeps connections alive, honours `Connection: close`, and
 * tries another gateway only where no connection came about, because a request that was sent may have been done.
 */
export async function startBalancer(): Promise<Balancer> {
  const targets: Target[] = [];
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const look = async (target: Target) => {
    const response = await fetch(target.probe).catch(() => undefined);
    target.ready = response?.status === 200;
  };
  const timer = setInterval(() => void Promise.all(targets.map(look)), LOOK_MS);

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, tried: readonly Target[]) => {
    const ready = targets.filter((target) => target.ready && !tried.includes(target));
    const target = ready[turn++ % ready.length];
    if (!target) return void outgoing.writeHead(502).end();
    const { connection: _connection, ...headers } = incoming.headers;
    const sent = request(new URL(incoming.url ?? '/', target.url), { agent, method: incoming.method, headers });
    sent.on('response', (response) => {
      const { connection: _hop, ...kept } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, kept);
      response.pipe(outgoing);
      response.on('error', () => outgoing.destroy());
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') forward(incoming, outgoing, [...tried, target]);
      else outgoing.destroy();
    });
    sent.end();
  };
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing, []));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(url, probe) {
      const target = { url, probe, ready: false };
      targets.push(target);
      void look(target);
    },
    async stop() {
      clearInterval(timer);
      agent.destroy();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
