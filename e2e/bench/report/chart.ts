import type { Results } from '../results.ts';
import { CONTENDERS, type ContenderName } from '../sections/contenders.ts';
import { find } from './budgets.ts';

const WIDTH = 760;
const LEFT = 190;
const BAR = 22;
const GAP = 10;
const TOP = 54;

/** A bar for each contender's requests per second at 100 connections, as SVG that can be read on light and on dark. */
export function drawThroughput(results: Results): string {
  const names = (Object.keys(CONTENDERS) as ContenderName[]).filter((name) => name !== 'direct' && name !== 'express');
  const bars = names.flatMap((name) => {
    const row = find(results.throughput, name, 100);
    return row ? [{ name, row }] : [];
  });
  const most = Math.max(1, ...bars.map(({ row }) => row.perSecond));
  const scale = (WIDTH - LEFT - 170) / most;
  const height = TOP + bars.length * (BAR + GAP) + 16;
  const drawn = bars.map(({ name, row }, index) => {
    const y = TOP + index * (BAR + GAP);
    const width = Math.max(1, row.perSecond * scale);
    const label = `${Math.round(row.perSecond).toLocaleString('en')} /s, p99 ${row.p99.toFixed(0)} ms`;
    return [
      `<text x="${LEFT - 10}" y="${y + 16}" text-anchor="end">${CONTENDERS[name]}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="3" class="${name === 'service' ? 'own' : 'other'}"/>`,
      `<text x="${(LEFT + width + 8).toFixed(1)}" y="${y + 16}">${label}</text>`,
    ].join('\n');
  });
  const title = 'Requests per second at 100 connections';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>
text { font: 14px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 16px; }
.own { fill: #1f7a5c; }
.other { fill: #9aa4af; }
.ground { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .own { fill: #4cc295; }
  .other { fill: #6b7682; }
  .ground { fill: #0d1117; }
}
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
<text x="16" y="28" class="title">${title}</text>
${drawn.join('\n')}
</svg>
`;
}
