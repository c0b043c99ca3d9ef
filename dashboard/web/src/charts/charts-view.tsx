import { useSignal } from '@preact/signals';
import { faults, moments } from '../live/live-state.ts';
import { Fault } from '../page/fault.tsx';
import { formatCount, formatDecimal, formatMs, formatSpan } from '../tiles/format.ts';
import { charts as wordsOf } from '../words/charts.ts';
import { BOX, Chart } from './chart.tsx';
import {
  drawnSpans,
  linePath,
  minuteSpans,
  roundUp,
  type Span,
  STACKS,
  stackPaths,
  stackRates,
  totalOf,
} from './series.ts';

/** The last 60 minutes: what was answered and how fast, and what waits. */
export function ChartsView() {
  const asTable = useSignal(false);
  return (
    <section class="charts" aria-label={wordsOf().title}>
      <div class="card-head">
        <h2>{wordsOf().title}</h2>
        <button
          type="button"
          class="quiet"
          aria-pressed={asTable.value}
          onClick={() => {
            asTable.value = !asTable.value;
          }}
        >
          {wordsOf().asTable}
        </button>
      </div>
      <Fault lack={faults.value.moments} />
      {asTable.value ? (
        <MinutesTable spans={minuteSpans(moments.value)} />
      ) : (
        <Drawn spans={drawnSpans(moments.value)} />
      )}
    </section>
  );
}

function Drawn({ spans }: { readonly spans: readonly Span[] }) {
  return (
    <div class="pair">
      <RequestsChart spans={spans} />
      <QueueChart spans={spans} />
    </div>
  );
}

function RequestsChart({ spans }: { readonly spans: readonly Span[] }) {
  const top = roundUp(Math.max(0, ...spans.map((span) => totalOf(span) / span.seconds)));
  const topMs = roundUp(Math.max(100, ...spans.map(({ p95Ms }) => p95Ms ?? 0)));
  const words = wordsOf();
  const paths = stackPaths(spans, top, BOX);
  const times = spans.map(({ p95Ms }) => p95Ms);
  return (
    <figure>
      <figcaption>
        <strong>{words.perSecond}</strong>
        <span class="legend">
          {STACKS.map(({ tone }) => (
            <span key={tone}>
              <i class={`swatch ${tone}`} />
              {words.stacks[tone]}
            </span>
          ))}
          <span>
            <i class="swatch line" />
            {words.p95Right}
          </span>
        </span>
      </figcaption>
      <Chart
        name={words.perSecondName}
        spans={spans}
        left={[formatRate(top), formatRate(top / 2), '0']}
        right={[formatMs(topMs), formatMs(topMs / 2), '0']}
        read={readRequests}
      >
        <Grid />
        {paths.map((path, index) => (
          <path key={STACKS[index]?.tone} class={`area ${STACKS[index]?.tone ?? ''}`} d={path} />
        ))}
        <path class="line p95" d={linePath(times, topMs, BOX)} vector-effect="non-scaling-stroke" />
      </Chart>
    </figure>
  );
}

function QueueChart({ spans }: { readonly spans: readonly Span[] }) {
  const top = Math.max(4, roundUp(Math.max(0, ...spans.map(({ waiting }) => waiting ?? 0))));
  const topMs = roundUp(Math.max(1_000, ...spans.map(({ oldestWaitingMs }) => oldestWaitingMs ?? 0)));
  const words = wordsOf();
  const depth = spans.map(({ waiting }) => waiting);
  const age = spans.map(({ oldestWaitingMs }) => oldestWaitingMs);
  return (
    <figure>
      <figcaption>
        <strong>{words.queue}</strong>
        <span class="legend">
          <span>
            <i class="swatch depth" />
            {words.jobsWaiting}
          </span>
          <span>
            <i class="swatch line" />
            {words.oldestRight}
          </span>
        </span>
      </figcaption>
      <Chart
        name={words.queueName}
        spans={spans}
        left={[formatRate(top), formatRate(top / 2), '0']}
        right={[formatMs(topMs), formatMs(topMs / 2), '0']}
        read={readQueue}
      >
        <Grid />
        <path class="line depth" d={linePath(depth, top, BOX)} vector-effect="non-scaling-stroke" />
        <path class="line p95" d={linePath(age, topMs, BOX)} vector-effect="non-scaling-stroke" />
      </Chart>
    </figure>
  );
}

function Grid() {
  return <path class="grid" d="M0,0.5H720M0,60H720M0,119.5H720" vector-effect="non-scaling-stroke" />;
}

function readRequests(span: Span): string {
  const words = wordsOf();
  const rates = stackRates(span);
  const parts = STACKS.flatMap(({ tone }, index) => {
    const rate = rates[index] ?? 0;
    return rate > 0 ? [`${formatRate(rate)}/s ${words.stacks[tone].toLowerCase()}`] : [];
  });
  const p95 = span.p95Ms === undefined ? [] : [`p95 ${formatMs(span.p95Ms)}`];
  return [...(parts.length === 0 ? [words.noRequests] : parts), ...p95].join(' · ');
}

function readQueue({ waiting, oldestWaitingMs }: Span): string {
  if (waiting === undefined) return wordsOf().notMeasured;
  if (waiting === 0) return wordsOf().nothingWaits;
  return wordsOf().waiting(formatCount(waiting), formatSpan(oldestWaitingMs ?? 0));
}

function formatRate(rate: number): string {
  return rate >= 10 ? formatCount(rate) : formatDecimal(rate, 2, 0);
}

function MinutesTable({ spans }: { readonly spans: readonly Span[] }) {
  const words = wordsOf();
  const ms = (value: number | undefined) => (value === undefined ? '–' : formatMs(value));
  return (
    // A region that scrolls must be reachable by keyboard.
    <div class="scroll" tabindex={0} role="region" aria-label={words.tableName}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.columns.minute}</th>
            <th scope="col">{words.columns.requests}</th>
            {STACKS.map(({ tone }) => (
              <th scope="col" key={tone}>
                {words.stacks[tone]}
              </th>
            ))}
            <th scope="col">p95</th>
            <th scope="col">{words.columns.waiting}</th>
            <th scope="col">{words.columns.oldest}</th>
          </tr>
        </thead>
        <tbody>
          {spans.map((row) => (
            <tr key={row.at}>
              <th scope="row">{minuteOf(row.at)}</th>
              <td>{formatCount(totalOf(row))}</td>
              {row.stacks.map((amount, index) => (
                <td key={STACKS[index]?.tone}>{formatCount(amount)}</td>
              ))}
              <td>{ms(row.p95Ms)}</td>
              <td>{row.waiting ?? '–'}</td>
              <td>{ms(row.oldestWaitingMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function minuteOf(at: number): string {
  const time = new Date(at);
  return `${String(time.getHours()).padStart(2, '0')}:${String(time.getMinutes()).padStart(2, '0')}`;
}
