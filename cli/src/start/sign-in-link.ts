import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';

/** How long a sign-in link works, seconds. */
export const SIGN_IN_SECONDS = 600;
const CODE_BYTES = 24;

/**
 * A link that signs the operator in to the dashboard, once. Redis holds only the hash of its code, which the dashboard
 * takes out when it redeems the code.
 */
export async function signInLink(redis: Redis, baseUrl: string): Promise<string> {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const digest = createHash('sha256').update(code).digest('hex');
  await redis.set(redisKeys.stats(`sign-in:${digest}`), '1', 'EX', SIGN_IN_SECONDS);
  return `${baseUrl}/?code=${code}`;
}
