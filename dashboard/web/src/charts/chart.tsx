import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { formatClock } from '../tiles/format.ts';
import { charts } from '../words/charts.ts';
import { DRAWN_POINTS, type Span, spanAt } from './series.ts';

/** The box that charts are drawn in; the page stretches it. */
export const BOX = { width: 720, height: 120 } as const;

/**
 * The frame of a chart: its drawing, its scales, and a cursor that follows the pointer and the arrow keys. As a slider
 * it can be read point by point without seeing it.
 */
export function Chart(props: {
  readonly name: string;
  readonly spans: readonly Span[];
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly read: (span: Span) => string;
  readonly children: ComponentChildren;
}) {
  const cursor = useSignal<number | undefined>(undefined);
  const { spans } = props;
  const last = spans.length - 1;
  const at = cursor.value === undefined ? undefined : Math.min(cursor.value, last);
  const span = spans[at ?? last];
  const reading = span === undefined ? charts().noData : `${formatClock(span.at)}  ${props.read(span)}`;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -last, End: last }[event.key];
    if (event.key === 'Escape') cursor.value = undefined;
    if (step === undefined) return;
    event.preventDefault();
    cursor.value = Math.min(Math.max((at ?? last) + step, 0), Math.max(last, 0));
  };
  const follow = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    if (last >= 0) cursor.value = spanAt((event.clientX - box.left) / box.width, spans.length);
  };
  const place = at === undefined ? undefined : ((DRAWN_POINTS - spans.length + at + 0.5) / DRAWN_POINTS) * 100;
  return (
    <div class="chart">
      <p class="reading">{reading}</p>
      <div class="plot">
        <Scale side="left" marks={props.left} />
        <div
          class="canvas"
          role="slider"
          tabindex={0}
          aria-label={props.name}
          aria-valuemin={0}
          aria-valuemax={Math.max(last, 0)}
          aria-valuenow={at ?? Math.max(last, 0)}
          aria-valuetext={reading}
          onKeyDown={move}
          onPointerMove={follow}
          onPointerLeave={() => {
            cursor.value = undefined;
          }}
          onBlur={() => {
            cursor.value = undefined;
          }}
        >
          <svg viewBox={`0 0 ${BOX.width} ${BOX.height}`} preserveAspectRatio="none" aria-hidden="true">
            {props.children}
          </svg>
          {place !== undefined && <span class="cursor" style={{ left: `${place}%` }} />}
        </div>
        <Scale side="right" marks={props.right} />
      </div>
      <p class="times" aria-hidden="true">
        <span>{charts().times.begin}</span>
        <span>{charts().times.middle}</span>
        <span>{charts().times.end}</span>
      </p>
    </div>
  );
}

function Scale({ side, marks }: { readonly side: 'left' | 'right'; readonly marks: readonly string[] }) {
  return (
    <div class={`scale ${side}`} aria-hidden="true">
      {marks.map((mark) => (
        <span key={mark}>{mark}</span>
      ))}
    </div>
  );
}
