import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { type Load, startLoad } from '../../harness/load.ts';
import { type LedgerEntry, statusOf, tookMs } from '../ledger.ts';
import { percentile, type Report } from '../report.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System } from '../system.ts';
import { type PoolCall, startUpstreamPool, type UpstreamPool } from '../upstream-pool.ts';

/** Calls that the healthy upstream bears at once, and the other one: a third. */
const CAPACITY = { healthy: 15, small: 5 } as const;
/** What the small one has of what both bear. */
const FAIR_SHARE = CAPACITY.small / (CAPACITY.small + CAPACITY.healthy);
/** Answers take 600 ms on average: both together bear 33 requests a second, and are asked for 60 of a hundred of that. */
const PER_SECOND = 20;
/** By then the share has to follow. */
const FOLLOWS_WITHIN_S = 20;
const SECONDS = { quick: 8, long: 80 } as const;
const WINDOW_S = 10;

async function loseCapacity(context: ScenarioContext, system: System, pool: UpstreamPool): Promise<void> {
  const { report, quick, seed } = context;
  const delays = seededRandom(seed);
  pool.serve(system, () => 400 + delays() * 400);
  const load: Load<LedgerEntry> = startLoad({ perSecond: PER_SECOND }, () => system.send());
  await delay(quick ? 1_000 : 5_000);
  pool.setCapacity(0, CAPACITY.small);
  pool.setCapacity(1, CAPACITY.healthy);
  const lostAt = performance.now();
  await delay(1_000 * SECONDS[quick ? 'quick' : 'long']);
  const entries = await load.stop();
  const failed = entries.filter((entry) => statusOf(entry) !== 200);
  report.fact('requests that failed', failed.length, { atMost: 0 });
  for (const status of new Set(failed.map(statusOf))) {
    report.fact(`of these ${status}`, failed.filter((entry) => statusOf(entry) === status).length);
  }
  report.timed('p99', percentile(entries.map(tookMs), 0.99));
  judgeShare(report, pool, lostAt, quick);
}

function judgeShare(report: Report, { calls }: UpstreamPool, lostAt: number, quick: boolean): void {
  const end = performance.now();
  const within = (from: number, to: number) =>
    calls.map((of) => of.filter(({ at }) => at >= lostAt + from * 1_000 && at < lostAt + to * 1_000));
  for (let from = 0; lostAt + from * 1_000 < end - WINDOW_S * 1_000; from += WINDOW_S) {
    const [small = [], healthy = []] = within(from, from + WINDOW_S);
    const what = `${from} to ${from + WINDOW_S} s, share of the small one (fair: ${FAIR_SHARE})`;
    report.fact(what, well(small).length / (well(small).length + well(healthy).length));
    const refused = busy(small).length + busy(healthy).length;
    report.fact(`${from} to ${from + WINDOW_S} s, refused by 429, of ${small.length + healthy.length}`, refused);
  }
  const all = within(0, Number.POSITIVE_INFINITY).flat();
  const limit = quick ? undefined : { atMost: 2 };
  report.timed('calls refused by 429, from the loss on', (100 * busy(all).length) / all.length, limit, '%');
  if (quick) return;
  const [small = [], healthy = []] = within(FOLLOWS_WITHIN_S, Number.POSITIVE_INFINITY);
  const share = well(small).length / (well(small).length + well(healthy).length);
  const bounds = { atLeast: FAIR_SHARE * 0.8, atMost: FAIR_SHARE * 1.2 };
  report.timed(`share of the small one after ${FOLLOWS_WITHIN_S} s`, share, bounds, '');
}

const busy = (calls: readonly PoolCall[]) => calls.filter(({ mood }) => mood === 'busy');
const well = (calls: readonly PoolCall[]) => calls.filter(({ mood }) => mood === 'well');

export const upstreamShareScenarios: readonly Scenario[] = [
  {
    name: 'upstream-share',
    about: 'One of two upstreams bears a third of what the other one does from now on, and says so by 429 alone.',
    async run(context) {
      const pool = await startUpstreamPool({ upstreams: 2 });
      try {
        const options = { workers: context.quick ? 2 : 4, settings: pool.settings };
        await onSystem(context, options, (system) => loseCapacity(context, system, pool));
      } finally {
        await pool.stop();
      }
    },
  },
];
