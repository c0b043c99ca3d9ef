import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { RESULTS_FILE } from '../test-run/results-file.ts';
import { DURATIONS_FILE, type Durations } from './longest-first.ts';
import { type JestResults, noteDurations } from './note-durations.ts';

/** Notes how long the test files took in the last run of `npm test`, for the order in which they are started. */
readOptions({
  name: 'npm run durations',
  about: 'Notes how long test files took in the last run of npm test: the longest are started first.',
  options: {},
});

const root = fileURLToPath(new URL('../../../', import.meta.url));

const results = JSON.parse(readFileSync(join(root, RESULTS_FILE), 'utf8')) as JestResults;
const known = Object.entries(JSON.parse(readFileSync(DURATIONS_FILE, 'utf8')) as Durations);
const there = Object.fromEntries(known.filter(([file]) => existsSync(join(root, file))));
writeFileSync(DURATIONS_FILE, `${JSON.stringify(noteDurations(results, there, root), null, 2)}\n`);
