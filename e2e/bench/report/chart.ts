import type { Results } from '../results.ts';
import { CONTENDERS, type ContenderName } from '../sections/contenders.ts';
import { find } from './budgets.ts';

const WIDTH = 760;
const LEFT = 190;
const BAR = 22;
const GAP = 10;
const TOP = 54;
/** Room for the label behind the longest bar. */
const LABEL = 250;

/** A bar with a name before it and a label behind it. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly label: string;
  /** What was measured of us and of others, and what others say. */
  readonly kind: 'own' | 'other' | 'told';
}

/** A bar for each contender's requests per second at 100 connections, as SVG that can be read on light and on dark. */
export function drawThroughput(results: Results): string {
  const names = (Object.keys(CONTENDERS) as ContenderName[]).filter((name) => name !== 'direct' && name !== 'express');
  const bars = names.flatMap((name): Bar[] => {
    const row = find(results.throughput, name, 100);
    if (row === undefined) return [];
    const label = `${Math.round(row.perSecond).toLocaleString('en')} /s, p99 ${row.p99.toFixed(0)} ms`;
    return [{ name: CONTENDERS[name], value: row.perSecond, label, kind: name === 'service' ? 'own' : 'other' }];
  });
  return drawBars('Requests per second at 100 connections', bars);
}

/** Bars under a title, as SVG that can be read on light and on dark. */
export function drawBars(title: string, bars: readonly Bar[]): string {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const scale = (WIDTH - LEFT - LABEL) / most;
  const height = TOP + bars.length * (BAR + GAP) + 16;
  const drawn = bars.map(({ name, value, label, kind }, index) => {
    const y = TOP + index * (BAR + GAP);
    const width = Math.max(1, value * scale);
    return [
      `<text x="${LEFT - 10}" y="${y + 16}" text-anchor="end">${name}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="3" class="${kind}"/>`,
      `<text x="${(LEFT + width + 8).toFixed(1)}" y="${y + 16}">${label}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>
text { font: 14px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 16px; }
.own { fill: #1f7a5c; }
.other { fill: #9aa4af; }
.told { fill: #d8dee4; }
.ground { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .own { fill: #4cc295; }
  .other { fill: #6b7682; }
  .told { fill: #3d444d; }
  .ground { fill: #0d1117; }
}
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
<text x="16" y="28" class="title">${title}</text>
${drawn.join('\n')}
</svg>
`;
}
