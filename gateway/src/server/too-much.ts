import type { DoorBound } from '@lontar/shared/gateway-metrics.ts';
import { holdYoungGeneration } from '@lontar/shared/patches/young-generation.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import { showBytes } from '@lontar/shared/show-bytes.ts';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { TooMuch } from './body-budget.ts';

/** What was too much, in the words for a caller whose own address has it. */
const OF_ADDRESS = {
  connections: (limit) =>
    `Your address has ${limit} connections open, which is the limit. Close some, or use them again.`,
  requests: (limit) => `Your address has ${limit} requests under way, which is the limit. Wait until one is answered.`,
  bodies: (limit) =>
    `Your address is sending ${limit} request bodies at once, which is the limit. Wait until one has come.`,
  bytes: (limit) =>
    `Your address is sending request bodies of more than ${showBytes(limit)} at once, which is the limit. Send them one after the other.`,
} as const satisfies Record<DoorBound, (limit: number) => string>;

/** Soon is soon enough: what is counted here is what happens now. */
const RETRY_SECONDS = 1;

/**
 * The answer for a caller who has too much open or under way: 429 where it is its own address, 503 where it is all. While
 * there are such callers, memory does not grow for what they send.
 *
 * @param limit of one address
 */
export function refuseTooMuch(of: TooMuch, what: DoorBound, limit: number, now: RedisTime): Answer {
  holdYoungGeneration();
  const headers = { 'Retry-After': String(RETRY_SECONDS) };
  if (of === 'all') return refuse('service_unavailable', { headers });
  return refuse('too_many_requests', {
    message: OF_ADDRESS[what](limit),
    headers: {
      ...headers,
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(Math.floor(now / 1000) + RETRY_SECONDS),
    },
    record: { used: limit, remaining: 0, limit },
  });
}
