import type { Moment, Tiles } from '@lontar/shared/dashboard-contract.ts';
import { formatClock, formatCount, formatDateTime, formatMs, formatRate } from './format.ts';

/** Of the last five minutes. */
export interface RecentRate {
  readonly successes: number;
  readonly failures: number;
}

/** One counter: what it is called, what it means, and how its number is written. */
export interface Tile {
  readonly name: string;
  /** The same sentence as in the docs' table of definitions. */
  readonly definition: string;
  readonly value: (tiles: Tiles) => string;
  /** Small print beside the number. */
  readonly aside: (tiles: Tiles, recent: RecentRate) => string;
  readonly tone?: (tiles: Tiles, recent: RecentRate) => 'bad' | 'good' | undefined;
}

export const TILES: readonly Tile[] = [
  {
    name: "Today's requests",
    definition: 'Generation requests answered since 00:00 UTC, whatever their outcome.',
    value: (tiles) => formatCount(tiles.requestsToday),
    aside: ({ at }) => sinceMidnight(at),
  },
  {
    name: 'Success rate',
    definition:
      "Today's successes divided by successes and failures on our side (5xx and timeouts), and the same of the last five minutes beside it. Callers' own errors and rate limits are listed, not counted.",
    value: (tiles) => formatRate(tiles.successesToday, tiles.failuresToday),
    aside: ({ successesToday, failuresToday }, recent) =>
      `last 5 min: ${formatRate(recent.successes, recent.failures)} · today ${formatCount(successesToday)} of ${formatCount(successesToday + failuresToday)}`,
    tone: ({ successesToday, failuresToday }, recent) =>
      isPoor(successesToday, failuresToday) || isPoor(recent.successes, recent.failures) ? 'bad' : undefined,
  },
  {
    name: 'Average response time',
    definition: "Mean response time of today's successes, in whole milliseconds; 95 of 100 were faster than p95.",
    value: ({ responseMeanMs }) => (responseMeanMs === undefined ? '–' : formatMs(responseMeanMs)),
    aside: ({ responseP95Ms }) => (responseP95Ms === undefined ? 'no success today' : `p95 ${formatMs(responseP95Ms)}`),
  },
  {
    name: 'Errors today',
    definition: 'Generation requests answered with a code of 500 or above since 00:00 UTC; those with 4xx beside them.',
    value: (tiles) => formatCount(tiles.errorsToday),
    aside: ({ clientErrorsToday }) => `${formatCount(clientErrorsToday)} with 4xx`,
    tone: ({ errorsToday }) => (errorsToday > 0 ? 'bad' : undefined),
  },
  {
    name: 'Active users',
    definition:
      'Distinct users with a generation request in the last 5 minutes. A user is an API key, or the address where no valid key was given.',
    value: (tiles) => formatCount(tiles.activeUsers),
    aside: () => 'last 5 minutes',
  },
  {
    name: 'Unique users',
    definition: 'Distinct users with a generation request since 00:00 UTC, and since installation in small print.',
    value: (tiles) => formatCount(tiles.uniqueUsersToday),
    aside: ({ uniqueUsersAllTime }) => `${formatCount(uniqueUsersAllTime)} all time`,
  },
  {
    name: 'Total requests',
    definition:
      'Generation requests answered since the operator last reset this counter; since installation if it was never reset.',
    value: (tiles) => formatCount(tiles.requestsSinceReset),
    aside: ({ resetAt }) => (resetAt === undefined ? 'since installation' : `since ${formatDateTime(resetAt)}`),
  },
  {
    name: 'Total all time',
    definition: 'Every request answered under /api/ and /v1/ since installation: all endpoints, all outcomes.',
    value: (tiles) => formatCount(tiles.requestsAllTime),
    aside: () => 'every request under /api/',
  },
  {
    name: 'Secured answers',
    definition: "Today's answers in which at least one value was masked.",
    value: (tiles) => formatCount(tiles.maskedToday),
    aside: ({ successesToday }) => `of ${formatCount(successesToday)} answers today`,
  },
  {
    name: 'Blocked IPs',
    definition: 'Addresses that are banned, or over their hourly limit, now.',
    value: (tiles) => formatCount(tiles.blockedAddresses),
    aside: () => 'now',
  },
];

/** Below what the objective allows. */
function isPoor(successes: number, failures: number): boolean {
  return failures > 0 && successes / (successes + failures) < 0.995;
}

const RECENT_MS = 5 * 60_000;

/** What was answered in the last five minutes, of the points of the charts. */
export function recentRate(moments: readonly Moment[], now: number): RecentRate {
  const recent = { successes: 0, failures: 0 };
  for (const { at, outcomes } of moments) {
    if (at <= now - RECENT_MS) continue;
    recent.successes += outcomes.success ?? 0;
    recent.failures += (outcomes.server_error ?? 0) + (outcomes.timeout ?? 0) + (outcomes.shed ?? 0);
  }
  return recent;
}

/** When the day of UTC began, by the reader's clock where that is another. */
function sinceMidnight(at: number): string {
  const here = formatClock(at - (at % 86_400_000)).slice(0, 5);
  return here === '00:00' ? 'since 00:00 UTC' : `since 00:00 UTC, ${here} here`;
}
