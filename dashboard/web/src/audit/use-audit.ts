import type { AuditEntry } from '@lontar/shared/admin/audit.ts';
import { type Answer, ask } from '../admin-api/ask.ts';
import type { Asked } from '../admin-api/reading.ts';
import { type Again, useReading } from '../admin-api/use-asked.ts';

/** The server looks through 1,000 entries at a time where there is a filter. */
const MOST_LOOKS = 5;
/** Enough to fill a screen; the reader asks for more. */
const ENOUGH_ENTRIES = 50;
/** What is drawn at most, so that the page stays quick. */
export const MOST_ENTRIES = 1_000;

export interface FoundEntries {
  readonly entries: readonly AuditEntry[];
  /** Where the search goes on; absent at the end of the log. */
  readonly next?: string;
}

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
  return useReading(filter, (goOn, signal) => findEntries(filter, goOn, signal));
}

/** Rejects when the signal aborts, and for nothing else. */
async function findEntries(
  filter: string,
  goOn: FoundEntries | undefined,
  signal: AbortSignal,
): Promise<Answer<FoundEntries>> {
  const entries = [...(goOn?.entries ?? [])];
  const wanted = entries.length + ENOUGH_ENTRIES;
  let next = goOn?.next;
  for (let looks = 0; looks < MOST_LOOKS && entries.length < wanted; looks += 1) {
    const query = new URLSearchParams(filter);
    query.set('limit', String(wanted - entries.length));
    if (next !== undefined) query.set('before', next);
    const answer = await ask<AuditPage>('GET', `/audit?${query.toString()}`, { signal });
    if (!answer.ok) return answer;
    entries.push(...answer.body.entries);
    next = answer.body.next ?? undefined;
    if (next === undefined) break;
  }
  return { ok: true, body: { entries, ...(next === undefined ? {} : { next }) } };
}
