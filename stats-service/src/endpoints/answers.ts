import { type HttpAnswer, success } from '@lontar/shared/http/envelope.ts';
import { writeSpentUploads } from '@lontar/shared/inner-headers.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { readUploadLimit } from './check-limit.ts';
import { judgeHealth } from './judge-health.ts';
import { type HealthDeps, readHealth } from './read-health.ts';
import { readServiceStats } from './service-stats.ts';
import { readUsage } from './usage.ts';

interface ReadDeps {
  readonly redis: Redis;
  readonly clock: RedisClock;
}

/*
 * The four open endpoints under `/api/`; the gateway has counted the caller's window already. Each rejects when Redis fails
 * (`RedisAwayError` where it is away), but for health, which says so.
 */

/**
 * `/api/usage`.
 *
 * @throws when Redis fails
 */
export async function answerUsage({ redis, clock }: ReadDeps): Promise<HttpAnswer> {
  return success(await readUsage(redis, clock.now()));
}

/**
 * `/api/stats`.
 *
 * @throws when Redis fails
 */
export async function answerStats({ redis }: Pick<ReadDeps, 'redis'>): Promise<HttpAnswer> {
  return success(await readServiceStats(redis));
}

export async function answerHealth(deps: HealthDeps): Promise<HttpAnswer> {
  const health = judgeHealth(await readHealth(deps));
  const isDown = health.status === 'down';
  return { status: isDown ? 503 : 200, headers: isDown ? { 'retry-after': '5' } : {}, body: health };
}

/**
 * `/api/check-limit`: the caller's uploads of today.
 *
 * @throws when Redis fails
 */
export async function answerUploadLimit(
  { redis, clock, uploadsPerDay }: ReadDeps & { readonly uploadsPerDay: number },
  address: string,
): Promise<HttpAnswer> {
  const answer = await readUploadLimit(redis, { address, limit: uploadsPerDay, now: clock.now() });
  if (answer.status === 200) return answer;
  const { status, body, resetAt } = answer;
  // Of the headers of limits the gateway makes all, Retry-After too, so that they agree.
  return { status, headers: writeSpentUploads({ used: body.used, limit: body.limit, resetAt }), body };
}
