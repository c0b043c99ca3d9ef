/** How `npm test` is to be run. */
export interface TestPlan {
  /** Whether formatting, lint, types and dead code are checked first: only when everything is tested. */
  readonly runsChecks: boolean;
  readonly jestArguments: readonly string[];
}

const MOST_WORKERS = '--maxWorkers=2';

/**
 * @param args the words after `npm test --`; they go to Jest
 * @param resultsFile where Jest leaves its results as JSON
 */
export function planTests(args: readonly string[], resultsFile: string): TestPlan {
  const names = new Set(args.map((arg) => arg.split('=')[0]));
  const own = [
    ...(names.has('--outputFile') ? [] : ['--json', `--outputFile=${resultsFile}`]),
    // Tests bring their own Redis, browsers and whole services; more at once only makes them wait for each other.
    ...(names.has('--maxWorkers') || names.has('-w') || names.has('-i') || names.has('--runInBand')
      ? []
      : [MOST_WORKERS]),
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
