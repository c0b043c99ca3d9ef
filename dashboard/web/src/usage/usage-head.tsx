import type { PageProps } from '../page/page-props.ts';
import { formatClock } from '../tiles/format.ts';
import { shell } from '../words/shell.ts';
import { usage } from '../words/usage.ts';
import { GROUPINGS, type Grouping } from './group-usage.ts';
import { choosableDays, type Period, RANGES } from './period.ts';

/** Which days, put together by what, and what can be done with it. */
export function UsageHead(props: {
  readonly period: Period;
  readonly by: Grouping;
  readonly at: number | undefined;
  readonly setQuery: PageProps['setQuery'];
  readonly again: () => void;
  readonly save: (() => void) | undefined;
}) {
  const { period, by, at, setQuery, again, save } = props;
  const words = usage();
  return (
    <>
      <div class="card-head usage-head">
        <h2>{words.title}</h2>
        <p class="hint">{words.period(period.from, period.to)}</p>
        <p class="tail">
          {at !== undefined && <span class="hint">{shell().asOf(formatClock(at))}</span>}
          <button type="button" class="quiet" onClick={again}>
            {words.refresh}
          </button>
          <button type="button" class="quiet" title={words.csvHint} disabled={save === undefined} onClick={save}>
            {words.csv}
          </button>
        </p>
      </div>
      <div class="usage-choices">
        <div class="choices" role="group" aria-label={words.range}>
          {RANGES.map((range) => (
            <button
              key={range}
              type="button"
              class="quiet"
              aria-pressed={period.range === range}
              onClick={() => setQuery({ range, from: undefined, to: undefined })}
            >
              {words.ranges[range]}
            </button>
          ))}
          <button
            type="button"
            class="quiet"
            aria-pressed={period.range === undefined}
            onClick={() => setQuery({ range: undefined, from: period.from, to: period.to })}
          >
            {words.custom}
          </button>
        </div>
        {period.range === undefined && <CustomDays period={period} setQuery={setQuery} />}
        <div class="choices by" role="group" aria-label={words.by}>
          {GROUPINGS.map((grouping) => (
            <button
              key={grouping}
              type="button"
              class="quiet"
              aria-pressed={by === grouping}
              onClick={() => setQuery({ by: grouping === 'day' ? undefined : grouping })}
            >
              {words.groupings[grouping]}
            </button>
          ))}
        </div>
      </div>
    </>
  );
}

function CustomDays({ period: { from, to }, setQuery }: { readonly period: Period } & Pick<PageProps, 'setQuery'>) {
  const words = usage();
  const bounds = choosableDays(Date.now());
  // An emptied field, and a day that is half typed, is none.
  const change = (name: 'from' | 'to') => (event: { readonly currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget;
    if (value !== '') setQuery({ from, to, [name]: value }, { replace: true });
  };
  return (
    <div class="custom">
      <label>
        {words.from}
        <input type="date" required min={bounds.from} max={bounds.to} value={from} onChange={change('from')} />
      </label>
      <label>
        {words.to}
        <input type="date" required min={bounds.from} max={bounds.to} value={to} onChange={change('to')} />
      </label>
    </div>
  );
}
