import type { ModelCatalog } from '@lontar/shared/models/catalog.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { type CheckKeyDeps, checkKey, isCaller } from '../admission/check-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { type Answer, refuse, unavailable } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { showValue } from '../envelope/show-value.ts';
import type { ReadingLimits } from '../generation/generation-rules.ts';

/** When the names were given to the models; clients want a date. 2025-06-17, when those behind them came out. */
const CREATED = 1_750_118_400;

interface ModelsDeps extends CheckKeyDeps {
  readonly reading: Pick<ReadingLimits, 'models'>;
}

/** `GET /v1/models`: those that the caller's key may use. Never rejects: where Redis fails, the answer says so. */
export async function listModels(deps: ModelsDeps, context: RequestContext): Promise<Answer> {
  const caller = await readCaller(deps, context);
  if ('status' in caller) return caller;
  const { headers, keyId, models } = caller;
  return answer({ object: 'list', data: models.map(describe) }, headers, keyId);
}

/** `GET /v1/models/{id}`: one of them. Never rejects: where Redis fails, the answer says so. */
export async function showModel(deps: ModelsDeps, context: RequestContext, id: string): Promise<Answer> {
  const caller = await readCaller(deps, context);
  if ('status' in caller) return caller;
  const { headers, keyId, models } = caller;
  const model = deps.reading.models.current.resolve(id);
  if (model !== undefined && models.includes(model)) return answer(describe(model), headers, keyId);
  const message = `The model ${showValue(id)} does not exist, or your key may not use it. GET /v1/models lists the others.`;
  return refuse('model_not_found', { message, param: 'model', headers, report: { keyId } });
}

async function readCaller(deps: ModelsDeps, context: RequestContext) {
  const caller = await checkKey(deps, context, 'check');
  if (!isCaller(caller)) return caller;
  const { keyId, admission } = caller;
  const headers = rateLimitHeaders(admission);
  try {
    const names = await deps.redis.hget(redisKeys.apiKey(keyId), 'models');
    return { keyId, headers, models: modelsOf(deps.reading.models.current, names) };
  } catch (error) {
    deps.onRedisFailure(error);
    return unavailable(headers, { keyId });
  }
}

/** @param names as the key's record has them, with commas; all where absent */
function modelsOf({ models }: ModelCatalog, names: string | null): readonly string[] {
  if (names === null || names === '') return [...models.keys()];
  const allowed = new Set(names.split(','));
  return [...models.keys()].filter((model) => allowed.has(model));
}

function describe(model: string) {
  return { id: model, object: 'model', created: CREATED, owned_by: 'lontar' };
}

function answer(body: object, headers: Readonly<Record<string, string>>, keyId: string): Answer {
  return { status: 200, headers, body, report: { outcome: 'success', keyId } };
}
