import type { Duplex } from 'node:stream';
import type { Redis } from 'ioredis';

/** The end of a connection's wait, in which this process reads again after a stall, ms. */
const LAST_LOOK_MS = 150;

interface Listening {
  readonly stream: Duplex;
  readonly commandQueue: { readonly length: number };
  socketTimeoutTimer: NodeJS.Timeout | undefined;
  setSocketTimeout(): void;
}

/**
 * Ends a connection on which no byte of a reply has come within `socketTimeout`, as ioredis does, with one difference: a
 * stall of this process or of its machine is no silence of Redis. ioredis has one timer, which is due before anything is
 * read; after a stall as long as the wait it destroyed connections whose replies had arrived, and every request in flight
 * was refused. Here a second, short wait begins when the first is over, and what has come is read in it.
 *
 * Replaces `setSocketTimeout` and uses `socketTimeoutTimer`, `stream` and `commandQueue`: checked with ioredis 6.0.0.
 * socket-silence.int.test.ts fails where connections end another way.
 */
export function forgiveStalls(redis: Redis): void {
  const waitMs = redis.options.socketTimeout;
  if (waitMs === undefined) return;
  const listening = redis as unknown as Listening;
  listening.setSocketTimeout = () => {
    const { stream } = listening;
    const giveUp = () => {
      listening.socketTimeoutTimer = undefined;
      stream.destroy(new Error(`Socket timeout. Expecting data, but didn't receive any in ${waitMs}ms.`));
    };
    const lookAgain = () => {
      listening.socketTimeoutTimer = setTimeout(giveUp, LAST_LOOK_MS);
    };
    listening.socketTimeoutTimer = setTimeout(lookAgain, waitMs - LAST_LOOK_MS);
    stream.once('data', () => {
      clearTimeout(listening.socketTimeoutTimer);
      listening.socketTimeoutTimer = undefined;
      if (listening.commandQueue.length > 0) listening.setSocketTimeout();
    });
  };
}
