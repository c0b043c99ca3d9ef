import type { Redis } from '@lontar/shared/redis-connection.ts';

/**
 * What may be wrong with a Redis that is not ours, each with what to do. Never rejects: a Redis that does not say is
 * left out.
 */
export async function redisWarnings(redis: Redis): Promise<string[]> {
  const warnings: string[] = [];
  const policy = await redisSetting(redis, 'maxmemory-policy');
  if (policy !== undefined && policy !== 'noeviction') {
    warnings.push(
      `Redis drops data when its memory is full (maxmemory-policy ${policy}): jobs and keys can get lost. Set: CONFIG SET maxmemory-policy noeviction`,
    );
  }
  if ((await redisSetting(redis, 'appendonly')) === 'no') {
    warnings.push(
      'Redis keeps no append-only file: a crash loses the last minutes, new keys included. Set: CONFIG SET appendonly yes',
    );
  }
  return warnings;
}

/**
 * One setting of Redis, or `undefined` where it does not say (managed services often forbid CONFIG). Never rejects: a
 * Redis that fails does not say either.
 */
export async function redisSetting(redis: Redis, name: string): Promise<string | undefined> {
  const reply = (await redis.config('GET', name).catch(() => [])) as string[];
  return reply[1];
}
