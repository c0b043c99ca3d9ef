import type { Response } from 'express';
import { type Admission, admit } from '../admission/admit.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { refusalFor } from '../admission/refusal.ts';
import { type GenerateDeps, unavailable } from '../generation/generate.ts';
import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';

/** How long a request that is not counted waits for its rate-limit headers, ms. */
const LOOK_MS = 150;

/** What came of counting; where Redis could not be asked, there is a refusal alone. */
export interface Count {
  readonly admission?: Admission;
  readonly refusal?: Answer | undefined;
}

/**
 * Notes the rate-limit headers of a request that no limit counts or refuses; where Redis does not answer at once, it goes
 * on without them: it may be there to tell that.
 */
export async function lookAtLimits(deps: GenerateDeps, context: RequestContext, response: Response): Promise<Count> {
  const { id, address, addressBits } = context;
  const looked = admit(deps.redis, deps.rules, { mode: 'look', requestId: id, address, addressBits });
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, LOOK_MS, undefined);
  });
  const admission = await Promise.race([looked, patience]).catch(deps.onRedisFailure);
  clearTimeout(timer);
  if (admission) response.set(rateLimitHeaders(admission));
  return {};
}

/**
 * Counts a request that is no generation under its address, and notes the rate-limit headers.
 *
 * @returns with a refusal where the address may not make it, or Redis cannot be asked
 */
export async function countRequest(deps: GenerateDeps, context: RequestContext, response: Response): Promise<Count> {
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
