import type { GenerationFailure } from '../errors.ts';
import type { Settlement } from './settlement.ts';

/**
 * What a key pays where asking the model may have cost the operator money: its credit, nothing, or nothing as long as it
 * has free failures left in this hour. Where nothing can have been spent, no failure is ever charged.
 */
export type ChargeTerms = 'charge' | 'limited' | 'refund';

const TERMS_OF_FAILURE: Record<GenerationFailure, ChargeTerms> = {
  // The caller's doing: the upstream did its work.
  content_blocked: 'charge',
  output_used_up: 'charge',
  client_closed: 'charge',
  // Ours or the upstream's, but a caller can bring them about and make the operator pay without a result.
  context_exceeded: 'limited',
  request_refused: 'limited',
  stream_broken: 'limited',
  upstream_error: 'limited',
  timed_out: 'limited',
  masking_failed: 'limited',
  internal_error: 'limited',
  // Nothing that a caller can bring about: Redis was away, or a gateway stopped.
  service_unavailable: 'refund',
};

/** What the key pays for this outcome, see `ChargeTerms`. */
export function chargeTerms(settlement: Settlement): ChargeTerms {
  return settlement.outcome === 'answered' ? 'charge' : TERMS_OF_FAILURE[settlement.error];
}

/** Whether an outcome says by itself that the model did its work, so that the key pays in any case. */
export function impliesCost(settlement: Settlement): boolean {
  if (settlement.outcome === 'answered') return true;
  return settlement.error === 'content_blocked' || settlement.error === 'output_used_up';
}

/** Whether the key paid for a request, by its stored settlement. */
export function wasCharged(settlement: Settlement): boolean {
  if (settlement.outcome === 'answered') return true;
  // Services from before settlements said so charged for one failure alone.
  return settlement.charged ?? settlement.error === 'content_blocked';
}
