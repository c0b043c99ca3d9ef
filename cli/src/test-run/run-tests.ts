import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from '@lontar/shared/config/read-config.ts';
import { buildPage } from '../page/build-page.ts';
import type { ProgressStream } from '../system/progress.ts';
import { planTests, skippedTests } from './plan-tests.ts';
import { installTestPrograms } from './test-programs.ts';

/** Where the results of the last run are, from the project's folder; `.ci/run` counts them. */
const RESULTS_FILE = join('node_modules', '.cache', 'lontar', 'test-results.json');
const FAILED = 1;

/**
 * `npm test`: installs what is missing, checks the sources, runs all tests.
 *
 * @param args the words after `npm test --`
 * @returns the exit code: not 0 when anything failed
 */
export async function runTests(
  args: readonly string[],
  deps: { root: string; environment: Environment; progress: ProgressStream },
): Promise<number> {
  const { root, progress } = deps;
  const results = join(root, RESULTS_FILE);
  rmSync(results, { force: true });
  mkdirSync(dirname(results), { recursive: true });
  if (!(await installTestPrograms(deps.environment, progress))) {
    progress.write('The tests need Redis. Install it, then run this again: sudo apt-get install redis-server\n');
    return FAILED;
  }
  const unbuilt = await buildPage(root);
  if (unbuilt !== undefined) progress.write(`The dashboard's page could not be built: ${unbuilt}\n`);
  const environment = testEnvironment(root, deps.environment);
  const plan = planTests(args, results);
  const checked = plan.runsChecks ? await run('npm', ['run', '--silent', 'check'], root, environment) : 0;
  if (checked !== 0)
    progress.write('\nThe checks of the sources failed, see above. The tests are run nevertheless.\n\n');
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const tested = await run(process.execPath, [jest, ...plan.jestArguments], root, environment);
  reportSkipped(results, progress);
  if (checked !== 0) progress.write('\nFAILED: the checks of the sources (npm run check).\n');
  return tested || checked;
}

function testEnvironment(root: string, environment: Environment): Environment {
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return {
    ...environment,
    NODE_OPTIONS: [environment['NODE_OPTIONS'], ...options].filter(Boolean).join(' '),
    PATH: [join(root, 'node_modules', '.bin'), dirname(process.execPath), environment['PATH']].join(delimiter),
  };
}

function run(command: string, args: readonly string[], cwd: string, environment: Environment): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: environment, stdio: 'inherit' });
    child.once('error', () => resolve(FAILED));
    child.once('exit', (code) => resolve(code ?? FAILED));
  });
}

/** A test that is not run must not go unnoticed. */
function reportSkipped(results: string, progress: ProgressStream): void {
  if (!existsSync(results)) return;
  const skipped = skippedTests(JSON.parse(readFileSync(results, 'utf8')) as Parameters<typeof skippedTests>[0]);
  if (skipped.length === 0) return;
  progress.write(
    `\nSkipped, because this machine lacks what they need:\n${skipped.map((name) => `  - ${name}\n`).join('')}`,
  );
}
