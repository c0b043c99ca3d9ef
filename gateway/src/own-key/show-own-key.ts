import { successBody } from '@lontar/shared/http/envelope.ts';
import { MASK_TYPES } from '@lontar/shared/settlement/settlement.ts';
import { lastDays, readUsage, sumUsage, type UsageRow } from '@lontar/shared/usage/read-usage.ts';
import { USAGE_ERRORS } from '@lontar/shared/usage/usage-counts.ts';
import type { Admission } from '../admission/admit.ts';
import { type CheckKeyDeps, checkKey, isCaller } from '../admission/check-key.ts';
import { type KeyLook, lookAtKey } from '../admission/look-at-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { type Answer, refuse, unavailable } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { ReadingLimits } from '../generation/generation-rules.ts';
import type { OwnKey } from './own-key-schema.ts';

const DAYS = 30;

interface OwnKeyDeps extends CheckKeyDeps {
  readonly reading: Pick<ReadingLimits, 'models'>;
}

/**
 * `GET /api/key`: to the holder of a key, what it may do, what is left of it, and what it has used. A key that is not
 * genuine or active is refused as everywhere. Never rejects: where Redis fails, the answer says so.
 */
export async function showOwnKey(deps: OwnKeyDeps, context: RequestContext): Promise<Answer> {
  const caller = await checkKey(deps, context, 'check');
  if (!isCaller(caller)) return caller;
  const { keyId, admission } = caller;
  try {
    const look = await lookAtKey(deps.redis, keyId);
    // It was deleted in between.
    if (look === undefined) return refuse('invalid_api_key', { headers: rateLimitHeaders(admission) });
    const rows: UsageRow[] = [];
    for await (const some of readUsage(deps.redis, [keyId], lastDays(DAYS, look.now))) rows.push(...some);
    const { hour, day, credits, flight } = look;
    const limits: Admission = {
      ...admission,
      flight,
      ...(hour && { hour }),
      ...(day && { day }),
      ...(credits && { credits }),
    };
    return {
      status: 200,
      headers: rateLimitHeaders(limits),
      body: successBody(200, describeKey(look, rows, admission, [...deps.reading.models.current.models.keys()])),
      report: { outcome: 'success', keyId },
    };
  } catch (error) {
    deps.onRedisFailure(error);
    return unavailable(rateLimitHeaders(admission), { keyId });
  }
}

function describeKey(
  { record, stored, now, ...state }: KeyLook,
  rows: readonly UsageRow[],
  admission: Admission,
  known: string[],
): OwnKey {
  const { oldHashUntil, models } = record;
  const today = lastDays(1, now).to;
  return {
    id: record.id,
    name: record.name,
    created_at: isoTime(record.createdAt),
    expires_at: record.expiresAt === undefined ? null : isoTime(record.expiresAt),
    limits: {
      requests_per_hour: windowOf(state.hour),
      requests_per_day: windowOf(state.day),
      credits: state.credits === undefined ? null : limitOf(state.credits),
      concurrency: limitOf(state.flight),
      upload_bytes: limitOf({ used: stored, limit: record.storage }),
      address_requests_per_hour: admission.noAddressLimit ? null : windowOf(admission.address),
    },
    models: models === undefined || models === '' ? known : known.filter((model) => models.split(',').includes(model)),
    max_output_tokens: record.maxOutputTokens ?? null,
    masking: { types: record.mask ?? [...MASK_TYPES], keep_own: record.keepOwn === '1' },
    on_disconnect: record.onDisconnect ?? 'abort',
    old_key_until: oldHashUntil !== undefined && oldHashUntil > now ? isoTime(oldHashUntil) : null,
    usage: {
      timezone: 'UTC',
      today: usageOf(rows.filter(({ date }) => date === today)),
      last_30_days: usageOf(rows),
    },
  };
}

function usageOf(rows: readonly UsageRow[]): OwnKey['usage']['today'] {
  const sum = sumUsage(rows);
  return {
    requests: sum.requests,
    successes: sum.successes,
    errors: USAGE_ERRORS.reduce((errors, error) => errors + sum[error], 0),
    masked: sum.masked,
    left: sum.left,
    prompt_tokens: sum.promptTokens,
    completion_tokens: sum.completionTokens,
    estimated_tokens: sum.estimatedTokens,
  };
}

function limitOf({ used, limit }: { used: number; limit: number }) {
  return { limit, used: Math.max(used, 0), remaining: Math.max(limit - used, 0) };
}

function windowOf(state: { used: number; limit: number; resetAt: number } | undefined) {
  return state === undefined ? null : { ...limitOf(state), reset: state.resetAt };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
