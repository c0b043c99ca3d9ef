import type { AuditEntry } from '@lontar/shared/admin/audit.ts';
import { ask } from '../admin-api/ask.ts';
import type { Pages } from '../admin-api/read-pages.ts';
import type { Asked } from '../admin-api/reading.ts';
import { type Again, usePages } from '../admin-api/use-asked.ts';

/** Enough to fill a screen; the server looks through 1,000 entries at a time where there is a filter. */
const STRETCH = { mostPages: 5, enoughRows: 50 };
/** What is drawn at most, so that the page stays quick. */
export const MOST_ENTRIES = 1_000;

export type FoundEntries = Pages<AuditEntry>;

interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly next: string | null;
}

/**
 * Reads the audit log from its newest end, anew whenever something else is looked for.
 *
 * @param filter as the admin API takes it: `by=…&action=…`
 */
export function useAudit(filter: string): Asked<FoundEntries> & Again {
  return usePages(filter, STRETCH, (signal) => async (before, lacking) => {
    const query = new URLSearchParams(filter);
    query.set('limit', String(lacking));
    if (before !== undefined) query.set('before', before);
    const page = await ask<AuditPage>('GET', `/audit?${query.toString()}`, { signal });
    return page.ok ? { ok: true, body: { rows: page.body.entries, next: page.body.next } } : page;
  });
}
