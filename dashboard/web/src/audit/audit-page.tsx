import '../keys/keys.css';
import './audit.css';
import type { AuditEntry } from '@lontar/shared/admin/audit.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { csvOf, saveCsv } from '../csv/save-csv.ts';
import type { PageProps } from '../page/page-props.ts';
import { Bones, Shown, State } from '../page/states.tsx';
import { formatClock, formatCount } from '../tiles/format.ts';
import { audit } from '../words/audit.ts';
import { log } from '../words/log.ts';
import { shell } from '../words/shell.ts';
import { AuditTable, actionWord } from './audit-table.tsx';
import { type FoundEntries, MOST_ENTRIES, useAudit } from './use-audit.ts';

const NO_FILTER = { by: undefined, action: undefined, target: undefined };

/** Who changed what, the newest first; the address says what is looked for. */
export function Page({ query, setQuery }: PageProps) {
  const words = audit();
  const filter = readFilter(query);
  const asked = useAudit(filter.toString());
  const { at, body } = asked;
  const entries = body?.rows ?? [];
  return (
    <div class="audit-page">
      <div class="card-head">
        <h2>{words.title}</h2>
        {at !== undefined && <span class="hint">{shell().asOf(formatClock(at))}</span>}
        <button type="button" class="quiet" onClick={asked.again}>
          {words.refresh}
        </button>
        <button
          type="button"
          class="quiet"
          title={words.csvHint}
          disabled={entries.length === 0 || asked.isLoading}
          onClick={() => saveEntries(entries)}
        >
          {words.csv}
        </button>
        <Filters query={filter} setQuery={setQuery} />
      </div>
      <Shown asked={asked} bones={<Bones rows={12} />}>
        {(found) => (
          <Content
            found={found}
            isFiltered={filter.size > 0}
            isBusy={asked.isLoading}
            more={asked.more}
            setQuery={setQuery}
          />
        )}
      </Shown>
    </div>
  );
}

/** Reads what an address asks for; what makes no sense is left out. */
function readFilter(query: URLSearchParams): URLSearchParams {
  const filter = new URLSearchParams();
  for (const name of ['by', 'target']) {
    const value = (query.get(name) ?? '').slice(0, 100);
    if (value !== '') filter.set(name, value);
  }
  const action = query.get('action') ?? '';
  if (Object.hasOwn(audit().actions, action)) filter.set('action', action);
  return filter;
}

/** Ids and addresses are looked for as a whole, and so when they are typed to their end. */
function Filters({ query, setQuery }: PageProps) {
  const words = audit();
  return (
    <form class="filters" role="search" aria-label={words.filters} onSubmit={(event) => event.preventDefault()}>
      <select
        aria-label={words.action}
        value={query.get('action') ?? ''}
        onChange={({ currentTarget }) => setQuery({ action: currentTarget.value })}
      >
        <option value="">{words.allActions}</option>
        {Object.keys(words.actions).map((action) => (
          <option key={action} value={action}>
            {actionWord(action)}
          </option>
        ))}
      </select>
      {(['by', 'target'] as const).map((name) => (
        <FilterField
          key={name}
          word={words[name]}
          value={query.get(name) ?? ''}
          set={(value) => setQuery({ [name]: value })}
        />
      ))}
    </form>
  );
}

function FilterField(props: { readonly word: string; readonly value: string; readonly set: (value: string) => void }) {
  const { word, value, set } = props;
  const typed = useSignal(value);
  // Back and forward, and what filters from elsewhere.
  useEffect(() => {
    typed.value = value;
  }, [value]);
  return (
    <input
      type="search"
      aria-label={word}
      placeholder={word}
      maxLength={100}
      value={typed.value}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value;
      }}
      onChange={({ currentTarget }) => set(currentTarget.value.trim())}
    />
  );
}

function Content(
  props: Pick<PageProps, 'setQuery'> & {
    readonly found: FoundEntries;
    readonly isFiltered: boolean;
    readonly isBusy: boolean;
    readonly more: () => void;
  },
) {
  const { found, isFiltered, isBusy, more, setQuery } = props;
  const words = audit();
  const { rows: entries, next } = found;
  if (entries.length === 0 && next === undefined) {
    return (
      <State title={isFiltered ? words.noneFound : words.none}>
        <p>{isFiltered ? words.noneFoundWhy : words.noneWhy}</p>
        {isFiltered && (
          <p class="actions">
            <button type="button" onClick={() => setQuery(NO_FILTER)}>
              {log().clear}
            </button>
          </p>
        )}
      </State>
    );
  }
  return (
    <>
      {entries.length === 0 ? <p class="hint">{words.goesOn}</p> : <AuditTable entries={entries} setQuery={setQuery} />}
      <p class="log-foot">
        <span>{words.shown(formatCount(entries.length))}</span>
        {next === undefined ? (
          !isFiltered && <span>{words.whole}</span>
        ) : entries.length >= MOST_ENTRIES ? (
          <span>{words.tooMany}</span>
        ) : (
          <button type="button" class="quiet" disabled={isBusy} onClick={more}>
            {log().showOlder}
          </button>
        )}
      </p>
    </>
  );
}

function saveEntries(entries: readonly AuditEntry[]): void {
  const head = ['id', 'at', 'by', 'who', 'name', 'from', 'action', 'outcome', 'target', 'before', 'after'];
  const json = (facts: AuditEntry['before']) => (facts === null ? '' : JSON.stringify(facts));
  const rows = entries.map(({ id, at, actor, action, outcome, target, before, after }) => {
    const who = [actor.by, actor.id, actor.name ?? '', actor.from ?? ''];
    return [id, at, ...who, action, outcome, target, json(before), json(after)];
  });
  saveCsv('audit.csv', csvOf(head, rows));
}
