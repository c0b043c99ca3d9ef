import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { DURATIONS_FILE, type Durations, longestFirst } from './longest-first.ts';
import { noteDurations } from './note-durations.ts';

describe('longestFirst', () => {
  const order = (noted: Durations, files: readonly { path: string; duration?: number }[]) =>
    longestFirst(files, '/checkout', noted).map(({ path }) => path);

  test('a fresh clone goes by what is noted, and by the layer of a file that is not', () => {
    const files = [
      '/checkout/a.test.ts',
      '/checkout/b.int.test.ts',
      '/checkout/c.e2e.test.ts',
      '/checkout/d.e2e.test.ts',
      '/checkout/e.test.ts',
    ];
    const paths = files.map((path) => ({ path }));
    expect(order({ 'd.e2e.test.ts': 9, 'e.test.ts': 90 }, paths)).toEqual([
      '/checkout/e.test.ts',
      '/checkout/c.e2e.test.ts',
      '/checkout/d.e2e.test.ts',
      '/checkout/b.int.test.ts',
      '/checkout/a.test.ts',
    ]);
  });

  test('what is noted counts before what was seen here, and that before a guess', () => {
    const files = [
      { path: '/checkout/partly-run.e2e.test.ts', duration: 10 },
      { path: '/checkout/seen.test.ts', duration: 30_000 },
      { path: '/checkout/guessed.e2e.test.ts' },
    ];
    expect(order({ 'partly-run.e2e.test.ts': 60 }, files)).toEqual(files.map(({ path }) => path));
  });
});

describe('noteDurations', () => {
  test('long files in whole seconds, longest first; those not run keep theirs, short ones go', () => {
    const took = (name: string, ms: number) => ({ name: `/checkout/${name}`, startTime: 1_000, endTime: 1_000 + ms });
    const testResults = [took('a.test.ts', 4_400), took('b.test.ts', 20_600), took('c.test.ts', 900)];
    const noted = noteDurations({ testResults }, { 'c.test.ts': 8, 'd.test.ts': 12 }, '/checkout');
    expect(Object.entries(noted)).toEqual([
      ['b.test.ts', 21],
      ['d.test.ts', 12],
      ['a.test.ts', 4],
    ]);
  });
});

test('each noted file is there', () => {
  const noted = JSON.parse(readFileSync(DURATIONS_FILE, 'utf8')) as Durations;
  const root = new URL('../../../', import.meta.url);
  expect(Object.keys(noted).filter((file) => !existsSync(fileURLToPath(new URL(file, root))))).toEqual([]);
});
