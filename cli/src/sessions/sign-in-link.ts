import { createHash, randomBytes } from 'node:crypto';
import { MOST_SIGN_IN_CODES, operatorKeys } from '@lontar/shared/operator-sessions.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';

/** How long a sign-in link works, seconds. */
export const SIGN_IN_SECONDS = 600;
const CODE_BYTES = 24;

/**
 * A link that signs the operator in to the dashboard, once. So many of them are good at once that no operator misses
 * one. Redis holds only the hash of its code, which the dashboard takes out when it redeems the code.
 *
 * @throws when Redis fails
 */
export async function signInLink(redis: Redis, baseUrl: string): Promise<string> {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const digest = createHash('sha256').update(code).digest('hex');
  const [seconds] = await redis.time();
  const codes = operatorKeys.signInCodes;
  await redis
    .multi()
    .zremrangebyscore(codes, '-inf', `${seconds}000`)
    .zadd(codes, (Number(seconds) + SIGN_IN_SECONDS) * 1_000, digest)
    .zremrangebyrank(codes, 0, -MOST_SIGN_IN_CODES - 1)
    .expire(codes, SIGN_IN_SECONDS)
    .exec();
  return `${baseUrl}/?code=${code}`;
}
