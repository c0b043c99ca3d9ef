import type { UsageRow } from '@lontar/shared/usage/read-usage.ts';
import { useSignal } from '@preact/signals';
import { useAsked } from '../admin-api/use-asked.ts';
import { Bones, Shown } from '../page/states.tsx';
import { formatCount } from '../tiles/format.ts';
import { type Day, DaysChart } from '../usage/days-chart.tsx';
import { endsOf, groupUsage } from '../usage/group-usage.ts';
import { daysOf, readPeriod } from '../usage/period.ts';
import { keyForm } from '../words/key-form.ts';
import { usage } from '../words/usage.ts';

/** What a key did on each of the last 30 days, as bars and as a table. */
export function KeyDays({ id }: { readonly id: string }) {
  const { from, to } = readPeriod(new URLSearchParams(), Date.now());
  const asked = useAsked<{ readonly rows: readonly UsageRow[] }>(`/usage?key=${id}&from=${from}&to=${to}`);
  const asTable = useSignal(false);
  const words = keyForm();
  return (
    <section class="key-days">
      <Shown asked={asked} bones={<Bones rows={4} />}>
        {({ rows }) => {
          const days = barsOf(rows, daysOf({ from, to }));
          return (
            <>
              <button
                type="button"
                class="quiet"
                aria-pressed={asTable.value}
                onClick={() => {
                  asTable.value = !asTable.value;
                }}
              >
                {words.showTable}
              </button>
              {asTable.value ? (
                <DaysTable days={days} />
              ) : (
                <DaysChart name={words.chart} days={days} stacks={stacksOf()} />
              )}
            </>
          );
        }}
      </Shown>
    </section>
  );
}

function stacksOf() {
  const { columns } = usage();
  return [
    { name: columns.successes, tone: 'success' },
    { name: columns.callers, tone: 'caller' },
    { name: columns.limited, tone: 'limited' },
    { name: columns.failures, tone: 'failure' },
  ];
}

function barsOf(rows: readonly UsageRow[], dates: readonly string[]): Day[] {
  const named = rows.map((row) => ({ ...row, name: '', owner: '' }));
  const byDay = new Map(groupUsage(named, 'day').map(({ id, counts }) => [id, counts]));
  return dates.map((date) => {
    const counts = byDay.get(date);
    if (counts === undefined) return { date, parts: [] };
    const { successes, callers, limited, failures } = endsOf(counts);
    return { date, parts: [successes, callers, limited, failures] };
  });
}

function DaysTable({ days }: { readonly days: readonly Day[] }) {
  const words = keyForm();
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={words.chart}>
      <table>
        <thead>
          <tr>
            {[words.day, ...stacksOf().map(({ name }) => name)].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ date, parts }) => (
            <tr key={date}>
              <th scope="row">{date}</th>
              {stacksOf().map(({ tone }, index) => (
                <td key={tone}>{formatCount(parts[index] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
