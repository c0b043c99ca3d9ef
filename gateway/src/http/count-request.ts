import type { Response } from 'express';
import { admit } from '../admission/admit.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { refusalFor } from '../admission/refusal.ts';
import { type GenerateDeps, unavailable } from '../generation/generate.ts';
import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Counts a request that is no generation under its address, and notes the rate-limit headers.
 *
 * @returns the refusal where the address may not make it, or Redis cannot be asked
 */
export async function countRequest(
  deps: GenerateDeps,
  context: RequestContext,
  response: Response,
): Promise<Answer | undefined> {
  try {
    const { id, address, addressBits } = context;
    const admission = await admit(deps.redis, deps.rules, { mode: 'count', requestId: id, address, addressBits });
    response.set(rateLimitHeaders(admission));
    return refusalFor(admission, undefined);
  } catch (error) {
    deps.onRedisFailure(error);
    return unavailable();
  }
}
