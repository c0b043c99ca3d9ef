import type { Redis } from '@lontar/shared/redis-connection.ts';

/**
 * Makes a connection anew whenever another one to the same Redis was lost. Where a host dies, both are dead; one without a
 * command on its way would learn it only seconds after its next one, in which it waits for jobs and hears of none.
 *
 * Ends `stream` of a connection, after which ioredis connects again and repeats what had no reply: checked with ioredis
 * 6.0.0. renew-together.int.test.ts fails where it no longer does.
 *
 * Never throws.
 */
export function renewTogether(watched: Redis, renewed: Redis): void {
  // BullMQ waits for the first `ready` of its connection, and would not hear of a second try.
  let hasServed = renewed.status === 'ready';
  renewed.on('ready', () => {
    hasServed = true;
  });
  watched.on('close', () => {
    // One that is being made anew may hang in its first commands, too: it goes where the lost one went. While it connects it
    // has a time limit of its own.
    const mayHang = renewed.status === 'ready' || renewed.status === 'connect';
    if (hasServed && mayHang) renewed.stream.destroy();
  });
}
