/** Paths under `/api/` that stats-service answers; they take GET alone. */
export const STATS_API_PATHS = ['/api/check-limit', '/api/usage', '/api/health', '/api/stats'] as const;

/** Those of them that give the service's counters; the others say whether it works, and the caller's own number. */
export const COUNTER_PATHS: ReadonlySet<string> = new Set(['/api/usage', '/api/stats']);

/** Who may read the counters: all callers, those with an active key, or the operator alone. */
export type UtilityAccess = 'open' | 'key' | 'operator';

/** The one path under `/api/` that no limit counts, so that monitoring never runs into it. */
export const UNCOUNTED_PATH = '/api/health';
