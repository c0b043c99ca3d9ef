import { useRef } from 'preact/hooks';
import { faults, logContent, rows } from '../live/live-state.ts';
import { Fault } from '../page/fault.tsx';
import { FirstRequest } from './first-request.tsx';
import { LogFilters } from './log-filters.tsx';
import { LogRowView } from './log-row.tsx';
import {
  filter,
  hasMore,
  holdRows,
  olderState,
  releaseRows,
  setFilter,
  shown,
  showOlder,
  waiting,
} from './log-state.ts';

const COLUMNS = ['Time', 'Outcome', 'Request', 'Key', 'Endpoint', 'Model', 'Time taken', 'Tokens', 'Masking'];

/** The log: what was answered, newest first. */
export function LogView() {
  return (
    <section class="log" aria-label="Log">
      <div class="card-head">
        <h2>Log</h2>
        {!logContent.value && <p class="hint">Texts are off (LOG_CONTENT=off)</p>}
        <LogFilters />
      </div>
      <Fault reason={faults.value.log} />
      <Rows />
    </section>
  );
}

function Rows() {
  const list = useRef<HTMLDivElement>(null);
  if (rows.value === undefined) return <Bones />;
  if (rows.value.length === 0) return <FirstRequest />;
  const settle = () => {
    const element = list.current;
    if (element === null) return;
    if (element.scrollTop > 4 || isBusy(element)) holdRows();
    else releaseRows();
  };
  return (
    <div class="rows-frame">
      {waiting.value > 0 && (
        <button
          type="button"
          class="new-rows"
          onClick={() => {
            getSelection()?.removeAllRanges();
            list.current?.scrollTo({ top: 0 });
            releaseRows();
          }}
        >
          ↑ {waiting.value} new
        </button>
      )}
      <div
        class="rows"
        ref={list}
        role="table"
        aria-label="Requests, newest first"
        tabindex={0}
        onScroll={settle}
        onPointerUp={settle}
        onKeyUp={settle}
        onFocusIn={settle}
        onFocusOut={() => setTimeout(settle)}
      >
        <div role="rowgroup" class="row-head">
          <div role="row" class="row">
            {COLUMNS.map((name) => (
              <span role="columnheader" key={name}>
                {name}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup">
          {shown.value.map((row) => (
            <LogRowView key={row.cursor} row={row} />
          ))}
        </div>
      </div>
      <Foot />
    </div>
  );
}

function Foot() {
  const empty = shown.value.length === 0;
  const filtered = Object.keys(filter.value).length > 0;
  return (
    <p class="log-foot">
      {empty && <span>Nothing here passes the filter. </span>}
      {olderState.value === 'failed' && <span>Older rows could not be read. </span>}
      {hasMore.value ? (
        <button type="button" class="quiet" disabled={olderState.value === 'loading'} onClick={() => void showOlder()}>
          {empty ? 'Search older rows' : 'Show older'}
        </button>
      ) : (
        <span>This is the whole log. </span>
      )}
      {filtered && (
        <button type="button" class="quiet" onClick={() => setFilter({})}>
          Clear filters
        </button>
      )}
    </p>
  );
}

function Bones() {
  return (
    <div class="rows" aria-hidden="true">
      {Array.from({ length: 8 }, (_, index) => (
        <div class="row" key={index}>
          <span class="bone row-wide" />
        </div>
      ))}
    </div>
  );
}

/** Whether the reader selects text in the list, or stands on a row with the keyboard. */
function isBusy(list: HTMLElement): boolean {
  const selection = getSelection();
  const selects = selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode);
  const { activeElement } = document;
  return selects || (activeElement !== list && list.contains(activeElement));
}
