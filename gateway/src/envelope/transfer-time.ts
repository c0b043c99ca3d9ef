/**
 * How long a request, or the answer to one, may be on its way, ms. Long enough for 10 MB over a slow line (90 KB a
 * second); what is much slower is cut earlier, see pace.ts.
 */
export const TRANSFER_TIMEOUT_MS = 120_000;
