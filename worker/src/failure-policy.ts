import type { GenerationFailure } from '@lontar/shared/errors.ts';
import { GENERATION_JOB } from '@lontar/shared/generation-job.ts';
import type { RetryReason } from '@lontar/shared/metrics.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { ModelErrorKind } from './model/language-model.ts';

/** An attempt that starts with less time than this before the deadline cannot succeed and may still cost money. */
const SHORTEST_ATTEMPT_MS = 50;

export interface FailureInput {
  readonly kind: ModelErrorKind;
  /** How long the upstream wants no further request, ms. */
  readonly retryAfterMs?: number | undefined;
  /** Which model attempt failed, from 1. */
  readonly attempt: number;
  /** Model attempts at most, the first included. */
  readonly attempts: number;
  /** Whether an earlier call of this request may have cost money and brought no answer. */
  readonly spentBefore: boolean;
  /** Another upstream could answer, and could not be asked at once: any failure of this one is worth another attempt. */
  readonly hasOtherRoute?: boolean;
  /** A part of the answer was shown: no other attempt's text may follow it. */
  readonly isVisible?: boolean;
  readonly now: RedisTime;
  /** When the caller stops waiting. */
  readonly deadlineAt: RedisTime;
  /** Uniform in [0, 1). */
  readonly random: number;
}

export type FailureDecision =
  | { readonly action: 'retry'; readonly delayMs: number; readonly reason: RetryReason }
  | { readonly action: 'fail'; readonly error: GenerationFailure };

type Treatment =
  | { readonly retry: RetryReason; readonly givenUp: GenerationFailure }
  | { readonly retry?: never; readonly givenUp: GenerationFailure };

/** What each kind of failure is worth: the reason to try again, if any, and what the caller gets in the end. */
const TREATMENT: Record<ModelErrorKind, Treatment> = {
  rate_limited: { retry: 'rate_limited', givenUp: 'upstream_error' },
  server_error: { retry: 'server_error', givenUp: 'upstream_error' },
  connection: { retry: 'connection', givenUp: 'upstream_error' },
  cut_off: { retry: 'cut_off', givenUp: 'upstream_error' },
  timed_out: { retry: 'timed_out', givenUp: 'timed_out' },
  refused: { givenUp: 'upstream_error' },
  unauthorized: { givenUp: 'upstream_error' },
  invalid_answer: { givenUp: 'upstream_error' },
  empty_answer: { givenUp: 'upstream_error' },
  output_used_up: { givenUp: 'output_used_up' },
  context_exceeded: { givenUp: 'context_exceeded' },
  request_refused: { givenUp: 'request_refused' },
  too_large: { givenUp: 'upstream_error' },
  content_blocked: { givenUp: 'content_blocked' },
  cancelled: { givenUp: 'client_closed' },
  // A success that is judged as a failure is a bug of the calling function.
  none: { givenUp: 'internal_error' },
};

/** The upstream did no work that it could ask money for: it did not take the request, or failed before an answer. */
const FREE: ReadonlySet<ModelErrorKind> = new Set([
  'rate_limited',
  'server_error',
  'connection',
  'refused',
  'unauthorized',
  'context_exceeded',
  'request_refused',
]);

/** Whether a model call that ended so may have cost the operator money. */
export function mayHaveCost(kind: ModelErrorKind): boolean {
  return !FREE.has(kind);
}

/**
 * Decides what follows a failed model attempt: another one after a wait, or the end of the request.
 *
 * The wait has full jitter (`GENERATION_JOB.backoff`). What the upstream asked for in `Retry-After` comes before it,
 * so that requests which the upstream refused together are not repeated together. A wait that would end too close to the
 * deadline is not begun: the caller learns at once what it would learn at the deadline. A call that may have cost money is
 * made again once in a request, whatever else happens to it, so that no prompt makes the operator pay for more than two.
 */
export function decideFailure(input: FailureInput): FailureDecision {
  const { retry: onceMore, givenUp } = TREATMENT[input.kind];
  const retry = onceMore ?? (input.hasOtherRoute === true ? 'other_route' : undefined);
  const spentTwice = mayHaveCost(input.kind) && input.spentBefore;
  const isLast = spentTwice || input.attempt >= input.attempts || input.isVisible === true;
  if (retry === undefined || isLast) return { action: 'fail', error: givenUp };
  const delayMs = Math.max(0, input.retryAfterMs ?? 0) + jitterMs(input.attempt, input.random);
  if (input.now + delayMs > input.deadlineAt - SHORTEST_ATTEMPT_MS) return { action: 'fail', error: givenUp };
  return { action: 'retry', delayMs, reason: retry };
}

function jitterMs(attempt: number, random: number): number {
  const { baseMs, capMs } = GENERATION_JOB.backoff;
  return Math.floor(random * Math.min(capMs, baseMs * 2 ** (attempt - 1)));
}
