import { utcDay } from '@lontar/shared/event-counts.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { uploadLimitReachedSchema, uploadLimitSchema } from '@lontar/shared/utility-answers.ts';
import type { z } from 'zod';

const DAY_MS = 86_400_000;

export type UploadLimit =
  | { readonly status: 200; readonly body: z.infer<typeof uploadLimitSchema> }
  | { readonly status: 429; readonly body: z.infer<typeof uploadLimitReachedSchema>; readonly resetAt: number };

/**
 * How many uploads the caller has left today.
 *
 * @throws when Redis fails
 */
export async function readUploadLimit(
  redis: Redis,
  { address, limit, now }: { readonly address: string; readonly limit: number; readonly now: number },
): Promise<UploadLimit> {
  const counted = Number((await redis.get(redisKeys.uploads(utcDay(now), address))) ?? 0);
  return uploadLimit(counted, limit, now);
}

/** The answer for a count of uploads. A count above the limit (it was lowered today) shows as it is. */
export function uploadLimit(used: number, limit: number, now: number): UploadLimit {
  const reset = (Math.floor(now / DAY_MS) + 1) * 86_400;
  if (used < limit) return { status: 200, body: { used, remaining: limit - used, limit, reset } };
  const message = `All ${limit} uploads of today are used. The count starts anew at 00:00 UTC.`;
  return { status: 429, body: { message, used, remaining: 0, limit }, resetAt: reset };
}
