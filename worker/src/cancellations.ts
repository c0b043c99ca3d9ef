import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { onTicks } from '@lontar/shared/ticks.ts';
import { LISTENER_ASK_MS } from '@lontar/shared/time-budget.ts';

/**
 * Listens for callers that have left. Every worker gets each; the one that has the job in work stops and settles it.
 * What is published while the connection is away is published again: the caller's gateway repeats it until the request
 * is settled.
 *
 * @param subscriber a connection of its own: it can do nothing else while it listens
 * @throws when Redis fails before it has confirmed the subscription
 */
export async function listenForCancellations(
  subscriber: Redis,
  cancel: (requestId: string) => void,
): Promise<{ stop(): void }> {
  // What becomes of upstreams is heard on the same connection.
  subscriber.on('message', (channel: string, requestId: string) => {
    if (channel === redisKeys.cancellations) cancel(requestId);
  });
  await subscriber.subscribe(redisKeys.cancellations);
  const stopAsking = onTicks(LISTENER_ASK_MS, () => void subscriber.ping().catch(() => undefined));
  return {
    stop() {
      stopAsking();
      subscriber.disconnect();
    },
  };
}
