import type { Response } from 'express';
import { type Admission, admit } from '../admission/admit.ts';
import type { CountDeps } from '../admission/check-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { refusalFor } from '../admission/refusal.ts';
import { type Answer, unavailable } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';

/** What came of counting; where Redis could not be asked, there is a refusal alone. */
export interface Count {
  readonly admission?: Admission;
  readonly refusal?: Answer | undefined;
}

/**
 * Counts a request that is no generation under its address, and notes the rate-limit headers. Never rejects.
 *
 * @returns with a refusal where the address may not make it, or Redis fails
 */
export async function countRequest(deps: CountDeps, context: RequestContext, response: Response): Promise<Count> {
  try {
    const { id, address, addressBits } = context;
    const admission = await admit(deps.redis, deps.rules, { mode: 'count', requestId: id, address, addressBits });
    response.set(rateLimitHeaders(admission));
    return { admission, refusal: refusalFor(admission, undefined) };
  } catch (error) {
    deps.onRedisFailure(error);
    return { refusal: unavailable() };
  }
}
