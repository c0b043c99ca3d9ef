import { useSignal } from '@preact/signals';
import { faults, moments } from '../live/live-state.ts';
import { Fault } from '../page/fault.tsx';
import { formatCount, formatMs, formatSpan } from '../tiles/format.ts';
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
    <section class="charts" aria-label="Last 60 minutes">
      <div class="card-head">
        <h2>Last 60 minutes</h2>
        <button
          type="button"
          class="quiet"
          aria-pressed={asTable.value}
          onClick={() => {
            asTable.value = !asTable.value;
          }}
        >
          Show as table
        </button>
      </div>
      <Fault reason={faults.value.moments} />
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
  const paths = stackPaths(spans, top, BOX);
  const times = spans.map(({ p95Ms }) => p95Ms);
  return (
    <figure>
      <figcaption>
        <strong>Requests per second</strong>
        <span class="legend">
          {STACKS.map(({ name, tone }) => (
            <span key={tone}>
              <i class={`swatch ${tone}`} />
              {name}
            </span>
          ))}
          <span>
            <i class="swatch line" />
            p95, right scale
          </span>
        </span>
      </figcaption>
      <Chart
        name="Requests per second by outcome, and p95 of the response time"
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
  const depth = spans.map(({ waiting }) => waiting);
  const age = spans.map(({ oldestWaitingMs }) => oldestWaitingMs);
  return (
    <figure>
      <figcaption>
        <strong>Queue</strong>
        <span class="legend">
          <span>
            <i class="swatch depth" />
            jobs waiting
          </span>
          <span>
            <i class="swatch line" />
            oldest waiting, right scale
          </span>
        </span>
      </figcaption>
      <Chart
        name="Jobs waiting in the queue, and how long the oldest has waited"
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
  const rates = stackRates(span);
  const parts = STACKS.flatMap(({ name }, index) => {
    const rate = rates[index] ?? 0;
    return rate > 0 ? [`${formatRate(rate)}/s ${name.toLowerCase()}`] : [];
  });
  const p95 = span.p95Ms === undefined ? [] : [`p95 ${formatMs(span.p95Ms)}`];
  return [...(parts.length === 0 ? ['no requests'] : parts), ...p95].join(' · ');
}

function readQueue({ waiting, oldestWaitingMs }: Span): string {
  if (waiting === undefined) return 'not measured';
  if (waiting === 0) return 'nothing waits';
  return `${formatCount(waiting)} waiting · oldest ${formatSpan(oldestWaitingMs ?? 0)}`;
}

function formatRate(rate: number): string {
  return rate >= 10 || Number.isInteger(rate) ? formatCount(Math.round(rate)) : String(Math.round(rate * 100) / 100);
}

function MinutesTable({ spans }: { readonly spans: readonly Span[] }) {
  const ms = (value: number | undefined) => (value === undefined ? '–' : formatMs(value));
  return (
    // A region that scrolls must be reachable by keyboard.
    <div class="scroll" tabindex={0} role="region" aria-label="Last 60 minutes as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">Minute</th>
            <th scope="col">Requests</th>
            {STACKS.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
            <th scope="col">p95</th>
            <th scope="col">Waiting</th>
            <th scope="col">Oldest</th>
          </tr>
        </thead>
        <tbody>
          {spans.map((row) => (
            <tr key={row.at}>
              <th scope="row">{minuteOf(row.at)}</th>
              <td>{formatCount(totalOf(row))}</td>
              {row.stacks.map((amount, index) => (
                <td key={STACKS[index]?.name}>{formatCount(amount)}</td>
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
