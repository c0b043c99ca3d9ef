import type { LogPage, LogRow } from '@lontar/shared/dashboard-contract.ts';
import { type LogFilter, writeFilter } from '@lontar/shared/log-filter.ts';
import { askServer } from '../admin-api/answer.ts';
import type { Pages } from '../admin-api/read-pages.ts';
import type { Asked } from '../admin-api/reading.ts';
import { type Again, usePages } from '../admin-api/use-asked.ts';

/** Enough to fill a screen. The server looks through 5,000 rows at a time; the whole log has twice as many, and some that have come meanwhile. */
const STRETCH = { mostPages: 4, enoughRows: 50 };
/** What is drawn at most, so that the page stays quick. */
export const MOST_ROWS = 2_000;

/** Rows that pass a filter, newest first. */
export type FoundRows = Pages<LogRow>;

/** Searches the log, anew whenever the filter changes. */
export function useRequests(filter: LogFilter): Asked<FoundRows> & Again {
  return usePages(JSON.stringify(filter), STRETCH, (signal) => async (before) => {
    const query = new URLSearchParams(before === undefined ? {} : { before });
    writeFilter(filter, query);
    const url = `/dashboard/log?${query.toString()}`;
    const page = await askServer(url, { signal }, (said) => said as LogPage | undefined);
    return page.ok ? { ok: true, body: { rows: page.body.rows, next: page.body.before } } : page;
  });
}
