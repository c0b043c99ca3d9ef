import { relative } from 'node:path';

/** What is needed of Jest's results. The other counts are kept as they are. */
export interface TestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly TestFileResult[];
  /** Tests that failed, and passed when their file ran again alone. */
  readonly passedOnSecondRun?: readonly string[];
}

interface TestFileResult {
  /** The file's absolute path. */
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

/** More files that fail are no matter of a busy machine. */
const MOST_FILES = 2;
/** They count what was charged, lost and doubled: once is a defect, and to see it again is luck. */
const ONCE_IS_ENOUGH: ReadonlySet<string> = new Set(
  ['chaos', 'faults', 'money', 'numbers', 'poison-pill'].map((name) => `e2e/${name}.e2e.test.ts`),
);

/**
 * The files that get a second run after a whole run has failed: of tests that start real processes, whose waits a busy
 * machine can outlast. Tests of functions get none, nor does any file where one that failed gets none.
 *
 * @returns their absolute paths; none where the failure stands
 */
export function filesToRunAgain(results: TestResults, root: string): string[] {
  const failed = results.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  const mayAll = failed.every((file) => startsProcesses(file) && !ONCE_IS_ENOUGH.has(relative(root, file)));
  return mayAll && failed.length <= MOST_FILES ? failed : [];
}

/** The results of a whole run where the files that failed were run again and passed. */
export function withSecondRun(first: TestResults, second: TestResults, root: string): TestResults {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  const failed = first.testResults.filter(({ name }) => again.has(name));
  const passed = (files: readonly TestFileResult[]) =>
    files.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === 'passed').length;
  return {
    ...first,
    numPassedTests: first.numPassedTests - passed(failed) + passed(second.testResults),
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    testResults: first.testResults.map((file) => again.get(file.name) ?? file),
    passedOnSecondRun: failed.flatMap((file) => namesOfFailed(file, root)),
  };
}

/** A file that broke off before its tests is named itself. */
function namesOfFailed({ name, assertionResults }: TestFileResult, root: string): string[] {
  const path = relative(root, name);
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  return failed.length > 0 ? failed.map(({ fullName }) => `${path}: ${fullName}`) : [path];
}

function startsProcesses(file: string): boolean {
  return file.endsWith('.e2e.test.ts') || file.endsWith('.int.test.ts');
}
