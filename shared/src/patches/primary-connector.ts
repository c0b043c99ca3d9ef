import { connect as connectPlainly } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import { noteNode } from '../primary/node-of.ts';
import { NoPrimaryError } from '../primary/primary-error.ts';
import { type RedisNode, showNode } from '../primary/redis-address.ts';
import type { RedisTls } from '../primary/redis-tls.ts';

type Connector = NonNullable<RedisOptions['Connector']>;

const ASK_AGAIN_MS = 200;

/**
 * Makes connections to the primary that is found anew for each of them: by Sentinels, or in a cluster.
 *
 * ioredis's own connector for Sentinels can end a connection for ever: news of a failover that come while it asks for
 * the primary make it give up, and a connection that was given up is never made again. This one asks until it is told to
 * stop. Its connector for clusters is another class, which neither BullMQ's worker nor our patches take.
 *
 * Stands in for connectors of ioredis 6.0.0: `connect` gives a stream, `check` judges the answer to INFO.
 * primary-connector.int.test.ts fails where they are used another way.
 *
 * @param find asks for the primary; what it throws is given to listeners of `error`
 * @param isOnce whether a primary that cannot be found ends the connection
 */
export function primaryConnector(
  find: () => Promise<RedisNode>,
  tls: RedisTls | undefined,
  isOnce: boolean,
): Connector {
  class PrimaryConnector extends AbstractConnector {
    #emit: (type: string, error: Error) => void = () => undefined;
    #node: RedisNode | undefined;
    /** Which call of `connect` is the latest: an earlier one that is still asking gives up. */
    #turn = 0;

    // oxlint-disable-next-line no-useless-constructor -- its base takes a number.
    constructor(options: unknown) {
      super((options as { disconnectTimeout: number }).disconnectTimeout);
    }

    override async connect(emit: (type: string, error: Error) => void): ReturnType<AbstractConnector['connect']> {
      this.connecting = true;
      this.#emit = emit;
      const turn = ++this.#turn;
      const node = await this.#ask(turn);
      if (!this.connecting || turn !== this.#turn) throw new Error('Connection is closed.');
      this.#node = node;
      const { host, port } = node;
      const stream = tls ? connectSecurely({ host, port, ...tls }) : connectPlainly({ host, port });
      noteNode(stream, node);
      stream.once('error', (error) => {
        this.firstError = error;
      });
      this.stream = stream;
      return stream;
    }

    override check(info: { role?: string }): boolean {
      if (info.role === undefined || info.role === 'master') return true;
      this.#emit(
        'error',
        new NoPrimaryError(`${showNode(this.#node as RedisNode)} is a replica and not the primary yet.`),
      );
      return false;
    }

    async #ask(turn: number): Promise<RedisNode> {
      for (;;) {
        try {
          return await find();
        } catch (error) {
          if (isOnce || !this.connecting || turn !== this.#turn) throw error;
          this.#emit('error', error as Error);
          await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
        }
      }
    }
  }
  return PrimaryConnector;
}
