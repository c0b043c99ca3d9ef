import type { RedisTime } from '../src/redis-clock.ts';

/** A moment by the clock of the test's own Redis, which runs on this machine and so agrees with it. */
export function redisTime(ms: number = Date.now()): RedisTime {
  return ms as RedisTime;
}
