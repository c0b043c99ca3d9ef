import { hashApiKey, readKeyId } from '@lontar/shared/api-key.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type Admission, type AdmissionRules, admit } from '../admission/admit.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { refusalFor } from '../admission/refusal.ts';
import { unavailable } from '../generation/generate.ts';
import { gatherFields } from '../generation/given-fields.ts';
import { type Answer, refuse } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';

export interface CheckKeyDeps {
  readonly redis: Redis;
  readonly pepper: string;
  readonly rules: AdmissionRules;
  readonly onRedisFailure: (error: unknown) => void;
}

/** A caller whose key is genuine and active. */
export interface Caller {
  readonly keyId: string;
  readonly admission: Admission;
}

/** Whether the caller names a key at all, in the query, a header or the body. */
export function namesKey(context: RequestContext): boolean {
  return givenKeys(context).length > 0;
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
  const [given, ...more] = givenKeys(context);
  const text = typeof given === 'string' ? given.trim() : '';
  const problem = presentationProblem(text, more.length);
  // Where nothing is counted, there is nothing to ask about a key that was not given.
  if (problem && mode === 'judge') return problem;
  const keyId = problem ? undefined : readKeyId(text);
  const admission = await ask(deps, context, {
    mode: problem ? 'count' : mode,
    ...(keyId !== undefined && { key: { id: keyId, hash: hashApiKey(text, deps.pepper) } }),
  });
  if (admission === undefined) return unavailable();
  const refusal = refusalFor(admission, keyId);
  if (refusal) return refusal;
  const headers = rateLimitHeaders(admission);
  if (problem) return { ...problem, headers };
  return keyId === undefined ? refuse('invalid_api_key', { headers }) : { keyId, admission };
}

function presentationProblem(text: string, repeats: number): Answer | undefined {
  if (repeats > 0) {
    return refuse('invalid_parameter', { message: `apikey was given ${repeats + 1} times; give it once.` });
  }
  return text === ''
    ? refuse('missing_parameters', { message: 'apikey is required; send it in the header X-API-Key.' })
    : undefined;
}

/** Whether the check let the caller in. */
export function isCaller(result: Caller | Answer): result is Caller {
  return 'keyId' in result;
}

async function ask(
  deps: CheckKeyDeps,
  { id: requestId, address, addressBits }: RequestContext,
  input: { mode: 'check' | 'judge' | 'count'; key?: { id: string; hash: string } },
): Promise<Admission | undefined> {
  try {
    return await admit(deps.redis, deps.rules, { requestId, address, addressBits, ...input });
  } catch (error) {
    deps.onRedisFailure(error);
    return undefined;
  }
}

function givenKeys(context: RequestContext): readonly unknown[] {
  return gatherFields(context.query, context.body, context.headers).get('apikey') ?? [];
}
