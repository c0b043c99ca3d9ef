import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { hasEnded, thisPlace } from './place.ts';

const here = thisPlace();
const [table] = here.split('.');
const isLinux = process.platform === 'linux';

(isLinux ? test : test.skip)(
  'a process of this machine has ended when it is not in the table of processes any more',
  async () => {
    expect(here).toMatch(/^[0-9a-f]{16}\.\d+$/);
    expect(hasEnded(here, here)).toBe(false);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)']);
    const place = `${table}.${child.pid}`;
    expect(hasEnded(place, here)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(hasEnded(place, here)).toBe(true);
    expect(hasEnded(`another${place}`, here)).toBe(false);
  },
);

test.each([
  '',
  '.',
  '.1',
  'x',
  `${table}`,
  `${table}.`,
  `${table}.0`,
  `${table}.-1`,
  `${table}.1e9`,
  `${table}.99999999999`,
])('nothing is known of the place %j', (place) => {
  expect(hasEnded(place, here)).toBe(false);
  expect(hasEnded(place, '')).toBe(false);
});
