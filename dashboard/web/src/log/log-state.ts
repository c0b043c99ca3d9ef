import type { LogPage, LogRow } from '@lontar/shared/dashboard-contract.ts';
import { type LogFilter, passesFilter, readFilter, writeFilter } from '@lontar/shared/log-filter.ts';
import { computed, effect, signal } from '@preact/signals';
import { rows, rowsCome } from '../live/live-state.ts';
import { place } from '../page/place.ts';

/** Rows shown at first, and added by each "Older". */
const ROWS_SHOWN = 60;

export const filter = signal<LogFilter>(readFilter(new URLSearchParams(location.search)));
/** The reader scrolls or selects: the rows stand still, and new ones wait. */
const held = signal<{ readonly rows: readonly LogRow[]; readonly come: number } | undefined>(undefined);
/** Rows older than those that the page was sent, asked for by the reader. */
const older = signal<readonly LogRow[]>([]);
export const olderState = signal<'idle' | 'loading' | 'end' | 'failed'>('idle');
const limit = signal(ROWS_SHOWN);

const matching = computed(() => {
  const source = held.value?.rows ?? rows.value ?? [];
  const last = source.at(-1)?.cursor;
  const all =
    last === undefined ? older.value : [...source, ...older.value.filter(({ cursor }) => isBefore(cursor, last))];
  return all.filter((row) => passesFilter(row, filter.value));
});

/** The rows on the screen, newest first. */
export const shown = computed(() => matching.value.slice(0, limit.value));

/** Whether the page or the server may have more. */
export const hasMore = computed(() => matching.value.length > limit.value || olderState.value !== 'end');

/** How many rows that pass the filter wait behind the button. */
export const waiting = computed(() => {
  if (held.value === undefined) return 0;
  const come = rowsCome.value - held.value.come;
  return (rows.value ?? []).slice(0, come).filter((row) => passesFilter(row, filter.value)).length;
});

/** The reader has begun to scroll or select. */
export function holdRows(): void {
  held.value ??= { rows: rows.value ?? [], come: rowsCome.value };
}

/** Shows what has come. */
export function releaseRows(): void {
  held.value = undefined;
  startOver();
}

/** Older rows were those before the rows held; once these move on, there would be a gap between them. */
function startOver(): void {
  older.value = [];
  nextBefore = undefined;
  olderState.value = 'idle';
  limit.value = ROWS_SHOWN;
}

/** Filters the log; the filter is part of the page's address. */
export function setFilter(wanted: LogFilter): void {
  filter.value = wanted;
  startOver();
  const url = new URL(location.href);
  writeFilter(wanted, url.searchParams);
  history.replaceState(history.state, '', url);
}

/** Takes the filter of the address where the reader went back to one, or to another page. */
effect(() => {
  if (!place.value) return;
  const wanted = readFilter(new URLSearchParams(location.search));
  if (JSON.stringify(wanted) === JSON.stringify(filter.peek())) return;
  filter.value = wanted;
  startOver();
});

/** Shows more rows: those at hand first, then those of the server. */
export async function showOlder(): Promise<void> {
  holdRows();
  if (matching.value.length > limit.value) {
    limit.value += ROWS_SHOWN;
    return;
  }
  olderState.value = 'loading';
  const last = older.value.at(-1) ?? held.value?.rows.at(-1);
  const query = new URLSearchParams(last ? { before: nextBefore ?? last.cursor } : {});
  writeFilter(filter.value, query);
  try {
    const response = await fetch(`/dashboard/log?${query.toString()}`);
    if (!response.ok) throw new Error(String(response.status));
    const page = (await response.json()) as LogPage;
    older.value = [...older.value, ...page.rows];
    nextBefore = page.before;
    limit.value += page.rows.length;
    olderState.value = page.before === undefined ? 'end' : 'idle';
  } catch {
    olderState.value = 'failed';
  }
}

/** Where the server said that its next page begins. */
let nextBefore: string | undefined;

function isBefore(a: string, b: string): boolean {
  const [aMs = 0, aSequence = 0] = a.split('-').map(Number);
  const [bMs = 0, bSequence = 0] = b.split('-').map(Number);
  return aMs < bMs || (aMs === bMs && aSequence < bSequence);
}
