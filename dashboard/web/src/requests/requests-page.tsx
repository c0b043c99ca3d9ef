import './requests.css';
import { type LogFilter, passesFilter } from '@lontar/shared/log-filter.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { faults, rows as liveRows, logContent } from '../live/live-state.ts';
import { LogFilters } from '../log/log-filters.tsx';
import { LogRowView } from '../log/log-row.tsx';
import { RowHead } from '../log/log-view.tsx';
import { Fault } from '../page/fault.tsx';
import type { PageProps } from '../page/page-props.ts';
import { Bones, Shown, State } from '../page/states.tsx';
import { formatClock, formatCount } from '../tiles/format.ts';
import { log } from '../words/log.ts';
import { requests } from '../words/requests.ts';
import { shell } from '../words/shell.ts';
import { type FoundRows, MOST_ROWS, useRequests } from './use-requests.ts';

/** Typing waits this long before it is searched for, ms. */
const TYPING_MS = 250;

/** The whole log, searched by the server; the address says what for. */
export function Page({ query, setQuery }: PageProps) {
  const words = requests();
  const filter = readFilter(query);
  const asked = useRequests(filter);
  const typed = useSignal<LogFilter | undefined>(undefined);
  useEffect(() => {
    const wanted = typed.value;
    if (wanted === undefined) return undefined;
    const { outcome, route, maskedOnly, text } = wanted;
    const step = () => {
      typed.value = undefined;
      setQuery({ outcome, endpoint: route, masked: maskedOnly ? '1' : undefined, q: text }, { replace: true });
    };
    const timer = setTimeout(step, text === filter.text ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const isFiltered = Object.keys(filter).length > 0;
  const waiting = useNewRows(asked.body, filter);
  useEffect(() => {
    // Who waits for a row that is on its way sees it come.
    if (waiting > 0 && asked.body?.rows.length === 0 && !asked.isLoading) asked.again();
  }, [waiting]);
  return (
    <div class="requests">
      <div class="card-head">
        <h2>{words.title}</h2>
        {asked.at !== undefined && <span class="hint">{shell().asOf(formatClock(asked.at))}</span>}
        <button type="button" class="quiet" onClick={asked.again}>
          {waiting > 0 ? `↑ ${log().newRows(formatCount(waiting))}` : words.refresh}
        </button>
        <LogFilters
          filter={typed.value ?? filter}
          setFilter={(wanted) => {
            typed.value = wanted;
          }}
        />
      </div>
      {!logContent.value && <p class="hint">{log().textsOff}</p>}
      <Fault lack={faults.value.log} />
      <Shown asked={asked} bones={<Bones rows={12} />}>
        {(found) => (
          <Rows
            found={found}
            isFiltered={isFiltered}
            more={asked.more}
            clear={() => setQuery({ outcome: undefined, endpoint: undefined, masked: undefined, q: undefined })}
          />
        )}
      </Shown>
    </div>
  );
}

function Rows(props: {
  readonly found: FoundRows;
  readonly isFiltered: boolean;
  readonly more: () => void;
  readonly clear: () => void;
}) {
  const { found, isFiltered, more, clear } = props;
  const words = requests();
  const { rows, next } = found;
  if (rows.length === 0) {
    return (
      <State title={isFiltered ? words.noneFound : words.none}>
        <p>{isFiltered ? words.noneFoundWhy : words.noneWhy}</p>
        {isFiltered && (
          <p class="actions">
            <button type="button" onClick={clear}>
              {log().clear}
            </button>
          </p>
        )}
      </State>
    );
  }
  return (
    <>
      <div class="rows" role="table" aria-label={log().newestFirst} tabindex={0}>
        <RowHead withAddress />
        <div role="rowgroup">
          {rows.slice(0, MOST_ROWS).map((row) => (
            <LogRowView key={row.cursor} row={row} withAddress />
          ))}
        </div>
      </div>
      <p class="log-foot">
        <span>{words.shown(formatCount(Math.min(rows.length, MOST_ROWS)))}</span>
        {rows.length >= MOST_ROWS ? (
          <span>{words.tooMany}</span>
        ) : next === undefined ? (
          <span>{log().whole}</span>
        ) : (
          <button type="button" class="quiet" onClick={more}>
            {log().showOlder}
          </button>
        )}
      </p>
    </>
  );
}

/** How many rows that pass the filter have come since the search. */
function useNewRows(found: FoundRows | undefined, filter: LogFilter): number {
  const newest = useSignal<string | undefined>(undefined);
  useEffect(() => {
    newest.value = found === undefined ? undefined : (found.rows[0]?.cursor ?? liveRows.peek()?.[0]?.cursor ?? '0-0');
  }, [found]);
  const known = newest.value;
  if (known === undefined || found === undefined) return 0;
  const shown = new Set(found.rows.map(({ id }) => id));
  return (liveRows.value ?? []).filter(
    (row) => isAfter(row.cursor, known) && !shown.has(row.id) && passesFilter(row, filter),
  ).length;
}

function isAfter(a: string, b: string): boolean {
  const [aMs = 0, aSequence = 0] = a.split('-').map(Number);
  const [bMs = 0, bSequence = 0] = b.split('-').map(Number);
  return aMs > bMs || (aMs === bMs && aSequence > bSequence);
}

/** What is searched for: `q` is text in an id, a name or an address. */
function readFilter(query: URLSearchParams): LogFilter {
  const value = (name: string) => query.get(name)?.trim().slice(0, 100) || undefined;
  const [outcome, route, text] = [value('outcome'), value('endpoint'), value('q')];
  return {
    ...(outcome === undefined ? {} : { outcome }),
    ...(route === undefined ? {} : { route }),
    ...(query.get('masked') === '1' ? { maskedOnly: true } : {}),
    ...(text === undefined ? {} : { text }),
  };
}
