import type { LogDetail, LogPage, LogRow } from '@lontar/shared/dashboard-contract.ts';
import { type LogFilter, passesFilter } from '@lontar/shared/log-filter.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { eventTextsSchema } from '@lontar/shared/request-event.ts';
import { statsKeys } from '../stats-keys.ts';
import { createKeyNames } from './key-names.ts';

/** Form of a row's cursor: an entry id of the log's stream. */
export const CURSOR_PATTERN = /^\d{1,16}-\d{1,10}$/;
/** Rows of one page. */
const PAGE_ROWS = 100;
/** Rows looked at for one page, so that a filter that nothing passes cannot hold the service. */
const SCAN_ROWS = 5_000;
const SCAN_PIECE = 500;

export type LogEntry = readonly [id: string, fields: readonly string[]];

/** Orders cursors as the stream does. */
export function compareCursors(a: string, b: string): number {
  const [aMs = 0, aSequence = 0] = a.split('-').map(Number);
  const [bMs = 0, bSequence = 0] = b.split('-').map(Number);
  return aMs - bMs || aSequence - bSequence;
}

/**
 * The newest rows, oldest first.
 *
 * @throws when Redis fails
 */
export async function readNewestRows(redis: Redis, rows: number, names = createKeyNames(redis)): Promise<LogRow[]> {
  const entries = await redis.xrevrange(statsKeys.log, '+', '-', 'COUNT', rows);
  return names.add(entries.toReversed().map(parseRow));
}

/**
 * A page of rows before a cursor, newest first, of those that pass the filter.
 *
 * @throws when Redis fails
 */
export async function readLogPage(redis: Redis, filter: LogFilter, before: string | undefined): Promise<LogPage> {
  const names = createKeyNames(redis);
  const rows: LogRow[] = [];
  let end = before;
  for (let scanned = 0; scanned < SCAN_ROWS; scanned += SCAN_PIECE) {
    const from = end === undefined ? '+' : `(${end}`;
    const entries = await redis.xrevrange(statsKeys.log, from, '-', 'COUNT', SCAN_PIECE);
    for (const row of await names.add(entries.map(parseRow))) {
      end = row.cursor;
      if (passesFilter(row, filter)) rows.push(row);
      if (rows.length === PAGE_ROWS) return { rows, before: end };
    }
    if (entries.length < SCAN_PIECE) return { rows };
  }
  return end === undefined ? { rows } : { rows, before: end };
}

/**
 * One row with its masked texts; `undefined` when the log does not hold it (any more).
 *
 * @throws when Redis fails
 */
export async function readLogDetail(redis: Redis, cursor: string): Promise<LogDetail | undefined> {
  const [rows, texts, [oldest]] = await Promise.all([
    redis.xrange(statsKeys.log, cursor, cursor),
    redis.xrange(statsKeys.logTexts, cursor, cursor),
    redis.xrange(statsKeys.logTexts, '-', '+', 'COUNT', 1),
  ]);
  if (rows[0] === undefined) return undefined;
  const [row = parseRow(rows[0])] = await createKeyNames(redis).add([parseRow(rows[0])]);
  const text = texts[0] && readTexts(fieldOf(texts[0], 'texts') ?? '');
  if (text !== undefined) return { row, texts: 'kept', ...text };
  const expired = oldest !== undefined && compareCursors(cursor, oldest[0]) < 0 && row.outcome === 'success';
  return { row, texts: expired ? 'expired' : 'none' };
}

/** @returns `undefined` where the texts cannot be understood: they are kept as a gateway wrote them */
function readTexts(json: string): Pick<LogDetail, 'prompt' | 'answer'> | undefined {
  try {
    return eventTextsSchema.parse(JSON.parse(json)) as Pick<LogDetail, 'prompt' | 'answer'>;
  } catch {
    return undefined;
  }
}

/** The row of an entry of the log's stream. */
export function parseRow(entry: LogEntry): LogRow {
  return { cursor: entry[0], ...(JSON.parse(fieldOf(entry, 'row') ?? '{}') as Omit<LogRow, 'cursor'>) };
}

function fieldOf([, fields]: LogEntry, name: string): string | undefined {
  const at = fields.indexOf(name);
  return at < 0 ? undefined : fields[at + 1];
}
