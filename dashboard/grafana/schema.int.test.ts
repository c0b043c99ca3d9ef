import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BOARDS, dashboardFile } from './src/dashboards.ts';

const require = createRequire(import.meta.url);
/** Types that Grafana publishes, made of its schema of dashboards. */
const SCHEMA = dirname(dirname(require.resolve('@grafana/grafana-foundation-sdk/dashboard')));
const TSC = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
const ENUM = /export declare enum (\w+) \{([^}]*)\}/g;

let folder: string;

/** The schema with its enumerations as the values that JSON has. */
function writeSchema(): void {
  for (const part of ['dashboard', 'common', 'prometheus', 'cog']) {
    const file = part === 'cog' ? 'variants_gen.d.ts' : 'types.gen.d.ts';
    const types = readFileSync(join(SCHEMA, part, file), 'utf8');
    const inJson = types
      .replaceAll(ENUM, (_whole, name: string, values: string) => {
        const written = [...values.matchAll(/= ([^,\n]+)/g)].map(([, value = '']) => value.trim());
        return `export type ${name} = ${written.join(' | ')}`;
      })
      // A mark for the builders, which JSON has not; of all queries ours are those of Prometheus.
      .replaceAll(/^ *_implements\w+\(\): void;$/gm, '')
      .replace(/export interface Dataquery \{\s*\}/, "export type Dataquery = import('../prometheus').Dataquery;")
      // Constants of other files, of no interest here.
      .replaceAll(/^export declare const .*$/gm, '');
    mkdirSync(join(folder, part));
    writeFileSync(join(folder, part, 'index.d.ts'), inJson);
  }
}

/** What the compiler says of a dashboard against the schema: fields that it lacks, fields that there are not, wrong values. */
function faultsOf(json: string): string {
  const file = join(folder, 'board.ts');
  writeFileSync(
    file,
    `import type { Dashboard } from './dashboard/index.d.ts';\nexport const board: Dashboard = ${json};\n`,
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--allowImportingTsExtensions', '--skipLibCheck'];
  const run = spawnSync(process.execPath, [TSC, ...options, '--types', '', file], { cwd: folder, encoding: 'utf8' });
  return run.stdout + run.stderr;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-grafana-'));
  writeSchema();
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every dashboard is what the schema that Grafana publishes says', () => {
  for (const board of BOARDS)
    expect({ board: board.name, faults: faultsOf(dashboardFile(board)) }).toEqual({ board: board.name, faults: '' });
});

test('one that is not is refused', () => {
  const [board] = BOARDS;
  const good = JSON.parse(board === undefined ? '{}' : dashboardFile(board)) as Record<string, unknown>;
  expect(faultsOf(JSON.stringify({ ...good, tittle: 'x' }))).toContain('tittle');
  expect(faultsOf(JSON.stringify({ ...good, graphTooltip: 7 }))).toContain('7');
  expect(faultsOf(JSON.stringify(good).replace('"expr"', '"expression"'))).toContain('expression');
  expect(faultsOf(JSON.stringify({ ...good, schemaVersion: undefined }))).toContain('schemaVersion');
});

test('its data source is the reader’s choice, so that an import needs no change', () => {
  for (const board of BOARDS) {
    const text = dashboardFile(board);
    const uids = [...text.matchAll(/"uid": "([^"]+)"/g)]
      .map(([, uid]) => uid)
      .filter((uid) => uid !== `lontar-${board.name}`);
    expect(new Set(uids)).toEqual(new Set(['${datasource}']));
  }
});
