import {
  ACCEPTED_BUILDS,
  ACCEPTED_PATTERNS,
  type AcceptedBuild,
  type AcceptedPattern,
  LONGEST_BOUND,
} from './accepted-patterns.ts';
import type { FoundPattern } from './find-patterns.ts';
import { keyOf, type Question } from './judge-all.ts';
import type { Verdict } from './judge-pattern.ts';

interface Accepted {
  readonly patterns: readonly AcceptedPattern[];
  readonly builds: readonly AcceptedBuild[];
}

const LISTED: Accepted = { patterns: ACCEPTED_PATTERNS, builds: ACCEPTED_BUILDS };

/** What there is to judge: the patterns found, and what the accepted builds build. */
export function questionsOf(found: readonly FoundPattern[], { builds } = LISTED): Question[] {
  return [...found.filter(({ built }) => !built), ...builds.map((build) => build.builds)];
}

/** Everything that is wrong with the patterns found, one line each; empty when nothing is. */
export function reviewPatterns(
  found: readonly FoundPattern[],
  verdicts: ReadonlyMap<string, Verdict>,
  accepted: Accepted = LISTED,
): string[] {
  return [
    ...found.flatMap((one) => (one.built ? faultOfBuilt(one, accepted) : faultOf(one, verdicts, accepted))),
    ...accepted.builds.flatMap((build) => faultOfBuild(build, found, verdicts)),
    ...accepted.patterns.flatMap((entry) => faultOfEntry(entry, found, verdicts)),
  ];
}

function faultOf(one: FoundPattern, verdicts: ReadonlyMap<string, Verdict>, { patterns }: Accepted): string[] {
  const { growth, words } = verdicts.get(keyOf(one)) ?? { growth: 'unknown', words: 'not judged' };
  const listed = patterns.some(({ file, pattern }) => file === one.file && pattern === one.pattern);
  if (growth === 'linear' || (growth === 'polynomial' && listed)) return [];
  return [`${one.file}:${one.line} takes time that is ${growth} (${words}): ${keyOf(one)}`];
}

function faultOfBuilt(one: FoundPattern, { builds }: Accepted): string[] {
  if (builds.some(({ file, expression }) => file === one.file && expression === one.pattern)) return [];
  return [`${one.file}:${one.line} builds a pattern that is not listed: ${one.pattern}`];
}

function faultOfBuild(
  { file, expression, builds }: AcceptedBuild,
  found: readonly FoundPattern[],
  verdicts: ReadonlyMap<string, Verdict>,
): string[] {
  const { growth, words } = verdicts.get(keyOf(builds)) ?? { growth: 'unknown', words: 'not judged' };
  return [
    ...(found.some((one) => one.built && one.file === file && one.pattern === expression)
      ? []
      : [`accepted, but not there any more: ${expression} in ${file}`]),
    ...(growth === 'linear' ? [] : [`${file} builds a pattern that takes time that is ${growth} (${words})`]),
  ];
}

function faultOfEntry(
  { file, pattern, bound, reason }: AcceptedPattern,
  found: readonly FoundPattern[],
  verdicts: ReadonlyMap<string, Verdict>,
): string[] {
  const there = found.filter((one) => !one.built && one.file === file && one.pattern === pattern);
  if (there.length === 0) return [`accepted, but not there any more: /${pattern}/ in ${file}`];
  const needed = there.some((one) => verdicts.get(keyOf(one))?.growth !== 'linear');
  return [
    ...(needed ? [] : [`accepted without need: /${pattern}/ in ${file}`]),
    ...(bound <= LONGEST_BOUND ? [] : [`accepted for ${bound} characters, ${LONGEST_BOUND} are the most: ${file}`]),
    ...(reason.trim() === '' ? [`accepted without a reason: ${file}`] : []),
  ];
}
