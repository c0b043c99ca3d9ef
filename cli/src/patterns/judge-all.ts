import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Verdict } from './judge-pattern.ts';

export interface Question {
  readonly pattern: string;
  readonly flags: string;
}

const MOST_THREADS = 4;

export const keyOf = ({ pattern, flags }: Question): string => `/${pattern}/${flags}`;

/**
 * Judges patterns, on several threads.
 *
 * @param isLinear says of a pattern that it was judged before and takes linear time: it is not judged again
 * @returns verdicts by `keyOf`
 */
export async function judgeAll(
  questions: readonly Question[],
  isLinear: (key: string) => boolean,
): Promise<ReadonlyMap<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const open = new Map<string, Question>();
  for (const question of questions) {
    const key = keyOf(question);
    if (isLinear(key)) verdicts.set(key, { growth: 'linear', words: 'by the record' });
    else open.set(key, question);
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
  return verdicts;
}
