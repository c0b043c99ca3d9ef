import type { ErrorCode } from '@lontar/shared/errors.ts';
import type { UploadOutcome } from '@lontar/shared/gateway-metrics.ts';

/** What callers get for each kind, and what it counts as. */
export const UPLOAD_PROBLEMS = {
  invalid: { code: 'invalid_parameter', outcome: 'invalid' },
  missing: { code: 'missing_parameters', outcome: 'invalid' },
  unsupported: { code: 'unsupported_media_type', outcome: 'invalid' },
  too_large: { code: 'payload_too_large', outcome: 'too_large' },
  cut_off: { code: 'client_closed', outcome: 'cut_off' },
  // The caller's own doing, who can make room; the other one is the operator's.
  key_full: { code: 'payload_too_large', outcome: 'key_full' },
  storage_full: { code: 'insufficient_storage', outcome: 'storage_full' },
} as const satisfies Record<string, { code: ErrorCode; outcome: UploadOutcome }>;

/** Why an upload cannot be kept. */
export class UploadProblem extends Error {
  readonly kind: keyof typeof UPLOAD_PROBLEMS;

  constructor(kind: UploadProblem['kind'], message: string) {
    super(message);
    this.name = 'UploadProblem';
    this.kind = kind;
  }
}
