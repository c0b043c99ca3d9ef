import { setTimeout as delay } from 'node:timers/promises';
import { nameRedisAway, RedisAwayError } from './redis-away.ts';
import type { Redis } from './redis-connection.ts';

/** How long a start goes on asking Redis, and the pause between two attempts, ms. */
const ASK_FOR_MS = 10_000;
const ASK_AGAIN_MS = 100;

/**
 * Asks Redis for what a part needs in order to start. A connection may be lost right after it was made, and what fails fast
 * is not sent again by itself; a service that is started together with its Redis, or while that restarts, waits for it.
 *
 * @param ask safe to repeat
 * @throws what `ask` throws where Redis is not away, or has been for ten seconds, or the connection was ended
 */
export async function askAtStart<Value>(redis: Redis, ask: () => Promise<Value>): Promise<Value> {
  const until = performance.now() + ASK_FOR_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isAway = nameRedisAway(error as Error) instanceof RedisAwayError;
      if (!isAway || redis.status === 'end' || performance.now() > until) throw error;
      await delay(ASK_AGAIN_MS);
    }
  }
}
