import { promotedAt } from '@lontar/shared/clock-correction.ts';
import type { RedisClock, RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { onTicks } from '@lontar/shared/ticks.ts';
import { LOCK_ENDING_ABSENCE_MS, PRESENCE_ASK_MS, REDIS_AWAY_MS } from '@lontar/shared/time-budget.ts';

/** Whether Redis answers, and since when. */
export interface RedisPresence {
  /** When Redis came back, by its own clock: it is in the future while Redis is away, and 0 where it never was. */
  returnedAt(): RedisTime;
  /**
   * The same of absences that were long enough to end locks, without the times in which this process itself stood still:
   * those say nothing of Redis.
   */
  outageEndedAt(): RedisTime;
  /**
   * When the server became the primary in the place of another one, 0 where it did not. That may take less time than an
   * absence that is noticed here, and lose the withdrawal of a request all the same.
   */
  promotedAt(): RedisTime;
  stop(): void;
}

/**
 * Calls Redis all the time: a connection that survives an outage does not show that there was one.
 *
 * @param redis a patient connection, connected
 */
export function watchPresence(redis: Redis, clock: RedisClock): RedisPresence {
  let answeredAt = performance.now();
  let returnedAt = 0 as RedisTime;
  let outageEndedAt = 0 as RedisTime;
  let awakeAt = performance.now();
  let stoodStillAt = 0;
  let asking = false;
  const noteAwake = (now: number) => {
    if (now - awakeAt > REDIS_AWAY_MS) stoodStillAt = now;
    awakeAt = now;
  };
  const stop = onTicks(PRESENCE_ASK_MS, () => {
    noteAwake(performance.now());
    if (asking) return;
    asking = true;
    redis.ping().then(
      () => {
        const now = performance.now();
        noteAwake(now);
        const awayMs = now - answeredAt;
        if (awayMs > REDIS_AWAY_MS) returnedAt = clock.now();
        if (awayMs > LOCK_ENDING_ABSENCE_MS && stoodStillAt < answeredAt) outageEndedAt = clock.now();
        answeredAt = now;
        asking = false;
      },
      () => {
        asking = false;
      },
    );
  });
  return {
    returnedAt: () =>
      performance.now() - answeredAt > REDIS_AWAY_MS ? (Number.POSITIVE_INFINITY as RedisTime) : returnedAt,
    outageEndedAt: () => outageEndedAt,
    promotedAt: () => promotedAt(redis) as RedisTime,
    stop,
  };
}
