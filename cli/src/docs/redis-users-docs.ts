import { REDIS_USERS, type RedisUser, redisUserLines } from '@lontar/shared/redis-users.ts';

/**
 * `deploy/redis/users.conf`: the users of Redis for what makes its secrets by a shell, with a mark such as `@gateway@`
 * where the digest of a password comes.
 */
export function redisUsersTemplate(): string {
  const marks = Object.fromEntries(REDIS_USERS.map((user) => [user, user])) as Record<RedisUser, string>;
  const lines = redisUserLines(marks).map((line) =>
    line.replace(/^user ([a-z-]+) on #[0-9a-f]{64} /, 'user $1 on #@$1@ '),
  );
  return `${lines.join('\n')}\n`;
}
