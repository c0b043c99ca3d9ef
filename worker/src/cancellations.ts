import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';

/** A connection that only listens asks nothing, so a dead one would never be noticed; this asks, ms. */
const ASK_MS = 1_000;

/**
 * Listens for callers that have left. Every worker hears of each; the one that has the job in work stops it.
 *
 * @param subscriber a connection of its own: it can do nothing else while it listens
 */
export async function listenForCancellations(
  subscriber: Redis,
  cancel: (requestId: string) => void,
): Promise<{ stop(): void }> {
  subscriber.on('message', (_channel: string, requestId: string) => cancel(requestId));
  await subscriber.subscribe(redisKeys.cancellations);
  const timer = setInterval(() => void subscriber.ping().catch(() => undefined), ASK_MS);
  return {
    stop() {
      clearInterval(timer);
      subscriber.disconnect();
    },
  };
}
