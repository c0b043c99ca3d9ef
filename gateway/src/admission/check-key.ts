import type { Redis } from '@lontar/shared/redis-connection.ts';
import { isCrossSite } from '../caller/cross-site.ts';
import { NO_BEARER_MESSAGE, repeatedKeyMessage } from '../caller/identify.ts';
import { type Answer, refuse, unavailable } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { type Admission, type AdmissionRules, admit } from './admit.ts';
import { keyToJudge } from './key-to-judge.ts';
import { rateLimitHeaders } from './rate-limit.ts';
import { refusalFor } from './refusal.ts';

/** What it takes to count a request. */
export interface CountDeps {
  readonly redis: Redis;
  readonly rules: AdmissionRules;
  /** Called with each failure of Redis; must not flood the log. */
  readonly onRedisFailure: (error: unknown) => void;
}

/** What it takes to judge a key as well. */
export interface CheckKeyDeps extends CountDeps {
  /** `KEY_PEPPER`. */
  readonly pepper: string;
}

/** A caller whose key is genuine and active. */
export interface Caller {
  readonly keyId: string;
  readonly admission: Admission;
}

/**
 * Asks whether the caller's key is genuine and active; charges it nothing.
 *
 * @param mode `check` counts the request under the address, as all under `/api/` are; `judge` does not
 * @returns the caller, or the refusal
 */
export async function checkKey(
  deps: CheckKeyDeps,
  context: RequestContext,
  mode: 'check' | 'judge',
): Promise<Caller | Answer> {
  const problem = presentationProblem(context);
  // Where nothing is counted, there is nothing to ask about a key that was not given.
  if (problem && mode === 'judge') return problem;
  const key = context.key.kind === 'presented' ? keyToJudge(context.key.key, deps.pepper) : undefined;
  const keyId = key?.id;
  const admission = await ask(deps, context, { mode: problem ? 'count' : mode, ...(key && { key }) });
  if (admission === undefined) return unavailable();
  const refusal = refusalFor(admission, keyId);
  if (refusal) return refusal;
  const headers = rateLimitHeaders(admission);
  if (problem) return { ...problem, headers };
  return keyId === undefined ? refuse('invalid_api_key', { headers }) : { keyId, admission };
}

/** What came of counting; where Redis could not be asked, there is a refusal alone. */
export interface Count {
  /** How the address stands. */
  readonly admission?: Admission;
  readonly refusal?: Answer | undefined;
}

/**
 * Counts the request under its address, for a caller whose key is of no interest, or not known yet.
 *
 * @returns with a refusal where the address may not make it, or Redis cannot be asked
 */
export async function countCaller(deps: CountDeps, context: RequestContext): Promise<Count> {
  const admission = await ask(deps, context, { mode: 'count' });
  return admission === undefined
    ? { refusal: unavailable() }
    : { admission, refusal: refusalFor(admission, undefined) };
}

function presentationProblem({ key, protocol }: Pick<RequestContext, 'key' | 'protocol'>): Answer | undefined {
  if (key.kind === 'presented') return undefined;
  if (key.kind === 'repeated') return refuse('invalid_parameter', { message: repeatedKeyMessage(key.times) });
  return protocol === 'openai'
    ? refuse('invalid_api_key', { message: NO_BEARER_MESSAGE })
    : refuse('missing_parameters', { message: 'apikey is required; send it in the header X-API-Key.' });
}

/** Whether the check let the caller in. */
export function isCaller(result: Caller | Answer): result is Caller {
  return 'keyId' in result;
}

async function ask(
  deps: CountDeps,
  { id: requestId, address, addressBits, headers }: RequestContext,
  input: { mode: 'check' | 'judge' | 'count'; key?: { id: string; hash: string } },
): Promise<Admission | undefined> {
  try {
    return await admit(deps.redis, deps.rules, {
      requestId,
      address,
      addressBits,
      isCrossSite: isCrossSite(headers),
      ...input,
    });
  } catch (error) {
    deps.onRedisFailure(error);
    return undefined;
  }
}
