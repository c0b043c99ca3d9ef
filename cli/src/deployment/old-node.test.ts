import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

/** What a process takes for its own version. */
const AS_NODE_18 =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"18.20.8"}})';

test.each(['lontar.mjs', 'bootstrap.mjs'])(
  'under Node 18 %s says in one sentence what is missing, and installs nothing',
  (file) => {
    const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
    const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', AS_NODE_18, path, 'start'], {
      encoding: 'utf8',
      env: {},
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Lontar needs Node 20 or later to start with, and this is Node 18\.20\.8\. Install .*\n$/);
  },
);
