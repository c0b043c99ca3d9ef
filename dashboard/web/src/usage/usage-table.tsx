import type { UsageCounts } from '@lontar/shared/usage/usage-counts.ts';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { formatCount } from '../tiles/format.ts';
import { usage } from '../words/usage.ts';
import { endsOf, type Group, type Grouping } from './group-usage.ts';

/** Lines drawn at first, and added by each "more". */
const LINES = 100;

/** The line's own name, as the reader knows it. */
export function nameOf({ id, name }: Pick<Group, 'id' | 'name'>, by: Grouping): string {
  const words = usage();
  if (by === 'owner') return id === '' ? words.noOwner : id;
  if (by === 'model') return id === '-' ? words.noModel : id;
  if (by === 'day') return id;
  if (id === 'none') return words.noKey;
  if (id === 'others') return words.otherKeys;
  return name === '' ? words.deletedKey : name;
}

/** What was used, by whatever it is put together by. */
export function UsageTable(props: {
  readonly groups: readonly Group[];
  readonly by: Grouping;
  readonly total: UsageCounts;
  /** What was counted, of keys that are not among the lines. */
  readonly rest: UsageCounts;
  /** Whether there are further keys to read. */
  readonly hasMore: boolean;
  readonly choose: (group: Group) => void;
}) {
  const { groups, by, total, rest, hasMore, choose } = props;
  const words = usage();
  const shown = useSignal(LINES);
  const more = groups.length - shown.value;
  return (
    <>
      <div class="scroll-x" tabindex={0} role="region" aria-label={words.title}>
        <table class="usage stacked" role="table">
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">
                {words.groupings[by]}
              </th>
              {Object.entries(words.columns).map(([name, word]) => (
                <th scope="col" role="columnheader" key={name}>
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {groups.slice(0, shown.value).map((group) => (
              <Line key={group.id} counts={group.counts}>
                <Name group={group} by={by} choose={choose} />
              </Line>
            ))}
            {rest.requests > 0 && (
              <Line kind="rest" counts={rest}>
                {hasMore ? words.notRead : words.notKnown}
              </Line>
            )}
          </tbody>
          <tfoot role="rowgroup">
            <Line counts={total}>{words.total}</Line>
          </tfoot>
        </table>
      </div>
      {more > 0 && (
        <p class="log-foot">
          <button
            type="button"
            class="quiet"
            onClick={() => {
              shown.value += LINES;
            }}
          >
            {words.showMore(formatCount(Math.min(more, LINES)))}
          </button>
        </p>
      )}
    </>
  );
}

function Name(props: { readonly group: Group; readonly by: Grouping; readonly choose: (group: Group) => void }) {
  const { group, by, choose } = props;
  const name = nameOf(group, by);
  // The API tells no owner from none by an empty name, and what stands for several keys is no key.
  const isSingle = by === 'owner' ? group.id !== '' : by !== 'key' || group.id !== 'others';
  return (
    <>
      {isSingle ? (
        <button type="button" class="link" aria-label={usage().showOnly(name)} onClick={() => choose(group)}>
          <bdi>{name}</bdi>
        </button>
      ) : (
        name
      )}
      {by === 'key' && (
        <span class="whose">
          {name !== group.id && group.id.length > 6 && <code>{group.id}</code>} <bdi>{group.owner}</bdi>
        </span>
      )}
    </>
  );
}

function Line(props: { readonly kind?: string; readonly counts: UsageCounts; readonly children: ComponentChildren }) {
  return (
    <tr role="row" class={props.kind}>
      <th scope="row" role="rowheader">
        {props.children}
      </th>
      <Counts counts={props.counts} />
    </tr>
  );
}

function Counts({ counts }: { readonly counts: UsageCounts }) {
  const { successes, callers, limited, failures } = endsOf(counts);
  const { requests, masked, promptTokens, completionTokens } = counts;
  const shown = { requests, successes, callers, limited, failures, masked, promptTokens, completionTokens };
  const { columns } = usage();
  return (
    <>
      {Object.entries(shown).map(([name, count]) => (
        <td
          role="cell"
          key={name}
          class={count === 0 ? 'zero' : undefined}
          data-name={columns[name as keyof typeof shown]}
        >
          {formatCount(count)}
        </td>
      ))}
    </>
  );
}
