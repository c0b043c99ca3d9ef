import type { Admission, Decision, LimitState } from './admit.ts';

/** One limit as the caller sees it. */
export interface Limit {
  readonly name: 'address-hour' | 'key-hour' | 'key-day' | 'credits' | 'concurrency' | 'uploads-day';
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** When `remaining` next grows, Unix seconds; absent for credits, which only the operator adds. */
  readonly resetAt?: number;
  /** Length of the window, seconds; absent for limits without one. */
  readonly windowSeconds?: number;
}

/**
 * The limits that apply to a request. Concurrency is left out unless it refused, or is the only one that is known: it is no
 * quota that is used up, and says little about how many requests are left.
 *
 * @param uploads the day of uploads of the address, where the request is one
 */
function quotas(admission: Admission, uploads?: LimitState): Limit[] {
  const { address, hour, day, credits } = admission;
  const limits: Limit[] = admission.noAddressLimit ? [] : [toLimit('address-hour', address, 3600)];
  if (hour) limits.push(toLimit('key-hour', hour, 3600));
  if (day) limits.push(toLimit('key-day', day, 86_400));
  if (credits) limits.push(toLimit('credits', credits));
  if (uploads) limits.push(toLimit('uploads-day', uploads, 86_400));
  const isOnly = limits.length === 0 && admission.flight.limit >= 0;
  if (admission.decision === 'concurrency' || isOnly) {
    limits.push(toLimit('concurrency', { ...admission.flight, resetAt: Math.floor(admission.now / 1000) + 1 }));
  }
  return limits;
}

/**
 * The limit that binds soonest: the one that refused, else the one with the least left.
 *
 * @throws TypeError where there is none: of a key that is exempt from the hour of addresses, and whose own limits were not
 *   asked about
 */
export function bindingLimit(admission: Admission, uploads?: LimitState): Limit {
  return bindingOf(admission, quotas(admission, uploads));
}

function bindingOf(admission: Admission, limits: readonly Limit[]): Limit {
  const refused = refusingLimit(admission, limits);
  if (refused) return refused;
  return limits.reduce((least, limit) => {
    if (limit.remaining !== least.remaining) return limit.remaining < least.remaining ? limit : least;
    return (limit.resetAt ?? Number.POSITIVE_INFINITY) > (least.resetAt ?? Number.POSITIVE_INFINITY) ? limit : least;
  });
}

/** Seconds to wait before the limit lets a request through, at least 1; `undefined` where waiting is of no use. */
export function retryAfterSeconds({ resetAt }: Limit, now: number): number | undefined {
  return resetAt === undefined ? undefined : Math.max(1, resetAt - Math.floor(now / 1000));
}

/**
 * The rate-limit headers: the customary trio for the limit that binds soonest, and the IETF draft's fields
 * (draft-ietf-httpapi-ratelimit-headers) for all. None where no limit is known that applies.
 */
export function rateLimitHeaders(admission: Admission, uploads?: LimitState): Record<string, string> {
  const limits = quotas(admission, uploads);
  if (limits.length === 0) return {};
  const binding = bindingOf(admission, limits);
  const seconds = Math.floor(admission.now / 1000);
  return {
    'X-RateLimit-Limit': String(binding.limit),
    'X-RateLimit-Remaining': String(binding.remaining),
    ...(binding.resetAt !== undefined && { 'X-RateLimit-Reset': String(binding.resetAt) }),
    'RateLimit-Policy': limits.map(describePolicy).join(', '),
    RateLimit: limits
      .map(({ name, remaining, resetAt }) => {
        const reset = resetAt === undefined ? '' : `;t=${Math.max(0, resetAt - seconds)}`;
        return `"${name}";r=${remaining}${reset}`;
      })
      .join(', '),
  };
}

function describePolicy({ name, limit, windowSeconds }: Limit): string {
  const unit = name === 'concurrency' ? ';qu="concurrent-requests"' : '';
  return `"${name}";q=${limit}${unit}${windowSeconds ? `;w=${windowSeconds}` : ''}`;
}

/** The limit that each refusal goes by. */
const REFUSING: Partial<Record<Decision, Limit['name']>> = {
  address_limited: 'address-hour',
  key_hour: 'key-hour',
  key_day: 'key-day',
  credits: 'credits',
  concurrency: 'concurrency',
};

function refusingLimit({ decision }: Admission, limits: readonly Limit[]): Limit | undefined {
  const spent = limits.find(({ name, remaining }) => name === 'uploads-day' && remaining === 0);
  if (spent) return spent;
  const refusing = REFUSING[decision];
  return refusing && limits.find(({ name }) => name === refusing);
}

function toLimit(
  name: Limit['name'],
  state: { used: number; limit: number; resetAt?: number },
  windowSeconds?: number,
): Limit {
  const { used, limit, resetAt } = state;
  const remaining = Math.max(0, limit - used);
  return {
    name,
    limit,
    used,
    remaining,
    ...(resetAt !== undefined && { resetAt }),
    ...(windowSeconds !== undefined && { windowSeconds }),
  };
}

/** The limits as they stand when the request's credit has been given back. */
export function refunded(admission: Admission): Admission {
  if (!admission.credits) return admission;
  const { used, limit } = admission.credits;
  return { ...admission, credits: { used: used - 1, limit } };
}
