import './usage.css';
import type { UsageCounts } from '@lontar/shared/usage/usage-counts.ts';
import { csvOf, saveCsv } from '../csv/save-csv.ts';
import { Link } from '../page/link.tsx';
import type { PageProps } from '../page/page-props.ts';
import { Bones, Shown, State } from '../page/states.tsx';
import { formatCount, formatRate } from '../tiles/format.ts';
import { usage } from '../words/usage.ts';
import { type Day, DaysChart } from './days-chart.tsx';
import {
  endsOf,
  GROUPINGS,
  type Group,
  type Grouping,
  groupUsage,
  restOf,
  sumOf,
  tableOf,
  type UsageRow,
} from './group-usage.ts';
import { daysOf, readPeriod } from './period.ts';
import { UsageHead } from './usage-head.tsx';
import { nameOf, UsageTable } from './usage-table.tsx';
import { ofModel, type ReadUsage, useUsage } from './use-usage.ts';

const METRICS = ['requests', 'tokens'] as const;

/** What was used, by day, key, model or owner; the address says which. */
export function Page({ query, setQuery }: PageProps) {
  const period = readPeriod(query, Date.now());
  const by = GROUPINGS.find((known) => known === query.get('by')) ?? 'day';
  const [key, owner, model] = ['key', 'owner', 'model'].map((name) => query.get(name) || undefined);
  const { from, to } = period;
  const asked = useUsage({
    from,
    to,
    by,
    ...(key === undefined ? {} : { key }),
    ...(owner === undefined || key !== undefined ? {} : { owner }),
  });
  const { body, isLoading } = asked;
  const save = body === undefined || isLoading ? undefined : () => saveTable(body, model);
  return (
    <div class="usage-page">
      <UsageHead period={period} by={by} at={asked.at} setQuery={setQuery} again={asked.again} save={save} />
      <Filters rows={body?.rows ?? []} query={query} setQuery={setQuery} />
      <Shown asked={asked} bones={<Bones rows={9} />}>
        {(read) => <Content read={read} query={query} setQuery={setQuery} more={asked.more} />}
      </Shown>
    </div>
  );
}

function Content(props: PageProps & { readonly read: ReadUsage; readonly more: () => void }) {
  const { read, query, setQuery, more } = props;
  const words = usage();
  const { by } = read.wanted;
  const { groups, whole, total, rest } = lookAt(read, query.get('model') || undefined);
  if (total.requests === 0 && total.left === 0) return <State title={words.none}>{words.noneWhy}</State>;
  return (
    <>
      <Sums total={total} />
      <Chart rows={whole} read={read} query={query} setQuery={setQuery} />
      <UsageTable
        key={by}
        groups={groups}
        by={by}
        total={total}
        rest={rest}
        hasMore={read.next !== undefined}
        choose={(group) => setQuery(choiceOf(group, by))}
      />
      {read.next !== undefined && (
        <p class="log-foot">
          <button type="button" onClick={more}>
            {words.readMore}
          </button>
        </p>
      )}
    </>
  );
}

/** What is shown of what was read. */
function lookAt(read: ReadUsage, model: string | undefined) {
  const rows = ofModel(read.rows, model);
  const whole = ofModel(read.whole ?? read.rows, model);
  const total = sumOf(whole);
  return { groups: groupUsage(rows, read.wanted.by), whole, total, rest: restOf(total, sumOf(rows)) };
}

/** What a line leads to: itself alone, by what it is made of. */
function choiceOf({ id }: Group, by: Grouping) {
  if (by === 'day') return { from: id, to: id, range: undefined, by: 'key' };
  return { [by]: id, by: undefined };
}

function saveTable(read: ReadUsage, model: string | undefined): void {
  const { from, to, by } = read.wanted;
  const { head, rows } = tableOf(lookAt(read, model).groups, by);
  saveCsv(`usage-by-${by}-${from}-${to}.csv`, csvOf(head, rows));
}

/** What several keys are counted under is no key's id. */
const KEY_ID = /^[0-9A-Za-z]{10}$/;

/** What is shown alone, and the way back to all. */
function Filters({ rows, query, setQuery }: PageProps & { readonly rows: readonly UsageRow[] }) {
  const words = usage();
  const key = query.get('key') ?? '';
  const filters = (['key', 'owner', 'model'] as const).flatMap((name) => {
    const id = query.get(name) ?? '';
    if (id === '') return [];
    const known = rows.find(({ key }) => name === 'key' && key === id)?.name ?? (name === 'key' ? id : '');
    return [{ name, label: words.of[name](nameOf({ id, name: known }, name)) }];
  });
  if (filters.length === 0) return null;
  return (
    <p class="usage-filters">
      {filters.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          aria-label={words.showAll(label)}
          onClick={() => setQuery({ [name]: undefined })}
        >
          <bdi>{label}</bdi> <span aria-hidden="true">✕</span>
        </button>
      ))}
      {KEY_ID.test(key) && (
        <Link path="/keys" query={{ key }}>
          {words.toKey}
        </Link>
      )}
    </p>
  );
}

function Sums({ total }: { readonly total: UsageCounts }) {
  const words = usage();
  const { successes, callers, limited, failures } = endsOf(total);
  const { columns } = words;
  const ends = [
    [callers, columns.callers],
    [limited, columns.limited],
    [failures, columns.failures],
  ] as const;
  const bad = ends.filter(([count]) => count > 0).map(([count, name]) => `${formatCount(count)} ${name.toLowerCase()}`);
  const left = total.left > 0 ? words.left(formatCount(total.left)) : '';
  const estimated = total.estimatedTokens > 0 ? words.estimated(formatCount(total.estimatedTokens)) : '';
  const sums = [
    ['requests', formatCount(total.requests), left],
    ['successRate', formatRate(successes, failures), bad.join(' · ')],
    ['masked', formatCount(total.masked), ''],
    ['tokensIn', formatCount(total.promptTokens), estimated],
    ['tokensOut', formatCount(total.completionTokens), ''],
  ] as const;
  return (
    <dl class="sums">
      {sums.map(([name, value, aside]) => (
        <div key={name} data-sum={name}>
          <dt>{words.sums[name]}</dt>
          <dd class={value.length > 11 ? 'number long' : 'number'}>{value}</dd>
          {aside !== '' && <dd class="aside">{aside}</dd>}
        </div>
      ))}
    </dl>
  );
}

function Chart({
  rows,
  read,
  query,
  setQuery,
}: PageProps & { readonly rows: readonly UsageRow[]; readonly read: ReadUsage }) {
  const words = usage();
  const { columns } = words;
  const metric = METRICS.find((known) => known === query.get('chart')) ?? 'requests';
  const byDay = new Map(groupUsage(rows, 'day').map(({ id, counts }) => [id, counts]));
  const days = daysOf(read.wanted).map((date): Day => {
    const counts = byDay.get(date);
    if (counts === undefined) return { date, parts: [] };
    const { successes, callers, limited, failures } = endsOf(counts);
    const isTokens = metric === 'tokens';
    return {
      date,
      parts: isTokens ? [counts.promptTokens, counts.completionTokens] : [successes, callers, limited, failures],
    };
  });
  const stacks =
    metric === 'tokens'
      ? [
          { name: columns.promptTokens, tone: 'limited' },
          { name: columns.completionTokens, tone: 'success' },
        ]
      : [
          { name: columns.successes, tone: 'success' },
          { name: columns.callers, tone: 'caller' },
          { name: columns.limited, tone: 'limited' },
          { name: columns.failures, tone: 'failure' },
        ];
  return (
    <div class="usage-chart">
      <div class="choices" role="group" aria-label={words.chart}>
        {METRICS.map((name) => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-pressed={metric === name}
            onClick={() => setQuery({ chart: name === 'requests' ? undefined : name }, { replace: true })}
          >
            {words.metrics[name]}
          </button>
        ))}
      </div>
      <DaysChart name={metric === 'tokens' ? words.tokensByDay : words.requestsByDay} days={days} stacks={stacks} />
    </div>
  );
}
