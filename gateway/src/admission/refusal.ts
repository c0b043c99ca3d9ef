import { type Answer, refuse } from '../envelope/answer.ts';
import type { Admission, LimitState } from './admit.ts';
import { bindingLimit, type Limit, rateLimitHeaders, retryAfterSeconds } from './rate-limit.ts';

/** Seconds after which a caller may try again when the queue is full. */
const QUEUE_RETRY_SECONDS = 2;

const NOT_ACTIVE_MESSAGES = {
  '': 'This API key is not active. Ask the operator for a new one.',
  revoked: 'This API key was revoked. Ask the operator for a new one.',
  expired: 'This API key has expired. Ask the operator for a new one.',
  model: 'This API key may not use this model. Choose another model, or ask the operator.',
  address: 'This API key may not be used from your address. Ask the operator to allow it.',
} as const satisfies Record<Admission['reason'], string>;

const WAIT = 'Wait for the time in the Retry-After header, in seconds';

const LIMIT_MESSAGES = {
  'address-hour': (limit) =>
    `Your address has made ${limit.limit} requests within an hour, which is the limit. ${WAIT}.`,
  'key-hour': (limit) =>
    `This API key has made ${limit.limit} requests within an hour, which is its limit. ${WAIT}, or ask the operator for more.`,
  'key-day': (limit) =>
    `This API key has made ${limit.limit} requests today (UTC), which is its limit. ${WAIT}, or ask the operator for more.`,
  credits: (limit) => `This API key has used all of its ${limit.limit} credits. Ask the operator for more.`,
  concurrency: (limit) =>
    `This API key has ${limit.limit} requests in flight, which is its limit. Wait until one is answered.`,
  'uploads-day': (limit) => `Your address has made its ${limit.limit} uploads of today (UTC). Try again tomorrow.`,
} as const satisfies Record<Limit['name'], (limit: Limit) => string>;

/**
 * The answer for a request that admission refused, or `undefined` for one that may go on.
 *
 * @param keyId public part of the key that was presented
 */
export function refusalFor(admission: Admission, keyId: string | undefined): Answer | undefined {
  const headers = rateLimitHeaders(admission);
  const report = admission.genuineKey && keyId !== undefined ? { keyId } : {};
  switch (admission.decision) {
    case 'admitted':
    case 'counted':
      return undefined;
    case 'unknown_key':
      return refuse('invalid_api_key', { headers, report });
    case 'key_not_active':
      return refuse('key_not_active', {
        headers,
        report,
        message: NOT_ACTIVE_MESSAGES[admission.reason],
        ...(admission.reason === 'model' && { cause: 'model', param: 'model' }),
      });
    case 'address_blocked':
      return refuse('address_blocked', { headers, report, message: blockedMessage(admission.blockedForSeconds) });
    case 'queue_full':
      return refuse('service_unavailable', {
        headers: { ...headers, 'Retry-After': String(QUEUE_RETRY_SECONDS) },
        report,
        message: 'Too many requests are waiting for the model. Try again in a few seconds.',
      });
    default:
      return limited(admission, report);
  }
}

/**
 * The 429 with its record, for the limit that refused.
 *
 * @param uploads the day of uploads of the address, where that is what is spent
 */
export function limited(admission: Admission, report: { keyId?: string }, uploads?: LimitState): Answer {
  const limit = bindingLimit(admission, uploads);
  const wait = retryAfterSeconds(limit, admission.now);
  return refuse('too_many_requests', {
    message: LIMIT_MESSAGES[limit.name](limit),
    headers: { ...rateLimitHeaders(admission, uploads), 'Retry-After': String(wait) },
    record: { used: limit.used, remaining: 0, limit: limit.limit },
    report,
    ...(limit.name === 'credits' && { cause: 'credits' }),
  });
}

function blockedMessage(seconds: number): string {
  if (seconds < 0) return 'Requests from this address are blocked by the operator. Ask the operator to unblock it.';
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return (
    `Requests from this address are blocked for ${minutes} more minute(s), by the operator or after too many bad keys. ` +
    'A valid API key passes the latter: check yours, and send it in the header X-API-Key. Else try again after that time.'
  );
}
