import type { Response } from 'express';
import { type Count, type CountDeps, countCaller } from '../admission/check-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import type { RequestContext } from '../envelope/request-context.ts';

/** Counts a request that is no generation under its address, and notes the rate-limit headers. Never rejects. */
export async function countRequest(deps: CountDeps, context: RequestContext, response: Response): Promise<Count> {
  const count = await countCaller(deps, context);
  if (count.admission) response.set(rateLimitHeaders(count.admission));
  return count;
}
