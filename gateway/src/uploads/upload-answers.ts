import type { UploadOutcome } from '@lontar/shared/gateway-metrics.ts';
import { successBody } from '@lontar/shared/http/envelope.ts';
import { showBytes } from '@lontar/shared/show-bytes.ts';
import type { LimitState } from '../admission/admit.ts';
import type { Caller } from '../admission/check-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { limited } from '../admission/refusal.ts';
import { type Answer, refuse, unavailable } from '../envelope/answer.ts';
import { isNoSpace } from './storage/no-space.ts';
import type { UploadRecord } from './upload.ts';
import type { Reservation } from './upload-ledger.ts';
import { UPLOAD_PROBLEMS, UploadProblem } from './upload-problem.ts';

const RETRY_SECONDS = 2;

/** What the answer of an upload that is kept needs besides the upload. */
interface KeptInput {
  readonly origin: string;
  readonly caller: Caller;
  /** Uploads of the address in this UTC day. */
  readonly day: LimitState;
}

/** 201 with the upload as callers see it. */
export function keptAnswer(id: string, record: UploadRecord, { origin, caller, day }: KeptInput): Answer {
  const result = {
    id,
    url: `${origin}/files/${id}`,
    name: record.name,
    size: record.size,
    content_type: record.contentType,
    visibility: record.visibility,
    created_at: new Date(record.createdAt).toISOString(),
  };
  return {
    status: 201,
    headers: rateLimitHeaders(caller.admission, day),
    body: successBody(201, result),
    report: { outcome: 'success', keyId: caller.keyId },
  };
}

/** The answer for an upload that there is no place or no room for, and what it counts as. */
export function notReservedAnswer(
  reservation: Exclude<Reservation, { decision: 'reserved' }>,
  { keyId, admission }: Caller,
  day: LimitState,
): { answer: Answer; outcome: UploadOutcome } {
  const details = { headers: rateLimitHeaders(admission, day), report: { keyId } };
  switch (reservation.decision) {
    case 'day':
      return { answer: limited(admission, { keyId }, day), outcome: 'limited' };
    case 'credits': {
      const spent = { ...admission, decision: 'credits' as const, credits: reservation.credits };
      return { answer: limited(spent, { keyId }), outcome: 'no_credits' };
    }
    case 'key': {
      const { bytes, limit, files } = reservation.kept;
      const message =
        `This API key keeps ${showBytes(bytes)} in ${files} files, and may keep ${showBytes(limit)}: there is no room for this one. ` +
        'Remove files of yours (DELETE /files/ID), send a smaller one, or ask the operator for more.';
      return { answer: refuse('payload_too_large', { ...details, message }), outcome: 'key_full' };
    }
    case 'all':
      return { answer: refuse('insufficient_storage', details), outcome: 'storage_full' };
  }
}

/** The answer for an upload that comes while as many bytes as may are on their way. */
export function overloadedAnswer({ keyId, admission }: Caller): Answer {
  return refuse('service_unavailable', {
    message: 'Too many uploads are on their way. Try again in a few seconds.',
    headers: { ...rateLimitHeaders(admission), 'Retry-After': String(RETRY_SECONDS) },
    report: { keyId },
  });
}

/**
 * The answer for an upload that failed.
 *
 * @param error why; `undefined` where Redis could not be asked
 * @param day absent where it is not known
 */
export function failedAnswer(error: unknown, { admission, keyId }: Caller, day?: LimitState): Answer {
  const headers = rateLimitHeaders(admission, day);
  if (error instanceof UploadProblem) {
    return refuse(UPLOAD_PROBLEMS[error.kind].code, { message: error.message, headers, report: { keyId } });
  }
  if (isNoSpace(error)) return refuse('insufficient_storage', { headers, report: { keyId } });
  return unavailable(headers, { keyId });
}

/** What an upload that failed counts as. */
export function outcomeOf(error: unknown): UploadOutcome {
  if (error instanceof UploadProblem) return UPLOAD_PROBLEMS[error.kind].outcome;
  return isNoSpace(error) ? 'storage_full' : 'failed';
}
