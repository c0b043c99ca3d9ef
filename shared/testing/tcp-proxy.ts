import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * What the proxy does with what it is given.
 *
 * - `pass`: hands it on.
 * - `hold`: hands on nothing, accepts everything; what was held arrives when it passes again (a network that drops
 *   packets for a while and then sends them again).
 * - `lose`: as `hold`, but connections that were open then are dead for ever, and neither end notices (a host that died,
 *   a forgotten NAT entry).
 */
type ProxyMode = 'pass' | 'hold' | 'lose';

/**
 * What becomes of a piece of a request on its way to the server. `cut before` and `cut after` end the connection, before the
 * server has the piece, or once it has it and before it can answer; with the others the ends stay open.
 */
export type Verdict = 'pass' | 'swallow' | 'swallow reply' | 'cut before' | 'cut after';

export interface TcpProxy {
  readonly port: number;
  /**
   * @param ofWhom says by the first bytes of a connection whether it is meant, until the next call; all are by default
   */
  mode(next: ProxyMode, ofWhom?: (first: Buffer) => boolean): void;
  /** Judges each piece that a client sends, until it is replaced; by default all pass. */
  intercept(judge: (piece: Buffer) => Verdict): void;
  stop(): Promise<void>;
}

interface Link {
  readonly ends: readonly [Socket, Socket];
  /** Nothing goes either way any more. */
  dead: boolean;
  /** What the client sent first. */
  first?: Buffer;
  /** What it sent first, where that has to wait. */
  held?: Buffer;
}

/** Starts a TCP proxy before a server on the loopback interface. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let mode: ProxyMode = 'pass';
  let ofWhom: ((first: Buffer) => boolean) | undefined;
  let judge: (piece: Buffer) => Verdict = () => 'pass';
  const links = new Set<Link>();

  const server = createServer({ noDelay: true }, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    const link: Link = { ends: [client, target], dead: false };
    links.add(link);
    forward(link, client, target, (piece) => {
      if (link.first === undefined && isHeldAt(link, piece)) return 'swallow';
      return judge(piece);
    });
    forward(link, target, client, () => 'pass');
    if (mode !== 'pass' && !ofWhom) for (const end of link.ends) end.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  /** Whether the first piece of a connection has to wait; so does all that follows then. */
  function isHeldAt(link: Link, first: Buffer): boolean {
    link.first = first;
    if (mode === 'pass' || !ofWhom?.(first)) return false;
    link.held = first;
    for (const end of link.ends) end.pause();
    return true;
  }

  function isMeant({ first }: Link): boolean {
    return ofWhom === undefined || (first !== undefined && ofWhom(first));
  }

  function forward(link: Link, from: Socket, to: Socket, decide: (piece: Buffer) => Verdict): void {
    from.on('data', (piece: Buffer) => {
      if (link.dead) return;
      const verdict = decide(piece);
      if (verdict === 'cut before' || verdict === 'cut after') {
        link.dead = true;
        if (verdict === 'cut after') to.end(piece);
        else to.destroy();
        from.destroy();
        return;
      }
      if (verdict !== 'swallow') to.write(piece);
      if (verdict === 'swallow reply') link.dead = true;
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      // Whether an end has gone is news that travels the same way.
      if (!link.dead) to.destroy();
      if (link.ends.every((end) => end.destroyed)) links.delete(link);
    });
  }

  return {
    port: (server.address() as AddressInfo).port,
    mode(next, whom) {
      mode = next;
      ofWhom = next === 'pass' ? undefined : whom;
      for (const link of links) {
        if (!isMeant(link)) continue;
        if (next === 'lose') link.dead = true;
        if (next === 'pass' && link.held && !link.dead) {
          link.ends[1].write(link.held);
          delete link.held;
        }
        for (const end of link.ends) {
          if (next === 'pass' || link.dead) end.resume();
          else end.pause();
        }
      }
    },
    intercept(next) {
      judge = next;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const { ends } of links) for (const end of ends) end.destroy();
      await closed;
    },
  };
}
