import type { Redis } from '@lontar/shared/redis-connection.ts';

/**
 * The version of a Redis, `7.4.1`; of a Valkey `8.1.0 (Valkey)`, because the Redis version that it names as well stays
 * the same while what it writes changes.
 *
 * @throws when Redis fails
 */
export async function readRedisVersion(redis: Redis): Promise<string> {
  const about = await redis.info('server');
  const valkey = /^valkey_version:(\S+)/m.exec(about)?.[1];
  if (valkey !== undefined) return `${valkey} (Valkey)`;
  return /^redis_version:(\S+)/m.exec(about)?.[1] ?? 'unknown';
}
