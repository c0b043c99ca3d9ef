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

/** The parts of a committed dashboard that these tests look at. */
interface Panel {
  readonly title: string;
  readonly type: string;
  readonly fieldConfig: {
    readonly defaults: { readonly unit?: string; readonly min?: number; readonly max?: number };
    readonly overrides: readonly { readonly properties: readonly { readonly id: string; readonly value: unknown }[] }[];
  };
}
const panels = BOARDS.flatMap((board) => (JSON.parse(dashboardFile(board)) as { panels: Panel[] }).panels).filter(
  // Rows have none.
  ({ fieldConfig }) => (fieldConfig as unknown) !== undefined,
);

describe('what is to be seen', () => {
  test('shares have an axis from 0 to 1', () => {
    const shares = panels.filter(
      ({ type, fieldConfig }) => type === 'timeseries' && fieldConfig.defaults.unit === 'percentunit',
    );
    expect(shares.length).toBeGreaterThan(0);
    for (const { title, fieldConfig } of shares) {
      const { min, max } = fieldConfig.defaults;
      expect([title, min, max]).toEqual([title, 0, 1]);
    }
  });

  test('no worker is red', () => {
    const workers = panels.find(({ title }) => title === 'Workers up');
    const thresholds = workers?.fieldConfig.overrides[0]?.properties.find(({ id }) => id === 'thresholds')?.value;
    expect(thresholds).toMatchObject({ steps: expect.arrayContaining([{ value: null, color: 'red' }]) });
  });

  test('states have words, and processes are shown one by one', () => {
    const properties = panels.flatMap(({ fieldConfig }) => fieldConfig.overrides.flatMap((one) => one.properties));
    expect(properties.map(({ id }) => id)).toContain('mappings');
    const board = BOARDS.find(({ name }) => name === 'processes');
    const { templating } = JSON.parse(board ? dashboardFile(board) : '{}') as {
      templating: { list: { name: string }[] };
    };
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'instance']);
  });
});
