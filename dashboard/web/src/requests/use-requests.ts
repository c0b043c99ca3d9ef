import type { LogPage, LogRow } from '@lontar/shared/dashboard-contract.ts';
import { type LogFilter, writeFilter } from '@lontar/shared/log-filter.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type RefusalKind, type Refused, signedOutHere } from '../admin-api/ask.ts';
import type { Asked } from '../admin-api/use-asked.ts';

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
export function useRequests(
  filter: LogFilter,
): Asked<FoundRows> & { readonly again: () => void; readonly more: () => void } {
  const asked = useSignal<Asked<FoundRows>>({ isLoading: true });
  const turn = useSignal<{ readonly goOn?: FoundRows }>({});
  const name = JSON.stringify(filter);
  const shownOf = useSignal('');
  useEffect(() => {
    const leaving = new AbortController();
    const goOn = shownOf.value === name ? turn.value.goOn : undefined;
    asked.value = { ...asked.value, isLoading: true };
    findRows(filter, goOn, leaving.signal).then(
      (found) => {
        if (leaving.signal.aborted) return;
        shownOf.value = name;
        if ('kind' in found) asked.value = { ...asked.value, refused: found, isLoading: false };
        else asked.value = { body: found, at: Date.now(), isLoading: false };
      },
      // Only where the page has moved on.
      () => undefined,
    );
    return () => leaving.abort();
  }, [name, turn.value]);
  const { body } = asked.value;
  return {
    ...asked.value,
    again: () => {
      turn.value = {};
    },
    more: () => {
      turn.value = body === undefined ? {} : { goOn: body };
    },
  };
}

/** Rejects when the signal aborts, and for nothing else. */
async function findRows(
  filter: LogFilter,
  goOn: FoundRows | undefined,
  signal: AbortSignal,
): Promise<FoundRows | Refused> {
  const rows = [...(goOn?.rows ?? [])];
  const wanted = rows.length + ENOUGH_ROWS;
  let before = goOn?.before;
  for (let looks = 0; looks < MOST_LOOKS && rows.length < wanted; looks += 1) {
    const page = await readPage(filter, before, signal);
    if ('kind' in page) return page;
    rows.push(...page.rows);
    before = page.before;
    if (before === undefined) break;
  }
  return { rows, ...(before === undefined ? {} : { before }) };
}

async function readPage(
  filter: LogFilter,
  before: string | undefined,
  signal: AbortSignal,
): Promise<LogPage | Refused> {
  const query = new URLSearchParams(before === undefined ? {} : { before });
  writeFilter(filter, query);
  try {
    const response = await fetch(`/dashboard/log?${query.toString()}`, { signal });
    if (response.ok) return (await response.json()) as LogPage;
    const { message = '' } = (await response.json().catch(() => ({}))) as { readonly message?: string };
    const kind = KINDS[response.status] ?? 'broken';
    if (kind === 'signedOut') signedOutHere();
    return { ok: false, kind, status: response.status, message };
  } catch {
    signal.throwIfAborted();
    return { ok: false, kind: 'unreachable', status: 0, message: '' };
  }
}

const KINDS: Readonly<Record<number, RefusalKind>> = { 401: 'signedOut', 429: 'limited' };
