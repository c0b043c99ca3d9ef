import { errorBody, type HttpAnswer } from '../http/envelope.ts';

/** Every way in which the admin API refuses; what callers of `/api` and `/v1` get is in errors.ts. */
export const ADMIN_ERRORS = {
  invalid: {
    status: 400,
    label: 'Invalid parameter',
    about: 'A parameter is not valid; the message names it and the rule.',
  },
  unauthorized: {
    status: 401,
    label: 'Invalid admin token',
    about: 'No admin token was given, or one that is unknown, expired or revoked; or an API key.',
  },
  forbidden: { status: 403, label: 'Not allowed', about: 'The role of the token may not do this, which is noted.' },
  banned: { status: 403, label: 'Address blocked', about: 'The address has tried too many bad admin tokens.' },
  cross_site: { status: 403, label: 'Cross-site request', about: 'A page of another site asked for this.' },
  not_found: { status: 404, label: 'Not Found', about: 'There is no such thing.' },
  conflict: { status: 409, label: 'Conflict', about: 'The state that it has does not allow this.' },
  changed: {
    status: 412,
    label: 'Precondition Failed',
    about: 'It is not as If-Match says any more; nothing was changed. `changed` names what has been changed since.',
  },
  reused: {
    status: 422,
    label: 'Idempotency-Key reused',
    about: 'The Idempotency-Key was used for another request; nothing was changed.',
  },
  no_precondition: {
    status: 428,
    label: 'Precondition Required',
    about: 'If-Match is required: the ETag of what is to be changed, or *.',
  },
  limited: {
    status: 429,
    label: 'Too many requests',
    about: 'The token or the address has made too many requests in this minute; Retry-After says how long to wait.',
  },
  unreadable: {
    status: 500,
    label: 'Internal error',
    about: 'The record in Redis cannot be read; the message says why.',
  },
} as const satisfies Record<string, { status: number; label: string; about: string }>;

export type AdminError = keyof typeof ADMIN_ERRORS;

/** What programs and pages may tell apart within an error; where there is nothing, its own name stands as the reason. */
export const ADMIN_REASONS = {
  unauthorized: ['api_key', 'token_expired', 'token_revoked'],
  conflict: ['key_contended', 'key_made_before', 'key_made_long_ago', 'key_revoked', 'overlap_runs'],
} as const satisfies Partial<Record<AdminError, readonly string[]>>;

export type AdminReason = AdminError | (typeof ADMIN_REASONS)[keyof typeof ADMIN_REASONS][number];

/** Every reason that an error may have. */
export function reasonsOf(error: AdminError): readonly AdminReason[] {
  const further: Partial<Record<AdminError, readonly AdminReason[]>> = ADMIN_REASONS;
  return [error, ...(further[error] ?? [])];
}

/** An error of the admin API, in the form of all errors, with its reason as a word that stays the same. */
export function adminFailure(
  error: AdminError,
  message: string,
  {
    headers = {},
    facts = {},
    reason = error,
  }: {
    readonly headers?: Record<string, string>;
    readonly facts?: object;
    readonly reason?: AdminReason;
  } = {},
): HttpAnswer {
  const { status, label } = ADMIN_ERRORS[error];
  return { status, headers, body: { ...errorBody(status, label, message), reason, ...facts } };
}
