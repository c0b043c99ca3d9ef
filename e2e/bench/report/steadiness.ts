import type { Results } from '../results.ts';

/** Rounds may be so far from their median; beyond, other work on the machine is measured. */
const MOST_SPREAD = 0.08;
/** Fewer answers in a round than this say nothing: processor time is told in steps of 10 ms. */
const LEAST_ANSWERS = 1_000;
const LEAST_ROUND_SECONDS = 1.5;

/** What speaks against putting a run on record: figures whose rounds differ too much, each with what was seen. */
export function findUnsteady({ throughput }: Pick<Results, 'throughput'>): string[] {
  return throughput.flatMap(({ contender, connections, bytes, delayMs, perSecond, spread = 0 }) => {
    if (perSecond * LEAST_ROUND_SECONDS < LEAST_ANSWERS || !(spread > MOST_SPREAD)) return [];
    const what = `${contender}, ${connections} connections, ${bytes / 1024} KB after ${delayMs} ms`;
    return [`${what}: rounds differ by ${(spread * 100).toFixed(0)} % (at most ${MOST_SPREAD * 100} %)`];
  });
}
