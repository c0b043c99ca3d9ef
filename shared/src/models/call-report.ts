import { z } from 'zod';
import { OUTCOME_CLASSES, type OutcomeClass } from './upstream-state.ts';

/** Times double within so many buckets: a percentile is within 5 % of the true one. */
const PER_OCTAVE = 8;
/** A call ends within the hour. */
const MOST_BUCKETS = 22 * PER_OCTAVE;

const whole = z.int().nonnegative();
/** Bucket and count, for each bucket that has any. */
const times = z.array(z.tuple([whole.max(MOST_BUCKETS), whole])).max(MOST_BUCKETS + 1);

const routeCalls = z.object({
  /** Public name. */
  model: z.string(),
  upstream: z.string(),
  /** The upstream's name of the model. */
  route: z.string(),
  /** In the order of OUTCOME_CLASSES. */
  outcomes: z.array(whole).length(OUTCOME_CLASSES.length),
  /** Of calls that were answered. */
  durations: times,
  firstTokens: times,
});

export const callReportSchema = z.object({
  /** Calls in flight by upstream. */
  inFlight: z.record(z.string(), whole),
  routes: z.array(routeCalls),
});

/** What one worker tells of its calls of the last five minutes. */
export type CallReport = z.infer<typeof callReportSchema>;
export type RouteCalls = z.infer<typeof routeCalls>;

/** The last so many minutes are told of. */
export const REPORTED_MINUTES = 5;

/** The bucket that counts a time, ms. */
export function timeBucket(ms: number): number {
  return Math.min(MOST_BUCKETS, Math.max(0, Math.round(Math.log2(Math.max(ms, 1)) * PER_OCTAVE)));
}

/** What came of the calls over one route, from all reports together. */
export interface SummedCalls {
  readonly calls: Readonly<Record<OutcomeClass, number>>;
  /** Of those that say something of the upstream, what failed; `null` where there were none. */
  readonly errorShare: number | null;
  /** Of calls that were answered, whole ms; `null` where there were none. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly firstTokenP50Ms: number | null;
  readonly firstTokenP95Ms: number | null;
}

/** Adds up what several workers tell of the same route. */
export function sumCalls(reports: readonly RouteCalls[]): SummedCalls {
  const count = (index: number) => reports.reduce((sum, { outcomes }) => sum + (outcomes[index] ?? 0), 0);
  const calls = Object.fromEntries(OUTCOME_CLASSES.map((name, index) => [name, count(index)])) as SummedCalls['calls'];
  const failed = calls.failed + calls.stalled + calls.unauthorized;
  const judged = calls.answered + failed;
  const durations = addTimes(reports.map((report) => report.durations));
  const firstTokens = addTimes(reports.map((report) => report.firstTokens));
  return {
    calls,
    errorShare: judged === 0 ? null : Math.round((failed / judged) * 10_000) / 10_000,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    firstTokenP50Ms: percentile(firstTokens, 0.5),
    firstTokenP95Ms: percentile(firstTokens, 0.95),
  };
}

function addTimes(all: readonly RouteCalls['durations'][]): [bucket: number, count: number][] {
  const sums = new Map<number, number>();
  for (const [bucket, count] of all.flat()) sums.set(bucket, (sums.get(bucket) ?? 0) + count);
  return [...sums].toSorted(([a], [b]) => a - b);
}

function percentile(sorted: readonly (readonly [bucket: number, count: number])[], share: number): number | null {
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.ceil(total * share);
  let seen = 0;
  const found = sorted.find(([, count]) => {
    seen += count;
    return seen >= rank;
  });
  return Math.round(2 ** ((found?.[0] ?? 0) / PER_OCTAVE));
}
