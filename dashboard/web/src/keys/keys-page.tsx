import './keys.css';
import type { UsedKey } from '@lontar/shared/admin/admin-schemas.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAsked } from '../admin-api/use-asked.ts';
import { csvOf, saveCsv } from '../csv/save-csv.ts';
import type { PageProps } from '../page/page-props.ts';
import { Bones, Shown, State } from '../page/states.tsx';
import { keys } from '../words/keys.ts';
import { IssuedKey, issued } from './issued-key.tsx';
import { isFiltered, listPath, readShown } from './key-query.ts';
import { KeySheet } from './key-sheet.tsx';
import { KeyTable } from './key-table.tsx';
import { KeysHead } from './keys-head.tsx';
import { NewKeySheet } from './new-key-sheet.tsx';

interface KeyPage {
  readonly keys: readonly UsedKey[];
  readonly unreadable: readonly string[];
  readonly cursor: string | null;
}

/** The keys that there are: found, filtered and sorted as the address says, 50 at a time. */
export function Page({ query, setQuery }: PageProps) {
  const shown = readShown(query);
  const asked = useAsked<KeyPage>(listPath(shown));
  const [id, isNew] = [query.get('key'), query.has('new')];
  const rows = asked.body?.keys ?? [];
  return (
    <div class="keys-page">
      <KeysHead shown={shown} setQuery={setQuery} save={rows.length === 0 ? undefined : () => saveRows(rows)} />
      <Shown asked={asked} bones={<Bones rows={12} />}>
        {(page) => <Content page={page} query={query} setQuery={setQuery} />}
      </Shown>
      {issued.value !== undefined ? (
        <IssuedKey />
      ) : id !== null ? (
        <KeySheet key={id} id={id} onChange={asked.again} onClose={() => setQuery({ key: undefined })} />
      ) : (
        isNew && <NewKeySheet onMade={asked.again} onClose={() => setQuery({ new: undefined })} />
      )}
    </div>
  );
}

function Content({ page, query, setQuery }: PageProps & { readonly page: KeyPage }) {
  const words = keys();
  const shown = readShown(query);
  if (page.keys.length === 0 && page.cursor === null && shown.page === 1) {
    return isFiltered(shown) ? (
      <State title={words.notFound}>
        <p>{words.notFoundWhy}</p>
        <p class="actions">
          <button type="button" onClick={() => setQuery(NO_FILTER)}>
            {words.clear}
          </button>
        </p>
      </State>
    ) : (
      <State title={words.none}>
        <p>{words.noneWhy}</p>
        <p class="actions">
          <button type="button" class="primary" onClick={() => setQuery({ new: '1' })}>
            {words.newKey}
          </button>
        </p>
      </State>
    );
  }
  return (
    <>
      {page.unreadable.length > 0 && <Unreadable messages={page.unreadable} />}
      {page.keys.length === 0 ? <p class="hint">{words.goesOn}</p> : <KeyTable rows={page.keys} setQuery={setQuery} />}
      <Pager page={page} number={shown.page} setQuery={setQuery} />
    </>
  );
}

const NO_FILTER = { q: undefined, owner: undefined, state: undefined, cursor: undefined, page: undefined };

function Unreadable({ messages }: { readonly messages: readonly string[] }) {
  return (
    <details class="fault">
      <summary class="fault">▲ {keys().unreadable(messages.length)}</summary>
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </details>
  );
}

function Pager({
  page,
  number,
  setQuery,
}: Pick<PageProps, 'setQuery'> & { readonly page: KeyPage; readonly number: number }) {
  const words = keys();
  const isAlone = number === 1 && page.cursor === null;
  const turned = useSignal(false);
  useEffect(() => {
    if (turned.value) scrollTo({ top: 0 });
    turned.value = false;
  }, [page]);
  if (isAlone) return null;
  return (
    <p class="log-foot">
      <button type="button" disabled={number === 1} onClick={() => setQuery({ cursor: undefined, page: undefined })}>
        {words.firstPage}
      </button>
      <span>{words.page(number)}</span>
      <button
        type="button"
        disabled={page.cursor === null}
        onClick={() => {
          turned.value = true;
          setQuery({ cursor: page.cursor ?? undefined, page: String(number + 1) });
        }}
      >
        {words.nextPage}
      </button>
    </p>
  );
}

function saveRows(rows: readonly UsedKey[]): void {
  const head = ['id', 'name', 'owner', 'state', 'last_used_at', 'requests_today', 'tokens_today'];
  const more = ['requests_30_days', 'tokens_30_days', 'per_hour', 'per_day', 'credits', 'charged', 'note'];
  const none = { requests: 0, tokens: 0 };
  const table = rows.map((key) => {
    const { today, last30Days } = key.use ?? { today: none, last30Days: none };
    const whose = [key.id, key.name, key.owner ?? '', key.state, key.lastUsedAt ?? ''];
    const used = [today.requests, today.tokens, last30Days.requests, last30Days.tokens];
    return [...whose, ...used, key.perHour ?? '', key.perDay ?? '', key.credits ?? '', key.charged, key.note ?? ''];
  });
  saveCsv('keys.csv', csvOf([...head, ...more], table));
}
