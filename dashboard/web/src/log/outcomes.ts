import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import type { Outcome } from '@lontar/shared/request-event.ts';
import { formatCount } from '../tiles/format.ts';
import { log } from '../words/log.ts';

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
  return error === 'client_closed' ? log().left : log().outcomes[outcome];
}

/** Whether the key paid, and why; `undefined` where nothing was reserved. */
export function describeCharge({ charged, outcome, error }: Pick<LogRow, 'charged' | 'outcome' | 'error'>) {
  if (charged === undefined) return undefined;
  const words = log();
  if (!charged) return words.givenBack;
  if (outcome === 'success') return words.chargedWord;
  // Those that are named are always charged, because the model did its work.
  const { other, ...named } = words.chargedFailures;
  return words.chargedFor(named[error as keyof typeof named] ?? other);
}

const MASK_TYPES = ['url', 'key', 'ip', 'connection'] as const;

/** `1 API URL, 2 keys`. */
export function maskedByType(masked: NonNullable<LogRow['masked']>): string {
  const { kinds, nothing } = log();
  const seen = MASK_TYPES.filter((type) => masked[type] > 0);
  if (seen.length === 0) return nothing;
  return seen
    .map((type) => `${formatCount(masked[type])} ${kinds[type][masked[type] === 1 ? 'one' : 'many']}`)
    .join(', ');
}

/**
 * Why a row has no texts, as the name of the sentence that says it. Answers have texts, failures have none.
 *
 * @param areKept whether the log keeps texts at all
 */
export function whyNoText({ outcome, endpoint }: Pick<LogRow, 'outcome' | 'endpoint'>, areKept: boolean) {
  if (!areKept) return 'textsOff';
  return outcome === 'success' && endpoint !== undefined ? 'leftOut' : 'noText';
}
