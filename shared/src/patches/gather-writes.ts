import type { Redis } from 'ioredis';

/** Commands that are written together at most. */
const MOST_GATHERED = 32;

const senders = new WeakMap<Redis, () => void>();

/**
 * Writes what a connection has gathered, for one who knows that nothing else of this turn is to come: at the end of a turn the
 * next chance would be the end of the next one.
 */
export function writeGathered(redis: Redis): void {
  senders.get(redis)?.();
}

/**
 * Runs it when what was sent in this turn of the event loop is with the system's kernel, which delivers it whatever becomes of this
 * process. Never, where the connection is not ready, or takes no more.
 *
 * @param run must not throw
 */
export function afterWriting(redis: Redis, run: () => void): void {
  setImmediate(() => {
    if (redis.status === 'ready' && redis.stream.writableLength === 0) run();
  });
}

/**
 * Sends what one turn of the event loop writes with one system call instead of one per command; Redis then reads and
 * answers it together, too. ioredis's own pipelining does the same at several times the cost.
 *
 * Patches `stream.write` of each new connection: checked with ioredis 6.0.0, which writes every command by it, at once.
 * gather-writes.int.test.ts fails where it no longer does.
 */
export function gatherWrites(redis: Redis): void {
  redis.on('connect', () => {
    const { stream } = redis;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    let gathered = 0;
    const send = () => {
      if (gathered === 0) return;
      gathered = 0;
      stream.uncork();
    };
    senders.set(redis, send);
    const gather = (...args: unknown[]) => {
      if (gathered === 0) {
        stream.cork();
        setImmediate(send);
      }
      gathered++;
      const hasRoom = write(...args);
      // A turn in which thousands of requests arrive lasts long; Redis shall work meanwhile.
      if (gathered % MOST_GATHERED === 0) {
        stream.uncork();
        stream.cork();
      }
      return hasRoom;
    };
    stream.write = gather;
  });
}
