import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { RedisClock, RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { within } from '@lontar/shared/within.ts';
import { statsKeys } from '../stats-keys.ts';
import { createKeyNames } from './key-names.ts';
import { compareCursors, parseRow, readNewestRows } from './read-log.ts';

/** Rows kept in memory: what a page may have missed while it connected again. */
const RECENT_ROWS = 1_000;
const BLOCK_MS = 1_000;
const RETRY_MS = 500;
/** Who comes to look waits for the newest rows for so long at most: they follow when Redis gives them, ms. */
const LOAD_PATIENCE_MS = 2_000;
/** After the last one has left, ms: pages connect again, and a reading costs as much as following for a while. */
const FOLLOW_ON_MS = 10_000;

/** The newest rows of the log, as all instances of stats-service write them. */
export interface RecentLog {
  /**
   * Reads the log for somebody who looks on, until what this gives is called. Nobody's log is not read: each row would
   * come back from Redis and be parsed for no one.
   *
   * @returns when the newest rows are here, or Redis has had its time. Never rejects
   */
  follow(): Promise<() => void>;
  /** Oldest first; as of when they were followed last. */
  readonly rows: readonly LogRow[];
  /**
   * Rows after a cursor, oldest first; `undefined` when some of them are no longer in memory, or the cursor is not of
   * this log.
   */
  after(cursor: string): readonly LogRow[] | undefined;
  stop(): Promise<void>;
}

/**
 * Follows the log while somebody looks on.
 * Never throws: where Redis fails, the log is read again until it answers.
 *
 * @param redis a patient connection of its own: reads block
 * @param onRows called each time that rows have come
 */
export function followLog(redis: Redis, clock: RedisClock, onRows: () => void, logger: Logger): RecentLog {
  const names = createKeyNames(redis);
  let rows: LogRow[] = [];
  /** Whether memory holds the log from its very first row. */
  let whole = false;
  const stopping = new AbortController();

  const lookers = createLookers(stopping.signal);
  let loaded = false;
  // The server that answers then may be another one, with less of the log: what came after its newest row would be missed.
  const loadAgain = () => {
    loaded = false;
  };
  redis.on('ready', loadAgain);
  const load = async () => {
    loaded = true;
    rows = await readNewestRows(redis, RECENT_ROWS, names);
    whole = rows.length < RECENT_ROWS;
    lookers.served();
  };
  const readOn = async () => {
    const reply = await redis.xread('COUNT', 500, 'BLOCK', BLOCK_MS, 'STREAMS', statsKeys.log, newest(rows));
    const entries = reply?.[0]?.[1] ?? [];
    if (entries.length === 0) return;
    rows = addRows(rows, await names.add(entries.map(parseRow)));
    if (rows.length > RECENT_ROWS) {
      rows = rows.slice(-RECENT_ROWS);
      whole = false;
    }
    onRows();
  };
  const follow = async () => {
    while (!stopping.signal.aborted) {
      if (!lookers.areThere()) {
        loaded = false;
        await lookers.come();
        continue;
      }
      try {
        if (!loaded) await load();
        else await readOn();
      } catch (error) {
        // Redis may have come back with less than it had: begin anew.
        loaded = false;
        if (stopping.signal.aborted) return;
        logger.debug({ err: error }, 'the log could not be followed; trying again');
        await new Promise((resolve) => {
          setTimeout(resolve, RETRY_MS);
        });
      }
    }
  };
  const done = follow();
  return {
    follow: lookers.add,
    get rows() {
      return rows;
    },
    after(cursor) {
      const oldest = rows[0]?.cursor;
      if (compareCursors(cursor, newest(rows)) > 0) return isFuture(cursor, clock.now()) ? undefined : [];
      if (!whole && (oldest === undefined || compareCursors(cursor, oldest) < 0)) return undefined;
      return rows.slice(firstAfter(rows, cursor));
    },
    async stop() {
      stopping.abort();
      redis.off('ready', loadAgain);
      await done;
    },
  };
}

/** Who looks on, and who waits for the first rows. */
function createLookers(stop: AbortSignal) {
  let count = 0;
  let leftAt = Number.NEGATIVE_INFINITY;
  let isServed = false;
  let first = Promise.withResolvers<void>();
  let arrival = Promise.withResolvers<void>();
  stop.addEventListener('abort', () => arrival.resolve());
  return {
    async add(): Promise<() => void> {
      count++;
      arrival.resolve();
      if (!isServed) await within(LOAD_PATIENCE_MS, first.promise);
      let isThere = true;
      return () => {
        if (isThere) count--;
        isThere = false;
        if (count === 0) leftAt = performance.now();
      };
    },
    areThere: () => count > 0 || performance.now() - leftAt < FOLLOW_ON_MS,
    /** Resolves when somebody has come, or the service stops. */
    async come(): Promise<void> {
      isServed = false;
      first = Promise.withResolvers();
      arrival = Promise.withResolvers();
      if (count > 0 || stop.aborted) return;
      await arrival.promise;
    },
    served(): void {
      isServed = true;
      first.resolve();
    },
  };
}

/** Adds rows to those held, both oldest first. One that stands for several requests takes the place of its first form. */
function addRows(held: readonly LogRow[], come: readonly LogRow[]): LogRow[] {
  const rows = [...held, ...come];
  const replaced = new Set(come.flatMap(({ id, count }) => (count === undefined ? [] : [id])));
  if (replaced.size === 0) return rows;
  const newestOf = new Map(rows.map(({ id, cursor }) => [id, cursor]));
  return rows.filter(({ id, cursor }) => !replaced.has(id) || newestOf.get(id) === cursor);
}

/** Where the rows after a cursor begin; rows are in order, so it looks from the new end. */
function firstAfter(rows: readonly LogRow[], cursor: string): number {
  return rows.findLastIndex((row) => compareCursors(row.cursor, cursor) <= 0) + 1;
}

function newest(rows: readonly LogRow[]): string {
  return rows.at(-1)?.cursor ?? '0-0';
}

/** Another instance may be a moment ahead; a cursor of a log that is gone is not. */
function isFuture(cursor: string, now: RedisTime): boolean {
  return Number(cursor.split('-')[0]) > now + 5_000;
}
