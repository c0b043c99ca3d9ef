import { join } from 'node:path';

/** Where the results of the last run are, from the project's folder; `.ci/run` counts them. */
export const RESULTS_FILE = join('node_modules', '.cache', 'lontar', 'test-results.json');
