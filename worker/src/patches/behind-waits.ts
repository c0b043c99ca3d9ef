import type { Redis } from '@lontar/shared/redis-connection.ts';

/** What of ioredis's connections has no type. */
interface Waiting {
  bzpopmin: (...args: unknown[]) => Promise<unknown>;
  readonly prevCommandQueue?: {
    readonly length: number;
    peekAt(index: number): { readonly command: { readonly name: string; reject(error: Error): void } } | undefined;
    remove(index: number, count: number): unknown;
  } | null;
}

/**
 * Lets a script be sent right behind each command of a connection that waits for a marker: Redis reads both at once, and runs
 * the script when the wait is over. A connection that breaks sends the command again when it is made anew, but not the script,
 * which fails: it was meant for the server that it was sent to, and may have run there.
 *
 * Replaces `bzpopmin`, by which BullMQ 6.7.0 waits, and takes scripts out of what ioredis 6.0.0 keeps to send again
 * (`prevCommandQueue`). behind-waits.int.test.ts fails where either goes another way.
 *
 * @param sendBehind called right after a wait was sent; sends scripts by `evalsha`, at once
 */
export function afterEachWait(redis: Redis, sendBehind: () => void): void {
  const waiting = redis as unknown as Waiting;
  const wait = waiting.bzpopmin.bind(redis);
  waiting.bzpopmin = (...args) => {
    const popped = wait(...args);
    sendBehind();
    return popped;
  };
  redis.on('close', () => {
    const kept = waiting.prevCommandQueue;
    for (let index = (kept?.length ?? 0) - 1; index >= 0; index--) {
      const command = kept?.peekAt(index)?.command;
      if (command?.name !== 'evalsha') continue;
      kept?.remove(index, 1);
      command.reject(new Error('The connection was lost.'));
    }
  });
}
