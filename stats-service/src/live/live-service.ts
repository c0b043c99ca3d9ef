import type { ServerResponse } from 'node:http';
import type {
  Fleet,
  LogRow,
  Moment,
  Part,
  SnapshotMessage,
  StatsMessage,
  Tiles,
  Trouble,
} from '@lontar/shared/dashboard-contract.ts';
import { failure, type HttpAnswer } from '@lontar/shared/http/envelope.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { sharedFor } from '@lontar/shared/shared-for.ts';
import type { StatsMetrics } from '@lontar/shared/stats-metrics.ts';
import { within } from '@lontar/shared/within.ts';
import { findSession, sessionEnd } from '../access/operator-session.ts';
import type { Asked } from '../asked.ts';
import { readTiles } from '../counters/read-counters.ts';
import { MOMENTS, readMoments } from '../counters/read-moments.ts';
import type { RecentLog } from '../log/follow-log.ts';
import { createLiveStream, type LiveStream } from './live-stream.ts';

/** `stats` goes out at most this often, ms. */
const STATS_EVERY_MS = 500;
/** And at least this often, because the page judges the connection by the age of its data, ms. */
const STATS_AT_LEAST_MS = 5_000;
/** Rows are gathered for this long, ms. */
const ROWS_EVERY_MS = 100;
const KEEP_ALIVE_MS = 15_000;
/** A session that was revoked elsewhere loses its stream after this at the latest, ms. */
const RECHECK_SESSIONS_MS = 10_000;
/** A snapshot does not wait longer until every instance is scraped; that follows with the first `stats`, ms. */
const FLEET_PATIENCE_MS = 30;
/** Points that `stats` repeats, because late events still change them. */
const FRESH_MOMENTS = 3;
/** Lookers-on without a session share what a snapshot reads for this long: each costs hundreds of reads, ms. */
const SHARED_MS = 1_000;

export interface LiveDeps {
  readonly clock: RedisClock;
  readonly redis: Redis;
  readonly log: Pick<RecentLog, 'rows' | 'after' | 'follow'>;
  readonly fleet: () => Promise<Fleet>;
  /** What is wrong now. */
  readonly troubles: () => readonly Trouble[];
  readonly metrics: StatsMetrics;
  readonly version: string;
  /** `DASHBOARD_TOKEN`. */
  readonly token: string;
  /** `DASHBOARD_PUBLIC`. */
  readonly open: boolean;
  readonly keepTexts: boolean;
}

export interface LiveService {
  /** `GET /dashboard/events`; gives an answer when the stream is refused. */
  openStream(asked: Asked, response: ServerResponse): Promise<HttpAnswer | undefined>;
  /** Something was counted: pages want to know. */
  changed(): void;
  /** A session has just been revoked here. */
  signedOut(digest: string): void;
  stop(): void;
}

/**
 * Keeps the pages' numbers live: coalesces what changed, and reads it once for all of them. Never throws: where Redis
 * fails, pages keep their last numbers until the next reading.
 */
export function startLiveService(deps: LiveDeps): LiveService {
  const live = createLiveStream(deps.log);
  const anonymousCounters = sharedFor(SHARED_MS, () => readCounters(deps, MOMENTS));
  let dirty = false;
  let sentAt = Number.NEGATIVE_INFINITY;
  let reading = false;

  const sendStats = async () => {
    const now = performance.now();
    const due = dirty || now - sentAt >= STATS_AT_LEAST_MS;
    if (live.size === 0 || reading || !due) return;
    [reading, dirty, sentAt] = [true, false, now];
    const stats = await readStats(deps, FRESH_MOMENTS).finally(() => {
      reading = false;
    });
    live.sendStats((signedIn) => visibleTo(stats, signedIn));
  };
  const rounds = createRounds([
    [STATS_EVERY_MS, () => void sendStats()],
    [ROWS_EVERY_MS, () => live.sendRows()],
    [KEEP_ALIVE_MS, () => live.sendKeepAlive()],
    [RECHECK_SESSIONS_MS, () => void recheckSessions(deps.redis, live).catch(() => undefined)],
  ]);
  const noteClients = () => {
    deps.metrics.liveClients.set(live.size);
    rounds.goOn(live.size > 0);
  };
  return {
    async openStream(asked, response) {
      const session = await findSession(deps, asked.cookie, asked.address);
      if (session === undefined && !deps.open) return failure('invalid_api_key', 'Sign in to see the dashboard.');
      const listener = session ? { session: { digest: session.digest, address: asked.address } } : {};
      const snapshot = () => readSnapshot(deps, session ? undefined : anonymousCounters);
      if (!(await live.open({ response, listener, lastEventId: asked.lastEventId, snapshot }))) {
        return failure('service_unavailable', 'Too many dashboards are open. Close one and try again.');
      }
      noteClients();
      response.once('close', noteClients);
      dirty = true;
      return undefined;
    },
    changed() {
      dirty = true;
    },
    signedOut: (digest) => live.dropSessions((session) => session.digest === digest),
    stop() {
      rounds.goOn(false);
      live.close();
    },
  };
}

/** What is done again and again, while there is somebody to do it for. */
function createRounds(rounds: readonly (readonly [everyMs: number, round: () => void])[]) {
  let timers: NodeJS.Timeout[] = [];
  return {
    goOn(isWanted: boolean): void {
      if (isWanted === timers.length > 0) return;
      for (const timer of timers) clearInterval(timer);
      timers = isWanted ? rounds.map(([everyMs, round]) => setInterval(round, everyMs)) : [];
    },
  };
}

/** Reads the parts side by side; one that fails says so, and the others stay. */
async function readStats(deps: LiveDeps, points: number): Promise<StatsMessage> {
  const [counters, members] = await Promise.all([readCounters(deps, points), partOf<Fleet>(deps.fleet())]);
  return { ...counters, fleet: members, troubles: deps.troubles() };
}

/** What all may see who may see the page. */
async function readCounters(
  { redis, clock }: Pick<LiveDeps, 'redis' | 'clock'>,
  points: number,
): Promise<Omit<StatsMessage, 'fleet' | 'troubles'>> {
  const now = clock.now();
  const [tiles, moments] = await Promise.all([
    partOf<Tiles>(readTiles(redis, now)),
    partOf<readonly Moment[]>(readMoments(redis, now, points)),
  ]);
  return { at: now, tiles, moments };
}

/** @param anonymous reads the counters for those without a session */
async function readSnapshot(
  deps: LiveDeps,
  anonymous: (() => Promise<Omit<StatsMessage, 'fleet' | 'troubles'>>) | undefined,
): Promise<(rows: readonly LogRow[]) => SnapshotMessage> {
  const signedIn = anonymous === undefined;
  const members = signedIn ? await within(FLEET_PATIENCE_MS, partOf<Fleet>(deps.fleet())) : undefined;
  const counters = signedIn ? await readCounters(deps, MOMENTS) : await anonymous();
  const forOperator = signedIn && { troubles: deps.troubles(), ...(members && { fleet: members }) };
  const stats = { ...counters, ...forOperator };
  const { version, keepTexts: logContent } = deps;
  return (rows) => ({
    ...stats,
    version,
    signedIn,
    logContent,
    ...(signedIn ? { log: { ok: true, data: rows } } : {}),
  });
}

/** Fleet and troubles name hosts, so that only the operator sees them. */
function visibleTo({ fleet, troubles, ...counters }: StatsMessage, signedIn: boolean): StatsMessage {
  return signedIn ? { ...counters, ...(fleet && { fleet }), ...(troubles && { troubles }) } : counters;
}

async function partOf<Data>(work: Promise<Data>): Promise<Part<Data>> {
  try {
    return { ok: true, data: await work };
  } catch {
    return { ok: false, reason: 'Redis does not answer.', code: 'redis_away' };
  }
}

/** Sessions end by time and by revocation; a stream must not outlive its session. */
async function recheckSessions(redis: Redis, live: LiveStream): Promise<void> {
  const ended = new Set<string>();
  for (const { digest, address } of live.sessions()) {
    if ((await sessionEnd(redis, digest, address)) === undefined) ended.add(digest);
  }
  if (ended.size > 0) live.dropSessions(({ digest }) => ended.has(digest));
}
