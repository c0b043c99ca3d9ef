import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readRooms, wrongArrows } from './rooms.ts';

const FILES = {
  'start.ts': "import { a } from './low/a.ts';",
  'low/a.ts': "import type { B } from '../high/b.ts';\nimport { readFile } from 'node:fs';",
  'low/a.test.ts': "import { c } from '../aside/c.ts';",
  'high/b.ts': "import { a } from '../low/a.ts';\nexport const lazy = import('package');",
  'aside/c.ts': "import type { d } from './deep/d.ts';",
  'aside/deep/d.ts': '',
};

let source: string;
beforeAll(() => {
  source = mkdtempSync(join(tmpdir(), 'lontar-rooms-'));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(source, file)), { recursive: true });
    writeFileSync(join(source, file), text);
  }
});
afterAll(() => rmSync(source, { recursive: true }));

test('rooms are known by what their files import, types included and tests not', () => {
  const rooms = readRooms(source);
  expect(rooms.names).toEqual(['aside', 'high', 'low']);
  expect(rooms.names.map(rooms.neighbours)).toEqual([[], ['low'], ['high']]);
  expect(rooms.usersOf('package')).toEqual(['high']);
  expect(rooms.circles()).toEqual(['low/a.ts -> high/b.ts -> low/a.ts']);
});

test('an arrow that is not listed, one that is gone, and one that goes up are wrong', () => {
  const rooms = readRooms(source);
  expect(wrongArrows(rooms, { aside: [], low: ['high'], high: ['low'] })).toEqual(['high is above low']);
  expect(wrongArrows(rooms, { aside: [], low: ['aside'], high: ['low'] })).toEqual([
    'low imports high',
    'low no longer imports aside',
  ]);
});
