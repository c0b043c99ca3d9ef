import type { Redis } from '../src/redis-connection.ts';

/** As admit.lua writes it. */
const FILL = `redis.call('RPUSH', KEYS[1], struct.pack('>I4dI4d', ARGV[1], 0, ARGV[1], ARGV[2]))`;

/** Makes a sliding window hold so many requests, all of this second. */
export async function fillWindow(redis: Redis, window: string, requests: number): Promise<void> {
  const [seconds] = await redis.time();
  await redis.del(window);
  await redis.eval(FILL, 1, window, String(seconds), requests);
}
