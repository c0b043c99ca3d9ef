import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { REDIS_USERS, type RedisUser, redisUserLines } from '../src/redis-users.ts';

/** The users of Lontar on a test's own Redis, whose nameless user stays, for the test to look around with. */
export interface TestUsers {
  /** Further arguments of redis-server. */
  readonly args: string[];
  /** The address for one of them. */
  urlOf(redisUrl: string, user: RedisUser): string;
}

export function testUsers(): TestUsers {
  const entries = REDIS_USERS.map((user) => [user, randomBytes(16).toString('hex')] as const);
  const passwords = Object.fromEntries(entries) as Record<RedisUser, string>;
  return {
    args: redisUserLines(passwords)
      .filter((line) => !line.startsWith('user default '))
      .flatMap((line) => `--${line}`.split(' ')),
    urlOf(redisUrl, user) {
      const url = new URL(redisUrl);
      url.username = user;
      url.password = passwords[user];
      return url.href;
    },
  };
}

/**
 * What Redis has refused its users since it was started, in words; each kind once.
 *
 * @param redisUrl for the nameless user
 * @throws when Redis fails
 */
export async function refusedByRedis(redisUrl: string): Promise<string[]> {
  const redis = new Redis(redisUrl, { retryStrategy: () => null });
  const log = (await redis.call('ACL', 'LOG', '128')) as (string | number)[][];
  redis.disconnect();
  return log.map((entry) => {
    const said = new Map(Array.from({ length: entry.length / 2 }, (_, at) => [entry[at * 2], entry[at * 2 + 1]]));
    return ['username', 'reason', 'context', 'object'].map((name) => String(said.get(name))).join(' ');
  });
}
