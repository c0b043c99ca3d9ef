/** How `npm test` is to be run. */
export interface TestPlan {
  /** Whether formatting, lint, types and dead code are checked first: only when everything is tested. */
  readonly runsChecks: boolean;
  readonly jestArguments: readonly string[];
}

/** More than this find each other in the way: tests bring their own Redis, browsers and whole services. */
const MOST_WORKERS = 4;

/**
 * @param args the words after `npm test --`; they go to Jest
 * @param resultsFile where Jest leaves its results as JSON
 * @param processors how many this machine has
 */
export function planTests(args: readonly string[], resultsFile: string, processors: number): TestPlan {
  // One more would be done sooner, since much of a test's time is waiting; but then tests of what must happen in time fail.
  const workers = Math.min(MOST_WORKERS, Math.max(2, processors));
  const names = new Set(args.map((arg) => arg.split('=')[0]));
  const own = [
    ...(names.has('--outputFile') ? [] : ['--json', `--outputFile=${resultsFile}`]),
    ...(names.has('--maxWorkers') || names.has('-w') || names.has('-i') || names.has('--runInBand')
      ? []
      : [`--maxWorkers=${workers}`]),
  ];
  return { runsChecks: args.length === 0, jestArguments: [...own, ...args] };
}

interface JestResults {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** The names of the tests that were not run, from Jest's results. */
export function skippedTests(results: JestResults): string[] {
  return results.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'pending' || status === 'skipped')
    .map(({ fullName }) => fullName);
}
