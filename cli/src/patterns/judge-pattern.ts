import { createRequire } from 'node:module';
import type { checkSync } from 'recheck';

/** How long the time of a match may grow with the length of the text. */
export interface Verdict {
  /** `unknown` when the judge could not decide: that is no pass. */
  readonly growth: 'linear' | 'polynomial' | 'exponential' | 'unknown';
  /** The judge's own words. */
  readonly words: string;
}

/** Ends a judgement that would not end: one takes milliseconds to seconds, and many times that on a busy machine. */
const JUDGE_TIMEOUT_MS = 300_000;

type Recheck = { readonly checkSync: typeof checkSync };

let recheck: Recheck | undefined;

/** recheck's build in plain JavaScript, by its file: the package's own entry would start Java or a native program where there is one. */
function loadRecheck(): Recheck {
  recheck ??= createRequire(import.meta.url)('recheck/lib/browser.js') as Recheck;
  return recheck;
}

/**
 * Judges a pattern by recheck: by its automaton, or where that is impossible by a search for slow texts with a fixed
 * seed. The search takes a text for slow by its steps alone, since a busy machine is slow with every text. What it finds
 * is judged once more: attacks are still given a time.
 */
export function judgePattern(pattern: string, flags: string): Verdict {
  const options = { timeout: JUDGE_TIMEOUT_MS, randomSeed: 1, incubationTimeout: null };
  const judge = () => loadRecheck().checkSync(pattern, flags, options);
  const first = judge();
  const result = first.status === 'vulnerable' && first.checker === 'fuzz' ? judge() : first;
  if (result.status === 'safe') return { growth: 'linear', words: result.complexity.summary };
  if (result.status === 'unknown') return { growth: 'unknown', words: result.error.kind };
  const growth = result.complexity.type === 'exponential' ? 'exponential' : 'polynomial';
  return { growth, words: result.complexity.summary };
}
