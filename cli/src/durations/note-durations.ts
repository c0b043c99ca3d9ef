import { relative } from 'node:path';
import type { Durations } from './longest-first.ts';

/** Shorter files come last, in any order; without them the list changes less often. */
const NOTED_FROM_SECONDS = 3;

/** What counts of Jest's results, as JSON. */
export interface JestResults {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

/**
 * The long test files, longest first, in whole seconds.
 *
 * @param known what was noted before; it stays for files that this run left out
 * @param root the folder that paths start from
 */
export function noteDurations({ testResults }: JestResults, known: Durations, root: string): Durations {
  const measured = testResults.map(
    ({ name, startTime, endTime }) => [relative(root, name), Math.round((endTime - startTime) / 1000)] as const,
  );
  const all = Object.entries({ ...known, ...Object.fromEntries(measured) });
  const long = all.filter(([, seconds]) => seconds >= NOTED_FROM_SECONDS);
  return Object.fromEntries(long.toSorted(([, one], [, other]) => other - one));
}
