import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { showBytes } from '@lontar/shared/show-bytes.ts';
import { defaultOf } from '../settings/describe-settings.ts';
import { everySetting } from '../settings/services.ts';

const ROOT = new URL('../../../', import.meta.url);
const PAGE = readFileSync(new URL('docs/security.md', ROOT), 'utf8');
/** Settings that bound what callers can do: each has to stand in the table. */
const BOUNDS =
  /^(?:MAX_|RATE_LIMIT|UPLOADS_PER|DOWNLOADS_PER|BAN_|FREE_|QUEUE_MAX|UTILITY_|INNER_|DASHBOARD_|UPLOAD_TTL)/;

/** Rows of all tables of the page: who attacks what, what bounds it, which test shows it. */
const rows = PAGE.split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:what|---)/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));

describe('docs/security.md', () => {
  test('has rows for each kind of attacker', () => {
    expect(PAGE.match(/^### /gm)?.length).toBeGreaterThanOrEqual(6);
    expect(rows.length).toBeGreaterThanOrEqual(30);
    expect(rows.filter((cells) => cells.length !== 3)).toEqual([]);
  });

  test('names settings that exist, with their defaults', () => {
    const named = rows.flatMap(([, bound = '']) => [...bound.matchAll(/`([A-Z][A-Z_]{3,})`(?: \(([^)]+)\))?/g)]);
    expect(named.length).toBeGreaterThan(0);
    for (const [, name = '', byDefault] of named) {
      const schema = everySetting.shape[name as keyof typeof everySetting.shape];
      expect({ name, exists: schema !== undefined }).toEqual({ name, exists: true });
      if (byDefault === undefined) continue;
      const value = defaultOf(schema) ?? '';
      const shown = name.endsWith('_BYTES') ? showBytes(Number(value)) : value;
      expect({ name, byDefault }).toEqual({ name, byDefault: shown });
    }
  });

  test('names every setting that bounds callers', () => {
    const bounds = Object.keys(everySetting.shape).filter((name) => BOUNDS.test(name));
    expect(bounds.filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([]);
  });

  test('names tests that exist', () => {
    const tests = rows.flatMap(([, , shown = '']) =>
      [...shown.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path]) => path ?? ''),
    );
    expect(tests.length).toBeGreaterThanOrEqual(rows.length / 2);
    expect(tests.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  });

  test('names attacks of the suite that exist', () => {
    const suite = readFileSync(new URL('e2e/chaos/hostile/attacks.ts', ROOT), 'utf8');
    const attacks = rows.flatMap(([, , shown = '']) =>
      [...shown.matchAll(/`hostile-([a-z-]+)`/g)].map(([, name]) => name ?? ''),
    );
    expect(attacks.length).toBeGreaterThan(5);
    expect(attacks.filter((name) => !suite.includes(name))).toEqual([]);
  });
});
