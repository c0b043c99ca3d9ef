import { useSignal } from '@preact/signals';
import { roundUp } from '../charts/series.ts';
import { formatCount, formatShort } from '../tiles/format.ts';

const BOX = { width: 720, height: 120 } as const;
/** More bars than this have no room for gaps; of a few, none is wider than this. */
const MOST_WITH_GAPS = 120;
const WIDEST = 64;

/** One part of each bar. */
export interface Stack {
  readonly name: string;
  /** Of the swatches and areas of the charts. */
  readonly tone: string;
}

/** One bar. */
export interface Day {
  readonly date: string;
  /** As many as there are stacks. */
  readonly parts: readonly number[];
}

/**
 * Days as bars, with a cursor that follows the pointer and the arrow keys. As a slider it can be read day by day without
 * seeing it; the table by day has the same numbers.
 */
export function DaysChart(props: {
  readonly name: string;
  readonly days: readonly Day[];
  readonly stacks: readonly Stack[];
}) {
  const { name, days, stacks } = props;
  const cursor = useSignal<number | undefined>(undefined);
  const last = days.length - 1;
  const at = Math.min(cursor.value ?? last, last);
  const top = roundUp(Math.max(0, ...days.map(({ parts }) => sum(parts))));
  const reading = readDay(days[at], stacks);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7, Home: -last, End: last }[event.key];
    if (event.key === 'Escape') cursor.value = undefined;
    if (step === undefined) return;
    event.preventDefault();
    cursor.value = Math.min(Math.max(at + step, 0), last);
  };
  const leave = () => {
    cursor.value = undefined;
  };
  return (
    <figure class="days-chart">
      <Caption name={name} stacks={stacks} />
      <p class="reading">{reading}</p>
      <div class="plot">
        <div class="scale left" aria-hidden="true">
          <span>{formatShort(top)}</span>
          <span>{formatShort(top / 2)}</span>
          <span>0</span>
        </div>
        <div
          class="canvas"
          role="slider"
          tabindex={0}
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={Math.max(last, 0)}
          aria-valuenow={Math.max(at, 0)}
          aria-valuetext={reading}
          onKeyDown={move}
          onPointerMove={({ currentTarget, clientX }) => {
            const box = currentTarget.getBoundingClientRect();
            cursor.value = Math.min(Math.max(Math.floor(((clientX - box.left) / box.width) * days.length), 0), last);
          }}
          onPointerLeave={leave}
          onBlur={leave}
        >
          <Bars days={days} stacks={stacks} top={top} />
          {cursor.value !== undefined && (
            <span class="cursor" style={{ left: `${((at + 0.5) / days.length) * 100}%` }} />
          )}
        </div>
      </div>
      <p class="times" aria-hidden="true">
        <span>{days[0]?.date}</span>
        <span>{days.at(-1)?.date}</span>
      </p>
    </figure>
  );
}

function Caption({ name, stacks }: { readonly name: string; readonly stacks: readonly Stack[] }) {
  return (
    <figcaption>
      <strong>{name}</strong>
      <span class="legend">
        {stacks.map((stack) => (
          <span key={stack.tone}>
            <i class={`swatch ${stack.tone}`} />
            {stack.name}
          </span>
        ))}
      </span>
    </figcaption>
  );
}

function Bars(props: { readonly days: readonly Day[]; readonly stacks: readonly Stack[]; readonly top: number }) {
  const { days, stacks, top } = props;
  return (
    <svg viewBox={`0 0 ${BOX.width} ${BOX.height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="grid" d="M0,0.5H720M0,60H720M0,119.5H720" vector-effect="non-scaling-stroke" />
      {barPaths(days, stacks.length, top).map((path, index) => (
        <path key={stacks[index]?.tone} class={`area ${stacks[index]?.tone ?? ''}`} d={path} />
      ))}
    </svg>
  );
}

/** A path for each stack, of the bars of all days. */
function barPaths(days: readonly Day[], stacks: number, top: number): string[] {
  const step = BOX.width / Math.max(days.length, 1);
  const gap = days.length > MOST_WITH_GAPS ? 0 : Math.max(step * 0.18, step - WIDEST);
  const paths = Array.from({ length: stacks }, () => '');
  for (const [index, { parts }] of days.entries()) {
    let base = 0;
    for (const [stack, part] of parts.entries()) {
      if (part > 0) paths[stack] += bar(index * step + gap / 2, step - gap, base / top, (base + part) / top);
      base += part;
    }
  }
  return paths;
}

function bar(left: number, width: number, from: number, to: number): string {
  const height = (share: number) => round(BOX.height * (1 - share));
  return `M${round(left)},${height(from)}H${round(left + width)}V${height(to)}H${round(left)}Z`;
}

function readDay(day: Day | undefined, stacks: readonly Stack[]): string {
  if (day === undefined) return '–';
  const parts = stacks.flatMap(({ name }, index) => {
    const part = day.parts[index] ?? 0;
    return part > 0 ? [`${formatCount(part)} ${name.toLowerCase()}`] : [];
  });
  return `${day.date}  ${parts.length === 0 ? '0' : parts.join(' · ')}`;
}

function sum(parts: readonly number[]): number {
  return parts.reduce((all, part) => all + part, 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
