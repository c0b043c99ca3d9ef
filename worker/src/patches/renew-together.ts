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
  watched.on('close', () => {
    // One that is being made may hang, too: it goes where the lost one went.
    renewed.stream?.destroy();
  });
}
