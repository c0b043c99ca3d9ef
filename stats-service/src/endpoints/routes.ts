import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import { writeSpentUploads } from '@lontar/shared/inner-headers.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type Answer, type Route, success } from '../routes.ts';
import { readUploadLimit } from './check-limit.ts';
import { judgeHealth } from './judge-health.ts';
import { type HealthDeps, readHealth } from './read-health.ts';
import { readServiceStats } from './service-stats.ts';
import { readUsage } from './usage.ts';

export interface EndpointDeps extends HealthDeps {
  readonly redis: Redis;
  readonly queue: GenerationQueue;
  readonly uploadsPerDay: number;
}

/**
 * The four open endpoints under `/api/`; the gateway has counted the caller's window already.
 *
 * @throws nothing itself; the handlers, but that of health, reject when Redis fails
 */
export function endpointRoutes(deps: EndpointDeps): Route[] {
  return [
    { method: 'GET', path: '/api/usage', handle: async () => success(await readUsage(deps.redis, Date.now())) },
    { method: 'GET', path: '/api/stats', handle: async () => success(await readServiceStats(deps.redis, Date.now())) },
    { method: 'GET', path: '/api/health', handle: () => answerHealth(deps) },
    { method: 'GET', path: '/api/check-limit', handle: ({ address }) => answerUploadLimit(deps, address) },
  ];
}

async function answerHealth(deps: HealthDeps): Promise<Answer> {
  const health = judgeHealth(await readHealth(deps));
  return { status: health.status === 'down' ? 503 : 200, headers: retryHeader(health.status), body: health };
}

function retryHeader(status: string): Record<string, string> {
  return status === 'down' ? { 'retry-after': '5' } : {};
}

async function answerUploadLimit({ redis, uploadsPerDay }: EndpointDeps, address: string): Promise<Answer> {
  const answer = await readUploadLimit(redis, { address, limit: uploadsPerDay, now: Date.now() });
  if (answer.status === 200) return answer;
  const { status, body, resetAt } = answer;
  // Of the headers of limits the gateway makes all, Retry-After too, so that they agree.
  return { status, headers: writeSpentUploads({ used: body.used, limit: body.limit, resetAt }), body };
}
