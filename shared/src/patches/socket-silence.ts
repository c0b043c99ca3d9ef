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
 * Ends a connection on which no byte of a reply has come within `socketTimeout`, as ioredis does, with two differences. A
 * stall of this process or of its machine is no silence of Redis. ioredis has one timer, which is due before anything is
 * read; after a stall as long as the wait it destroyed connections whose replies had arrived, and every request in flight
 * was refused. Here a second, short wait begins when the first is over, and what has come is read in it. And there is one
 * listener for each connection, instead of a new one and a new timer for each reply.
 *
 * Replaces `setSocketTimeout` and uses `socketTimeoutTimer`, `stream` and `commandQueue`: checked with ioredis 6.0.0.
 * socket-silence.int.test.ts fails where connections end another way.
 */
export function forgiveStalls(redis: Redis): void {
  if (redis.options.socketTimeout === undefined) return;
  const waitMs: number = redis.options.socketTimeout;
  const listening = redis as unknown as Listening;
  /** When Redis was last heard, or first asked since it had answered everything. */
  let heardAt = 0;

  function wait(): void {
    const restMs = waitMs - LAST_LOOK_MS - (performance.now() - heardAt);
    listening.socketTimeoutTimer = setTimeout(look, Math.max(0, restMs), heardAt);
  }

  /** @param before when Redis had been heard when this wait began */
  function look(before: number): void {
    if (heardAt !== before) wait();
    else listening.socketTimeoutTimer = setTimeout(lookLast, LAST_LOOK_MS, before);
  }

  function lookLast(before: number): void {
    if (heardAt !== before) wait();
    else giveUp();
  }

  function giveUp(): void {
    listening.socketTimeoutTimer = undefined;
    listening.stream.destroy(new Error(`Socket timeout. Expecting data, but didn't receive any in ${waitMs}ms.`));
  }

  listening.setSocketTimeout = () => {
    heardAt = performance.now();
    wait();
  };
  redis.on('connect', () => {
    // Called behind ioredis's own listener, which has taken the answered commands out of the queue.
    listening.stream.on('data', () => {
      heardAt = performance.now();
      if (listening.commandQueue.length > 0) return;
      clearTimeout(listening.socketTimeoutTimer);
      listening.socketTimeoutTimer = undefined;
    });
  });
}
