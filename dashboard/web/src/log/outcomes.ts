import type { Outcome } from '@lontar/shared/request-event.ts';

/** The word for an outcome. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  success: 'Success',
  client_error: 'Bad request',
  unauthorized: 'Bad key',
  rate_limited: 'Rate limited',
  blocked: 'Blocked',
  content_blocked: 'Content blocked',
  timeout: 'Timed out',
  shed: 'Turned away',
  server_error: 'Failed',
};

/** Its icon, so that no outcome is told by colour alone. */
export const OUTCOME_ICONS: Readonly<Record<Outcome, string>> = {
  success: '✓',
  client_error: '!',
  unauthorized: '≠',
  rate_limited: '◷',
  blocked: '⊘',
  content_blocked: '▣',
  timeout: '◔',
  shed: '↩',
  server_error: '✕',
};

/** Whose side an outcome is on; decides its colour. */
export function outcomeTone(outcome: Outcome): 'success' | 'caller' | 'limited' | 'failure' {
  if (outcome === 'success') return 'success';
  if (outcome === 'rate_limited') return 'limited';
  return outcome === 'server_error' || outcome === 'timeout' || outcome === 'shed' ? 'failure' : 'caller';
}
