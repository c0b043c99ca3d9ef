import { ERROR_CATALOG, type ErrorCode } from '@lontar/shared/errors.ts';
import { catalogBody, type HttpAnswer } from '@lontar/shared/http/envelope.ts';
import type { Outcome, ReportedGeneration } from '@lontar/shared/request-event.ts';

/**
 * What the gateway answers a request with: a handler gives it back, and the server sends it. The text that a model wrote
 * is a result, see `answerSettlement`; a content of an upload is a `ServedFile`.
 */
export interface Answer extends HttpAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body: unknown;
  /** What the statistics get of it. */
  readonly report: Report;
  /** What is wrong, of an error: other protocols than the envelope say it in their own form. */
  readonly problem?: Problem;
}

/** An error of the catalog as it stands with one request. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  /** The field that is wrong, as a path: `messages[2].content`. */
  readonly param?: string;
  /** What is wrong with the field, where a protocol has a word for it. */
  readonly fault?: FieldFault;
  /** Why, where a protocol tells such refusals apart. */
  readonly cause?: RefusalCause;
}

export type FieldFault = 'missing' | 'unsupported';
/** `credits`: they are used up, and waiting brings none. */
export type RefusalCause = 'credits';

export interface Report {
  readonly outcome: Outcome;
  readonly error?: ErrorCode;
  /** What the caller was told, see `toldMessage`. */
  readonly message?: string;
  /** Public part of the caller's key, where it was genuine. */
  readonly keyId?: string;
  readonly generation?: ReportedGeneration | undefined;
}

export interface RefusalDetails {
  /** What is wrong and what to do, where the catalog's message is not precise enough. */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the body: the rate-limited record. */
  readonly record?: Readonly<Record<string, number>>;
  readonly report?: Partial<Report>;
  readonly param?: string | undefined;
  readonly fault?: FieldFault | undefined;
  readonly cause?: RefusalCause | undefined;
}

/** An error answer: exactly the four fields of the contract, and the rate-limited record where there is one. */
export function refuse(code: ErrorCode, details: RefusalDetails = {}): Answer {
  const body = catalogBody(code, details.message);
  const { param, fault, cause } = details;
  return {
    status: body.code,
    headers: details.headers ?? {},
    body: { ...body, ...details.record },
    report: { outcome: outcomeOf(code), error: code, ...details.report },
    problem: {
      code,
      message: body.message,
      ...(param !== undefined && { param }),
      ...(fault && { fault }),
      ...(cause && { cause }),
    },
  };
}

/** The answer while Redis cannot be reached. */
export function unavailable(headers: Record<string, string> = {}, report: { keyId?: string } = {}): Answer {
  return refuse('service_unavailable', { headers: { ...headers, 'Retry-After': '2' }, report });
}

/** The class that metrics and the log put an error into. */
function outcomeOf(code: ErrorCode): Outcome {
  switch (code) {
    case 'invalid_api_key':
      return 'unauthorized';
    case 'key_not_active':
    case 'address_blocked':
    case 'cross_site_request':
      return 'blocked';
    case 'too_many_requests':
      return 'rate_limited';
    case 'content_blocked':
      return 'content_blocked';
    case 'timed_out':
      return 'timeout';
    case 'service_unavailable':
      return 'shed';
    default:
      return ERROR_CATALOG[code].status >= 500 ? 'server_error' : 'client_error';
  }
}
