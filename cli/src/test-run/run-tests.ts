import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from '@lontar/shared/config/read-config.ts';
import { buildPage } from '../page/build-page.ts';
import type { ProgressStream } from '../system/progress.ts';
import { COMPILE_CACHE, fillCompileCache } from './compile-cache.ts';
import { planTests, skippedTests } from './plan-tests.ts';
import { RESULTS_FILE } from './results-file.ts';
import { filesToRunAgain, type TestResults, withSecondRun } from './second-run.ts';
import { installTestPrograms } from './test-programs.ts';

const FAILED = 1;
const CHECKS_NICENESS = 10;

interface Checked {
  readonly code: number;
  readonly output: string;
}

/**
 * `npm test`: installs what is missing, checks the sources and meanwhile runs all tests.
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
  const environment = testEnvironment(root, deps.environment);
  const plan = planTests(args, results, availableParallelism());
  // The checks need none of what is installed here, and the tests nothing of the checks.
  const checking = plan.runsChecks ? startChecks(root, environment, progress) : undefined;
  if (!(await installTestPrograms(deps.environment, progress))) {
    progress.write('The tests need Redis. Install it, then run this again: sudo apt-get install redis-server\n');
    await checking;
    return FAILED;
  }
  const unbuilt = await buildPage(root);
  if (unbuilt !== undefined) progress.write(`The dashboard's page could not be built: ${unbuilt}\n`);
  if (plan.runsChecks) await fillCompileCache(root, environment);
  const jest = (args: readonly string[]) =>
    run(process.execPath, [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), ...args], root, environment);
  const firstCode = await jest(plan.jestArguments);
  reportSkipped(results, progress);
  // Before a second run, which then has the machine for itself.
  const checked = (await checking) ?? { code: 0, output: '' };
  const tested = firstCode !== 0 && plan.runsChecks ? await runAgain(jest, { root, results, progress }) : firstCode;
  progress.write(checked.output);
  if (checked.code !== 0) progress.write('\nFAILED: the checks of the sources (npm run check).\n');
  return tested || checked.code;
}

/** Runs the few files that failed once more, alone. What passes then counts, and is named: its test or its subject is unsteady. */
async function runAgain(
  jest: (args: readonly string[]) => Promise<number>,
  parts: { readonly root: string; readonly results: string; readonly progress: ProgressStream },
): Promise<number> {
  const { root, results, progress } = parts;
  if (!existsSync(results)) return FAILED;
  const first = readResults(results);
  const files = filesToRunAgain(first, root);
  if (files.length === 0) return FAILED;
  progress.write(`\nOnce more, alone:\n${files.map((file) => `  - ${file}\n`).join('')}\n`);
  const second = `${results}.second`;
  rmSync(second, { force: true });
  const code = await jest(['--json', `--outputFile=${second}`, '--maxWorkers=1', '--runTestsByPath', ...files]);
  if (code !== 0 || !existsSync(second)) return FAILED;
  const whole = withSecondRun(first, readResults(second), root);
  writeFileSync(results, JSON.stringify(whole));
  const names = whole.passedOnSecondRun?.map((name) => `  - ${name}\n`).join('');
  progress.write(`\nUNSTEADY: failed beside the other tests, and passed alone. Look for the cause:\n${names}`);
  return 0;
}

const readResults = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as TestResults;

/** `npm run check`, beside the tests: what it says is kept for the end, so that the two do not mix. */
async function startChecks(root: string, environment: Environment, progress: ProgressStream): Promise<Checked> {
  const child = spawn('npm', ['run', '--silent', 'check'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // What tests leave over is enough: they have times to keep.
  if (child.pid !== undefined) setPriority(child.pid, CHECKS_NICENESS);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(FAILED));
    child.once('close', (ended) => resolve(ended ?? FAILED));
  });
  if (code !== 0) progress.write('\nThe checks of the sources failed; what they say comes after the tests.\n\n');
  return { code, output };
}

function testEnvironment(root: string, environment: Environment): Environment {
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return {
    ...environment,
    NODE_COMPILE_CACHE: join(root, COMPILE_CACHE),
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
