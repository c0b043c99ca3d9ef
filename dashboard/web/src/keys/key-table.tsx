import type { KeyUse, UsedKey } from '@lontar/shared/admin/admin-schemas.ts';
import type { PageProps } from '../page/page-props.ts';
import { formatCount, formatDateTime } from '../tiles/format.ts';
import { keys } from '../words/keys.ts';
import { LimitBars, StateWord } from './limit-bars.tsx';

/** Keys as a table; on a narrow screen each row is a block of its own. */
export function KeyTable({ rows, setQuery }: Pick<PageProps, 'setQuery'> & { readonly rows: readonly UsedKey[] }) {
  const { columns, title } = keys();
  return (
    // The roles are said, because a table whose rows are laid out otherwise would lose them.
    <table class="keys" role="table" aria-label={title}>
      <thead role="rowgroup">
        <tr role="row">
          {Object.entries(columns).map(([name, word]) => (
            <th scope="col" role="columnheader" key={name} class={name === 'state' ? 'how' : name}>
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((key) => (
          <Row key={key.id} shown={key} setQuery={setQuery} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ shown, setQuery }: Pick<PageProps, 'setQuery'> & { readonly shown: UsedKey }) {
  const words = keys();
  const { id, name, owner, lastUsedAt, use } = shown;
  return (
    <tr role="row">
      <th scope="row" role="rowheader" class="name">
        <button type="button" class="link" aria-haspopup="dialog" onClick={() => setQuery({ key: id })}>
          <bdi>{name}</bdi>
        </button>
      </th>
      <td role="cell" class="owner">
        {owner !== null && (
          <button
            type="button"
            class="link"
            onClick={() => setQuery({ owner, q: undefined, cursor: undefined, page: undefined })}
          >
            <bdi>{owner}</bdi>
          </button>
        )}
      </td>
      <td role="cell" class="how">
        <StateWord state={shown.state} />
      </td>
      <td role="cell" class="lastUsed" data-name={words.columns.lastUsed}>
        {lastUsedAt === null ? (
          <span class="none">{words.never}</span>
        ) : (
          formatDateTime(Date.parse(lastUsedAt)).slice(0, 16)
        )}
      </td>
      <Used name="today" word={words.columns.today} use={use?.today} />
      <Used name="days" word={words.columns.days} use={use?.last30Days} />
      <td role="cell" class="left">
        <LimitBars {...shown} />
      </td>
    </tr>
  );
}

function Used(props: { readonly name: string; readonly word: string; readonly use: KeyUse['today'] | undefined }) {
  const { name, word, use } = props;
  const words = keys();
  return (
    <td role="cell" class={name} data-name={word}>
      {use === undefined || use.requests + use.tokens === 0 ? (
        <span class="none">–</span>
      ) : (
        <>
          {words.requests(formatCount(use.requests))}
          <span class="none">{words.tokens(formatCount(use.tokens))}</span>
        </>
      )}
    </td>
  );
}
