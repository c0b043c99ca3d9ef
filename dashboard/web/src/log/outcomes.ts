import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
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
  shed: 'Unavailable',
  server_error: 'Failed',
};

/** Its icon, so that no outcome is shown by colour alone. */
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

/** The word for how a request ended; the log, and nothing else, also shows callers who left before their answer. */
export function wordOf({ outcome, error }: Pick<LogRow, 'outcome' | 'error'>): string {
  return error === 'client_closed' ? 'Caller left' : OUTCOME_WORDS[outcome];
}

/** Whether the key paid, and why; `undefined` where nothing was reserved. */
export function describeCharge({ charged, outcome, error }: Pick<LogRow, 'charged' | 'outcome' | 'error'>) {
  if (charged === undefined) return undefined;
  if (!charged) return 'Given back: it failed on our side or at the model';
  if (outcome === 'success') return 'Charged';
  return `Charged: ${CHARGED_FAILURES[error ?? ''] ?? 'the failures an hour that are given back were used up'}`;
}

/** Failures that are always charged, because the model did its work. */
const CHARGED_FAILURES: Readonly<Record<string, string>> = {
  client_closed: 'the caller left after the model had been called',
  content_blocked: 'the safety filter refused the prompt',
  invalid_parameter: 'maxOutputTokens was used up before any text',
};

const MASKED_WORDS = [
  ['url', 'API URL', 'API URLs'],
  ['key', 'key', 'keys'],
  ['ip', 'IP address', 'IP addresses'],
  ['connection', 'connection string', 'connection strings'],
] as const;

/** `1 API URL, 2 keys`. */
export function maskedByType(masked: NonNullable<LogRow['masked']>): string {
  const seen = MASKED_WORDS.filter(([type]) => masked[type] > 0);
  if (seen.length === 0) return 'nothing';
  return seen.map(([type, one, many]) => `${masked[type]} ${masked[type] === 1 ? one : many}`).join(', ');
}
