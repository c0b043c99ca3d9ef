import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { gatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { createRegistry, workerMetrics } from '@lontar/shared/metrics.ts';
import { statsMetrics } from '@lontar/shared/stats-metrics.ts';
import { panelsOf } from './src/board.ts';
import { BOARDS, DASHBOARDS_FOLDER, dashboardFile } from './src/dashboards.ts';

const registry = createRegistry('test', '0');
gatewayMetrics(registry);
workerMetrics(registry);
statsMetrics(registry);
const defined = registry
  .getMetricsAsArray()
  .map(({ name }) => name)
  .filter((name) => !/^(?:nodejs|process)_/.test(name));
const expressions = BOARDS.flatMap((board) =>
  panelsOf(board).flatMap(({ queries }) => queries.map(({ expr }) => expr)),
);

describe.each(BOARDS.map((board) => [board.title, board] as const))('%s', (_title, board) => {
  test('is committed as its source says (npm run docs makes it so)', () => {
    const file = new URL(`${board.name}.json`, DASHBOARDS_FOLDER);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : 'missing').toBe(dashboardFile(board));
  });

  test('has at most twelve panels, which say what they show and lead on', () => {
    expect(panelsOf(board).length).toBeLessThanOrEqual(12);
    for (const { about, unit, down, queries } of panelsOf(board)) {
      expect(about).toMatch(/\.$/);
      expect(unit).not.toBe('');
      expect(BOARDS.map(({ name }) => name).filter((name) => name !== board.name)).toContain(down);
      expect(queries.length).toBeGreaterThan(0);
    }
  });
});

describe('the queries', () => {
  test('take their windows from the panel', () => {
    for (const expr of expressions) expect(expr).not.toMatch(/\[\d+[smhdwy]\]/);
  });

  test('and the rules use every metric that there is', () => {
    const rules = globSync('*.yml', { cwd: new URL('../prometheus/rules/', import.meta.url) }).map((file) =>
      readFileSync(new URL(`../prometheus/rules/${file}`, import.meta.url), 'utf8'),
    );
    const used = [...expressions, ...rules].join('\n');
    const unused = defined.filter((name) => !used.includes(name) && !name.startsWith('lontar_'));
    expect(unused).toEqual([]);
  });
});
