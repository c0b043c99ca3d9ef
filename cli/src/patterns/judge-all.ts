import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Verdict } from './judge-pattern.ts';

export interface Question {
  readonly pattern: string;
  readonly flags: string;
}

const MOST_THREADS = 4;

export const keyOf = ({ pattern, flags }: Question): string => `/${pattern}/${flags}`;

/**
 * Judges all patterns, on several threads, and remembers verdicts in `cacheFile`: judging all anew takes half a minute.
 *
 * @param edition names everything a verdict depends on beside its pattern; verdicts of another edition are forgotten
 * @returns verdicts by `keyOf`
 */
export async function judgeAll(
  questions: readonly Question[],
  cacheFile: string,
  edition: string,
): Promise<ReadonlyMap<string, Verdict>> {
  const known = readCache(cacheFile, edition);
  const verdicts = new Map<string, Verdict>();
  const open = new Map<string, Question>();
  for (const question of questions) {
    const key = keyOf(question);
    const verdict = known.get(key);
    if (verdict === undefined) open.set(key, question);
    else verdicts.set(key, verdict);
  }
  const waiting = [...open];
  const threads = Array.from({ length: Math.min(MOST_THREADS, availableParallelism(), waiting.length) }, async () => {
    const thread = new Worker(new URL('judge-thread.ts', import.meta.url));
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [key, question] = next;
      thread.postMessage(question);
      const [verdict] = (await once(thread, 'message')) as [Verdict];
      verdicts.set(key, verdict);
    }
    await thread.terminate();
  });
  await Promise.all(threads);
  writeCache(cacheFile, edition, verdicts);
  return verdicts;
}

function readCache(file: string, edition: string): Map<string, Verdict> {
  try {
    const cache = JSON.parse(readFileSync(file, 'utf8')) as { edition: string; verdicts: Record<string, Verdict> };
    return new Map(cache.edition === edition ? Object.entries(cache.verdicts) : []);
  } catch {
    // Not there, or half written: everything is judged anew.
    return new Map();
  }
}

/** What is unknown may be known on a machine that is less busy. */
function writeCache(file: string, edition: string, verdicts: ReadonlyMap<string, Verdict>): void {
  const kept = [...verdicts].filter(([, { growth }]) => growth !== 'unknown');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ edition, verdicts: Object.fromEntries(kept) }));
}
