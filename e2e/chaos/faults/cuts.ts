import type { LedgerEntry } from '../ledger.ts';
import { statusOf, tookMs } from '../ledger.ts';
import { onSystem, type Scenario } from '../scenario.ts';
import { type System, until } from '../system.ts';

/** More than one request sends to Redis, so that a run that goes wrong ends. */
const MOST_CUTS = 60;
const HEALED_WITHIN_MS = 20_000;
/** Far below the time after which the lock of a job ends that a worker was given without hearing of it. */
const SLOWEST_MS = 3_000;

/**
 * What a request's services write to Redis goes in pieces, one for each turn of a process. Each of them is lost once, and
 * once its answer: between any two commands of the request there is a moment at which something breaks.
 */
export const cutScenarios: readonly Scenario[] = (['cut before', 'cut after'] as const).map((how) => ({
  name: how === 'cut before' ? 'cut-before-each-command' : 'cut-after-each-command',
  about: `One request at a time; the connection breaks that carries its n-th piece to Redis, ${
    how === 'cut before' ? 'before Redis has it' : 'and Redis has it, but its answer is lost'
  }, for every n.`,
  run: (context) =>
    onSystem(context, { workers: 1, stats: true }, async (system) => {
      const entries: LedgerEntry[] = [];
      for (let n = 1; n <= MOST_CUTS; n++) {
        await untilHealed(system);
        const isCut = await sendWithCut(system, how, n, entries);
        if (!isCut) break;
      }
      const { report } = context;
      report.fact('places of cuts', entries.length - 1, { atLeast: 4 });
      report.timed('slowest answer', Math.max(...entries.map(tookMs)), { atMost: SLOWEST_MS });
      const statuses = entries.map(statusOf);
      report.fact(
        'neither answered nor refused',
        statuses.filter((status) => status !== 200 && status !== 503).length,
        {
          atMost: 0,
        },
      );
    }),
}));

/** @returns whether the request sent so many pieces */
async function sendWithCut(
  system: System,
  how: 'cut before' | 'cut after',
  n: number,
  entries: LedgerEntry[],
): Promise<boolean> {
  let pieces = 0;
  system.proxy.intercept(() => (++pieces === n ? how : 'pass'));
  entries.push(await system.send());
  // Nothing is cut any more between this request and the next.
  system.proxy.intercept(() => 'pass');
  return pieces >= n;
}

/** All connections are back: a request gets through as if nothing had been. */
async function untilHealed(system: System): Promise<void> {
  await until(async () => statusOf(await system.send()) === 200, HEALED_WITHIN_MS, 'healing');
}
