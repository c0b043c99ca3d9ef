import type { Moment, Tiles } from '@lontar/shared/dashboard-contract.ts';
import { tiles as words } from '../words/tiles.ts';
import { formatClock, formatCount, formatDateTime, formatMs, formatRate } from './format.ts';

/** Of the last five minutes. */
export interface RecentRate {
  readonly successes: number;
  readonly failures: number;
}

export type TileId = keyof ReturnType<typeof words>['names'];

/** One counter: how its number is written. What it is called and means is in the words, by its id. */
export interface Tile {
  readonly id: TileId;
  readonly value: (tiles: Tiles) => string;
  /** Small print beside the number. */
  readonly aside: (tiles: Tiles, recent: RecentRate) => string;
  readonly tone?: (tiles: Tiles, recent: RecentRate) => 'bad' | 'good' | undefined;
}

export const TILES: readonly Tile[] = [
  {
    id: 'requestsToday',
    value: (tiles) => formatCount(tiles.requestsToday),
    aside: ({ at }) => sinceMidnight(at),
  },
  {
    id: 'successRate',
    value: (tiles) => formatRate(tiles.successesToday, tiles.failuresToday),
    aside: ({ successesToday, failuresToday }, recent) =>
      words().recent(
        formatRate(recent.successes, recent.failures),
        formatCount(successesToday),
        formatCount(successesToday + failuresToday),
      ),
    tone: ({ successesToday, failuresToday }, recent) =>
      isPoor(successesToday, failuresToday) || isPoor(recent.successes, recent.failures) ? 'bad' : undefined,
  },
  {
    id: 'responseTime',
    value: ({ responseMeanMs }) => (responseMeanMs === undefined ? '–' : formatMs(responseMeanMs)),
    aside: ({ responseP95Ms }) => (responseP95Ms === undefined ? words().noSuccess : `p95 ${formatMs(responseP95Ms)}`),
  },
  {
    id: 'errorsToday',
    value: (tiles) => formatCount(tiles.errorsToday),
    aside: ({ clientErrorsToday }) => words().clientErrors(formatCount(clientErrorsToday)),
    tone: ({ errorsToday }) => (errorsToday > 0 ? 'bad' : undefined),
  },
  {
    id: 'activeUsers',
    value: (tiles) => formatCount(tiles.activeUsers),
    aside: () => words().lastMinutes,
  },
  {
    id: 'uniqueUsers',
    value: (tiles) => formatCount(tiles.uniqueUsersToday),
    aside: ({ uniqueUsersAllTime }) => words().ever(formatCount(uniqueUsersAllTime)),
  },
  {
    id: 'sinceReset',
    value: (tiles) => formatCount(tiles.requestsSinceReset),
    aside: ({ resetAt }) =>
      resetAt === undefined ? words().sinceInstallation : words().since(formatDateTime(resetAt)),
  },
  {
    id: 'allTime',
    value: (tiles) => formatCount(tiles.requestsAllTime),
    aside: () => words().everyRequest,
  },
  {
    id: 'secured',
    value: (tiles) => formatCount(tiles.maskedToday),
    aside: ({ successesToday }) => words().ofAnswers(formatCount(successesToday)),
  },
  {
    id: 'blocked',
    value: (tiles) => formatCount(tiles.blockedAddresses),
    aside: () => words().now,
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
  return here === '00:00' ? words().sinceMidnight : words().sinceMidnightHere(here);
}
