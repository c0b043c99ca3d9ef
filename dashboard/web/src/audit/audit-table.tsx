import type { AuditEntry } from '@lontar/shared/admin/audit.ts';
import { showHidden } from '@lontar/shared/hidden-characters.ts';
import type { PageProps } from '../page/page-props.ts';
import { addressOf } from '../page/place.ts';
import { formatDateTime } from '../tiles/format.ts';
import { audit } from '../words/audit.ts';
import { keys } from '../words/keys.ts';
import { type Change, changesOf } from './changes.ts';

/** What is shown at once of a text that others chose; the rest is folded away. */
const MOST_SHOWN = 80;

type TableProps = Pick<PageProps, 'setQuery'>;

/** Entries as a table; on a narrow screen each is a block of its own. */
export function AuditTable({ entries, setQuery }: TableProps & { readonly entries: readonly AuditEntry[] }) {
  const { columns, title } = audit();
  return (
    // The roles are said, because a table whose rows are laid out otherwise would lose them.
    <table class="keys audit" role="table" aria-label={title}>
      <thead role="rowgroup">
        <tr role="row">
          {Object.entries(columns).map(([name, word]) => (
            <th scope="col" role="columnheader" key={name} class={name}>
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} setQuery={setQuery} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ entry, setQuery }: TableProps & { readonly entry: AuditEntry }) {
  const words = audit();
  const { at, actor, outcome } = entry;
  return (
    <tr role="row">
      <td role="cell" class="at">
        {formatDateTime(Date.parse(at))}
      </td>
      <td role="cell" class="who">
        {words.bys[actor.by]} <Only name="by" value={actor.id} setQuery={setQuery} />
        {actor.name !== undefined && (
          <span class="none">
            <Text text={actor.name} />
          </span>
        )}
        {actor.from !== undefined && (
          <span class="none">
            <Text text={words.from(actor.from)} />
          </span>
        )}
      </td>
      <th scope="row" role="rowheader" class="action">
        {actionWord(entry.action)}
        {outcome !== 'done' && (
          <span class={`word ${outcome === 'refused' ? 'failure' : 'caller'}`}>
            <span aria-hidden="true">{outcome === 'refused' ? '✕' : '◔'}</span> {words.outcomes[outcome]}
          </span>
        )}
      </th>
      <td role="cell" class="target">
        <Target entry={entry} setQuery={setQuery} />
      </td>
      <td role="cell" class="change">
        <Changes changes={changesOf(entry)} />
      </td>
    </tr>
  );
}

/** In words; a later version's action, which has none here, by its name. */
export function actionWord(action: string): string {
  return (audit().actions as Readonly<Record<string, string>>)[action] ?? action;
}

/** A field in words; one that has none here by its name. */
function fieldWord(name: string): string {
  const { fields } = audit();
  return Object.hasOwn(fields, name) ? ((fields as Readonly<Record<string, string>>)[name] ?? name) : name;
}

/** A time by the reader's clock, like that of the entry, and a state in words; everything else as it stands in the log. */
function sayValue(name: string, value: string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatDateTime(Date.parse(value));
  const { states } = keys();
  return name === 'state' && Object.hasOwn(states, value) ? states[value as keyof typeof states] : value;
}

/** A key leads to its sheet, unless it was deleted. */
function Target({ entry: { action, target }, setQuery }: TableProps & { readonly entry: AuditEntry }) {
  if (target === '') return <span class="none">–</span>;
  if (!action.startsWith('key.') || action === 'key.delete') {
    return <Only name="target" value={target} setQuery={setQuery} />;
  }
  return (
    <>
      <a href={addressOf('/keys', new URLSearchParams({ key: target }))}>
        <Text text={target} />
      </a>
      <Only name="target" value={target} setQuery={setQuery} word={audit().only} />
    </>
  );
}

/** Leads to the entries that have the same. */
function Only(props: TableProps & { readonly name: 'by' | 'target'; readonly value: string; readonly word?: string }) {
  const { name, value, word, setQuery } = props;
  const shown = shorten(value);
  return (
    <button
      type="button"
      class={word === undefined ? 'link' : 'link only'}
      aria-label={word === undefined ? audit().onlyOf(shown) : `${word}: ${shown}`}
      onClick={() => setQuery({ [name]: value })}
    >
      {word ?? <bdi>{shown}</bdi>}
    </button>
  );
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <span class="none">–</span>;
  return (
    <dl>
      {changes.map(({ name, was, is }) => (
        <div key={name}>
          <dt>
            <Text text={fieldWord(name)} />:{' '}
          </dt>
          <dd>
            {was !== undefined && (
              <del>
                <Text text={sayValue(name, was)} />
              </del>
            )}
            {was !== undefined && is !== undefined && <span aria-hidden="true"> → </span>}
            {is !== undefined && (
              <ins>
                <Text text={sayValue(name, is)} />
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A text that others chose: by itself whatever it is written in, with what is not seen by name, and long ones folded. */
function Text({ text }: { readonly text: string }) {
  const shown = shorten(text);
  if (text.length <= MOST_SHOWN) return <bdi>{shown}</bdi>;
  return (
    <details>
      <summary>
        <bdi>{shown}</bdi>
      </summary>
      <bdi>{showHidden(text)}</bdi>
    </details>
  );
}

function shorten(text: string): string {
  return showHidden(text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`);
}
