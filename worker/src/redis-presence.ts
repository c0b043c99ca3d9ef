import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';

const ASK_MS = 250;
/** Without an answer for so long, Redis counts as away, ms: gateways wait as long before they refuse a request. */
const AWAY_MS = 800;

/** Whether Redis answers, and since when. */
export interface RedisPresence {
  /** When Redis came back, Unix ms by its own clock: it is in the future while Redis is away, and 0 where it never was. */
  returnedAt(): number;
  stop(): void;
}

/**
 * Asks Redis all the time: connections that survive an outage tell nobody that there was one.
 *
 * @param redis a patient connection, connected
 */
export function watchPresence(redis: Redis, clock: RedisClock): RedisPresence {
  let heardAt = performance.now();
  let returnedAt = 0;
  let asking = false;
  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    redis.ping().then(
      () => {
        const now = performance.now();
        if (now - heardAt > AWAY_MS) returnedAt = clock.now();
        heardAt = now;
        asking = false;
      },
      () => {
        asking = false;
      },
    );
  }, ASK_MS);
  return {
    returnedAt: () => (performance.now() - heardAt > AWAY_MS ? Number.POSITIVE_INFINITY : returnedAt),
    stop: () => clearInterval(timer),
  };
}
