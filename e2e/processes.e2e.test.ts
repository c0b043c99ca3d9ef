import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { blackBoxOf } from './black-box/processes.ts';
import { BLACK_BOX_SETTINGS, type BlackBox } from './black-box/service.ts';
import { testBlackBox } from './black-box/suite.ts';
import { ROOT } from './harness/launch.ts';
import { type Stack, startStack } from './harness/stack.ts';

const PAGE = `${ROOT}dashboard/dist/index.html`;

describe('as plain processes', () => {
  let stack: Stack;
  let service: BlackBox;

  beforeAll(async () => {
    if (!existsSync(PAGE)) execFileSync('npm', ['run', 'build', '-w', 'dashboard'], { cwd: ROOT, stdio: 'ignore' });
    stack = await startStack({ stats: true, settings: BLACK_BOX_SETTINGS });
    service = await blackBoxOf(stack);
  });
  afterAll(() => stack.stop());

  testBlackBox(() => service);
});
