import type { LogPage, LogRow } from '@lontar/shared/dashboard-contract.ts';
import { type LogFilter, writeFilter } from '@lontar/shared/log-filter.ts';
import { type Answer, type RefusalKind, signedOutHere } from '../admin-api/ask.ts';
import type { Asked } from '../admin-api/reading.ts';
import { type Again, useReading } from '../admin-api/use-asked.ts';

/** The server looks through 5,000 rows at a time; the whole log has twice as many, and some that have come meanwhile. */
const MOST_LOOKS = 4;
/** Enough to fill a screen; the reader asks for more. */
const ENOUGH_ROWS = 50;
/** What is drawn at most, so that the page stays quick. */
export const MOST_ROWS = 2_000;

/** Rows that pass a filter, newest first. */
export interface FoundRows {
  readonly rows: readonly LogRow[];
  /** Where the search goes on; absent at the end of the log. */
  readonly before?: string;
}

/** Searches the log, anew whenever the filter changes. */
export function useRequests(filter: LogFilter): Asked<FoundRows> & Again {
  return useReading(JSON.stringify(filter), (goOn, signal) => findRows(filter, goOn, signal));
}

/** Rejects when the signal aborts, and for nothing else. */
async function findRows(
  filter: LogFilter,
  goOn: FoundRows | undefined,
  signal: AbortSignal,
): Promise<Answer<FoundRows>> {
  const rows = [...(goOn?.rows ?? [])];
  const wanted = rows.length + ENOUGH_ROWS;
  let before = goOn?.before;
  for (let looks = 0; looks < MOST_LOOKS && rows.length < wanted; looks += 1) {
    const page = await readPage(filter, before, signal);
    if (!page.ok) return page;
    rows.push(...page.body.rows);
    before = page.body.before;
    if (before === undefined) break;
  }
  return { ok: true, body: { rows, ...(before === undefined ? {} : { before }) } };
}

async function readPage(filter: LogFilter, before: string | undefined, signal: AbortSignal): Promise<Answer<LogPage>> {
  const query = new URLSearchParams(before === undefined ? {} : { before });
  writeFilter(filter, query);
  try {
    const response = await fetch(`/dashboard/log?${query.toString()}`, { signal });
    if (response.ok) return { ok: true, body: (await response.json()) as LogPage };
    const { message = '' } = (await response.json().catch(() => ({}))) as { readonly message?: string };
    const kind = KINDS[response.status] ?? 'broken';
    if (kind === 'signedOut') signedOutHere();
    const wait = response.headers.get('retry-after');
    return {
      ok: false,
      kind,
      status: response.status,
      message,
      ...(wait === null ? {} : { retryAfter: Number(wait) }),
    };
  } catch {
    signal.throwIfAborted();
    return { ok: false, kind: 'unreachable', status: 0, message: '' };
  }
}

const KINDS: Readonly<Record<number, RefusalKind>> = { 401: 'signedOut', 429: 'limited' };
