import { z } from 'zod';

/**
 * Why a model call failed, for the operator alone: what of an upstream's refusal, or of a connection that failed, may stand
 * in a log line and in the row of its request, masked and cut. Never for callers, never a key.
 */
export const failureCauseSchema = z.object({
  /** How the call ended, in the worker's own words: `unauthorized`, `timed_out`. */
  reason: z.string().max(40),
  upstreamHost: z.string().max(300).optional(),
  /** HTTP status; absent where there was no response. */
  upstreamStatus: z.number().int().optional(),
  /** The upstream's, or that of the connection's failure. */
  upstreamCode: z.string().max(64).optional(),
  /** The upstream's own id of the request. */
  upstreamRequestId: z.string().max(128).optional(),
  /** The beginning of what the upstream said. */
  upstreamMessage: z.string().max(300).optional(),
  /** What the operator can do, where that is known. */
  advice: z.string().max(1_000).optional(),
});

export type FailureCause = z.infer<typeof failureCauseSchema>;

/** Failures that the next request meets too: nothing passes by waiting. */
const LASTING: ReadonlySet<string> = new Set(['unauthorized', 'refused', 'connection', 'invalid_answer']);
/** So many failed calls in a row are no accident, whatever they failed of. */
const IN_A_ROW = 3;

/** Whether the next caller has to expect the same failure. */
export function isLasting({ reason, times }: { readonly reason: string; readonly times: number }): boolean {
  return LASTING.has(reason) || times >= IN_A_ROW;
}

/** Why one call failed, and what to do, in one line. */
export function describeCause(cause: FailureCause): string {
  const { reason, upstreamHost, upstreamStatus, upstreamCode, upstreamRequestId, upstreamMessage, advice } = cause;
  const facts = [
    reason.replaceAll('_', ' '),
    upstreamHost,
    upstreamStatus === undefined ? undefined : `HTTP ${upstreamStatus}`,
    upstreamCode,
    upstreamRequestId === undefined ? undefined : `its request ${upstreamRequestId}`,
    upstreamMessage === undefined ? undefined : `"${upstreamMessage}"`,
  ];
  const known = `${facts.filter((fact) => fact !== undefined).join(', ')}.`;
  return advice === undefined ? known : `${known} ${advice}`;
}
