import { useRef } from 'preact/hooks';
import { faults, logContent, rows } from '../live/live-state.ts';
import { Fault } from '../page/fault.tsx';
import { formatCount } from '../tiles/format.ts';
import { log } from '../words/log.ts';
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

/** The log: what was answered, newest first. */
export function LogView() {
  const words = log();
  return (
    <section class="log" aria-label={words.title}>
      <div class="card-head">
        <h2>{words.title}</h2>
        {!logContent.value && <p class="hint">{words.textsOff}</p>}
        <LogFilters filter={filter.value} setFilter={setFilter} />
      </div>
      <Fault lack={faults.value.log} />
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
          ↑ {log().newRows(formatCount(waiting.value))}
        </button>
      )}
      <div
        class="rows"
        ref={list}
        role="table"
        aria-label={log().newestFirst}
        tabindex={0}
        onScroll={settle}
        onPointerUp={settle}
        onKeyUp={settle}
        onFocusIn={settle}
        onFocusOut={() => setTimeout(settle)}
      >
        <RowHead />
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

/** The names of the columns. */
export function RowHead({ withAddress = false }: { readonly withAddress?: boolean }) {
  return (
    <div role="rowgroup" class="row-head">
      <div role="row" class="row">
        {Object.entries(log().columns).map(([name, word]) =>
          name === 'address' && !withAddress ? null : (
            <span role="columnheader" key={name} class={`of-${name}`}>
              {word}
            </span>
          ),
        )}
      </div>
    </div>
  );
}

function Foot() {
  const words = log();
  const empty = shown.value.length === 0;
  const filtered = Object.keys(filter.value).length > 0;
  return (
    <p class="log-foot">
      {empty && <span>{words.nonePasses} </span>}
      {olderState.value === 'failed' && <span>{words.olderFailed} </span>}
      {hasMore.value ? (
        <button type="button" class="quiet" disabled={olderState.value === 'loading'} onClick={() => void showOlder()}>
          {empty ? words.searchOlder : words.showOlder}
        </button>
      ) : (
        <span>{words.whole} </span>
      )}
      {filtered && (
        <button type="button" class="quiet" onClick={() => setFilter({})}>
          {words.clear}
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
