/** Headers between the gateway and stats-service. No caller's are taken for them, and none of them goes to a caller. */

/** Of a request: `INNER_SECRET`, which proves that it is a gateway that names the caller. */
export const INNER_SECRET_HEADER = 'x-lontar-inner-secret';

/** Of an answer to a request without the right secret, so that a gateway does not take it for an answer to its caller. */
export const INNER_REFUSAL_HEADER = 'x-lontar-inner-refusal';

/**
 * Of a request: it is to be answered to the operator alone (`UTILITY_ENDPOINTS`); the gateway does not know who that
 * is.
 */
export const OPERATOR_ONLY_HEADER = 'x-lontar-operator-only';

/** Of a request: the caller's address, in the form that limits are counted by. */
export const CLIENT_ADDRESS_HEADER = 'x-lontar-client-address';

/** Of an answer that says that no upload is left: the day of uploads, so that the gateway names that limit. */
export const SPENT_UPLOADS_HEADER = 'x-lontar-spent-uploads';

/** The day of uploads of an address, when it is used up. */
export interface SpentUploads {
  readonly used: number;
  readonly limit: number;
  /** The next UTC midnight, Unix seconds. */
  readonly resetAt: number;
}

export function writeSpentUploads({ used, limit, resetAt }: SpentUploads): Record<string, string> {
  return { [SPENT_UPLOADS_HEADER]: `${used} ${limit} ${resetAt}` };
}

/** @param headers of an answer of stats-service */
export function readSpentUploads(headers: Readonly<Record<string, unknown>>): SpentUploads | undefined {
  const [, used, limit, resetAt] = /^(\d+) (\d+) (\d+)$/.exec(String(headers[SPENT_UPLOADS_HEADER])) ?? [];
  return used === undefined ? undefined : { used: Number(used), limit: Number(limit), resetAt: Number(resetAt) };
}
