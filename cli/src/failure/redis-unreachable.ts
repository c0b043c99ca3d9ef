import { describeRedis } from '@lontar/shared/primary/redis-address.ts';

/** Redis does not answer, or refuses us. The message names the address, never the password. */
export class RedisUnreachable extends Error {
  constructor(url: string, reason: string, advice: string) {
    super(`Redis at ${describeRedis(url)} cannot be used: ${reason} ${advice}`.trimEnd());
    this.name = 'RedisUnreachable';
  }
}
