import { type Admission, type AdmissionInput, admit } from '../admission/admit.ts';
import type { CheckKeyDeps } from '../admission/check-key.ts';
import { keyToJudge } from '../admission/key-to-judge.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { refusalFor } from '../admission/refusal.ts';
import { isCrossSite } from '../caller/cross-site.ts';
import { type Answer, unavailable } from '../envelope/answer.ts';
import type { PresentedKey, RequestContext } from '../envelope/request-context.ts';
import type { Turnstile } from './turnstile.ts';

export interface JudgeDeps extends CheckKeyDeps {
  /** Where bursts wait for their turn with Redis. */
  readonly turnstile: Turnstile;
}

/**
 * Judges a request by its head, before its body is read: the address, and the key where head or query name one. Nothing
 * is counted of a request that may go on, because it is asked about again when its body is here.
 *
 * @returns the refusal, which counts for the hour of the address as any other
 */
export function foreseeRefusal(deps: JudgeDeps, context: RequestContext): Promise<Answer | undefined> {
  return judge(deps, context, 'foresee', (_admission, refusal) => refusal);
}

/**
 * Counts a request that is refused for its body, and judges its key by the way: a caller who tries keys with bodies
 * that cannot be read gets the answer about the key.
 */
export function refuseForBody(deps: JudgeDeps, context: RequestContext, problem: Answer): Promise<Answer> {
  return judge(deps, context, 'check', (admission, refusal) => {
    if (refusal) return refusal;
    const keyId = keyOfHead(context)?.id;
    const owner = admission.genuineKey && keyId !== undefined ? { keyId } : {};
    const headers = { ...rateLimitHeaders(admission), ...problem.headers };
    return { ...problem, headers, report: { ...problem.report, ...owner } };
  });
}

async function judge<Result>(
  deps: JudgeDeps,
  context: RequestContext,
  how: 'foresee' | 'check',
  conclude: (admission: Admission, refusal: Answer | undefined) => Result,
): Promise<Result | Answer> {
  const presented = keyOfHead(context);
  const { id: requestId, address, addressBits } = context;
  const common = { requestId, address, addressBits, isCrossSite: isCrossSite(context.headers) };
  try {
    const input: AdmissionInput = { ...common, ...howToJudge(deps, presented, how) };
    const admission = await deps.turnstile.pass(() => admit(deps.redis, deps.rules, input));
    if (admission === undefined) return unavailable();
    return conclude(admission, refusalFor(admission, presented?.id));
  } catch (error) {
    deps.onRedisFailure(error);
    return unavailable();
  }
}

function howToJudge(
  { pepper }: Pick<CheckKeyDeps, 'pepper'>,
  presented: PresentedKey | undefined,
  how: 'foresee' | 'check',
): Pick<AdmissionInput, 'mode' | 'key'> {
  if (presented === undefined) return { mode: how === 'foresee' ? how : 'count' };
  const key = keyToJudge(presented, pepper);
  return key === undefined ? { mode: 'bad-key' } : { mode: how, key };
}

/** The key that query or headers name. One of several is none: the body's reader refuses them. */
function keyOfHead({ key }: RequestContext): PresentedKey | undefined {
  return key.kind === 'presented' ? key.key : undefined;
}
