import { type Answer, refuse } from '../envelope/answer.ts';
import type { Admission, LimitState } from './admit.ts';
import { bindingLimit, type Limit, rateLimitHeaders, retryAfterSeconds } from './rate-limit.ts';

/** Seconds after which a caller may try again when the queue is full. */
const QUEUE_RETRY_SECONDS = 2;

const NOT_ACTIVE_MESSAGES = {
  '': 'This API key is not active. Ask the operator for a new one.',
  revoked: 'This API key was revoked. Ask the operator for a new one.',
  expired: 'This API key has expired. Ask the operator for a new one.',
  address: 'This API key may not be used from your address. Ask the operator to allow it.',
} as const satisfies Record<Exclude<Admission['reason'], 'model'>, string>;

/** Callers learn there what is left of each limit. */
const WHERE_TO_LOOK = 'What is left of each limit: /me, or GET /api/key.';

/** Which limit refused, its numbers, when there is more, and who can lift it. */
const LIMIT_MESSAGES = {
  'address-hour': (limit, wait) =>
    `The limit of your address is used up: ${of(limit)} requests within an hour. ${again(wait)}; the operator can raise it, or exempt an API key from it.`,
  'key-hour': (limit, wait) =>
    `The hourly limit of this API key is used up: ${of(limit)} requests within an hour. ${again(wait)}; the operator can raise it.`,
  'key-day': (limit, wait) =>
    `The daily limit of this API key is used up: ${of(limit)} requests today (UTC). ${again(wait)}; the operator can raise it.`,
  credits: (limit) =>
    `The credits of this API key are used up: ${of(limit)}. Waiting does not bring more; only the operator can add some.`,
  concurrency: (limit) =>
    `The concurrency limit of this API key is reached: ${of(limit)} requests in flight. Wait until one is answered; the operator can raise it.`,
  'uploads-day': (limit, wait) =>
    `The uploads of your address are used up: ${of(limit)} today (UTC). ${again(wait)}; the operator can raise their number.`,
} as const satisfies Record<Limit['name'], (limit: Limit, wait: number) => string>;

function of({ used, limit }: Limit): string {
  return `${used} of ${limit}`;
}

function again(seconds: number): string {
  return `Try again in ${seconds} s`;
}

/**
 * The answer for a request that admission refused, or `undefined` for one that may go on.
 *
 * @param keyId public part of the key that was presented
 */
export function refusalFor(admission: Admission, keyId: string | undefined): Answer | undefined {
  // Most requests: nothing is made for them.
  if (admission.decision === 'admitted' || admission.decision === 'counted') return undefined;
  const headers = rateLimitHeaders(admission);
  const report = admission.genuineKey && keyId !== undefined ? { keyId } : {};
  switch (admission.decision) {
    case 'unknown_key':
      return refuse('invalid_api_key', { headers, report });
    case 'key_not_active': {
      const { reason } = admission;
      if (reason === 'model') return refuse('model_not_allowed', { headers, report, param: 'model' });
      return refuse('key_not_active', { headers, report, message: NOT_ACTIVE_MESSAGES[reason] });
    }
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
    message: `${LIMIT_MESSAGES[limit.name](limit, wait ?? 0)} ${WHERE_TO_LOOK}`,
    // Credits never come back by waiting: a time to wait would be untrue.
    headers: { ...rateLimitHeaders(admission, uploads), ...(wait !== undefined && { 'Retry-After': String(wait) }) },
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
    'After bad keys a valid one still works: check yours, and send it in the header X-API-Key. Otherwise try again after that time.'
  );
}
