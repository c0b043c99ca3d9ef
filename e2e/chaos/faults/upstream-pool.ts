import { setTimeout as delay } from 'node:timers/promises';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { type Load, startLoad } from '../../harness/load.ts';
import { type LedgerEntry, statusOf } from '../ledger.ts';
import type { Report } from '../report.ts';
import { onSystem, type Scenario } from '../scenario.ts';
import { isUp, type System, until } from '../system.ts';
import { POOL_MOODS, type PoolCall, type PoolMood, startUpstreamPool, type UpstreamPool } from '../upstream-pool.ts';

const PER_SECOND = 40;
/** So many failures in a row open a breaker; those whose calls were on their way by then are not told apart by it. */
const OPENS_AFTER = 5;
/** Until all workers have heard of it, ms. */
const HEARD_WITHIN_MS = 500;
/** A call that stalls fails after this, ms: the first token's deadline in the pool's file. */
const STALL_MS = 2_000;
const MOODS = Object.keys(POOL_MOODS) as PoolMood[];

interface Outage {
  readonly mood: PoolMood;
  readonly wasted: number;
  readonly backMs: number;
}

/** One upstream goes wrong for a while, and is well again; the load goes on. */
async function breakOne(
  system: System,
  pool: UpstreamPool,
  { upstream, mood }: { readonly upstream: number; readonly mood: PoolMood },
  during: () => Promise<void>,
): Promise<Outage> {
  const calls = pool.calls[upstream] ?? [];
  const begin = calls.length;
  pool.setMood(upstream, mood);
  await during();
  pool.setMood(upstream, 'well');
  const wasted = countWasted(calls.slice(begin), mood);
  // The call that tries it is the first after its end that finds it well.
  const wellFrom = calls.length;
  await until(() => calls.length > wellFrom, 60_000, `a call that tries an upstream that was ${mood}`);
  const triedAt = calls[wellFrom]?.at ?? 0;
  await until(() => calls.length >= wellFrom + 5, 30_000, 'traffic back').catch(async (error: unknown) => {
    const known = await system.stack.redis.client.get(redisKeys.upstream(`u${upstream + 1}`));
    throw new Error(`u${upstream + 1} was ${mood}, and the fleet still knows: ${known}`, { cause: error });
  });
  return { mood, wasted, backMs: (calls[wellFrom + 4]?.at ?? 0) - triedAt };
}

/** Calls in an outage that the fleet could have known to be of no use. */
function countWasted(calls: readonly PoolCall[], mood: PoolMood): number {
  const failMs = mood === 'hanging' ? STALL_MS : 0;
  const needed = mood === 'unauthorized' || mood === 'over quota' ? 1 : OPENS_AFTER;
  const knownAt = (calls[needed - 1]?.at ?? Number.POSITIVE_INFINITY) + failMs + HEARD_WITHIN_MS;
  return calls.filter(({ at }) => at > knownAt).length;
}

/** Kills every process of the service once, one after the other, and starts each again. */
async function killEveryProcessOnce({ stack }: System): Promise<void> {
  for (const worker of stack.workers.filter(isUp)) {
    worker.process.kill('SIGKILL');
    await stack.startWorker();
    await delay(1_000);
  }
}

function judge(report: Report, entries: readonly LedgerEntry[], outages: readonly Outage[]): void {
  const failed = entries.filter((entry) => statusOf(entry) !== 200);
  report.fact('requests answered', entries.length - failed.length);
  report.fact('requests that failed', failed.length, { atMost: 0 });
  for (const [index, { mood, wasted, backMs }] of outages.entries()) {
    report.timed(`outage ${index + 1}, ${mood}: calls that were known to be of no use`, wasted, { atMost: 5 }, 'calls');
    report.timed(`outage ${index + 1}, ${mood}: traffic back after the call that tried`, backMs, { atMost: 2_000 });
  }
}

export const upstreamPoolScenarios: readonly Scenario[] = [
  {
    name: 'upstream-pool',
    about: `One of three upstreams at a time goes wrong, in ${MOODS.length} ways; in one outage every worker is killed once.`,
    async run(context) {
      const pool = await startUpstreamPool();
      const random = seededRandom(context.seed);
      const settings = { ...pool.settings, REQUEST_TIMEOUT_MS: '30000' };
      const workers = context.quick ? 2 : 4;
      try {
        await onSystem(context, { workers, stats: true, settings }, async (system) => {
          pool.serve(system, () => 100 + random() * 200);
          const load: Load<LedgerEntry> = startLoad({ perSecond: PER_SECOND }, () => system.send());
          const outages: Outage[] = [];
          const endsAt = performance.now() + (context.quick ? 0 : context.minutes * 60_000);
          do {
            for (const mood of context.quick ? (['failing', 'hanging'] as const) : MOODS) {
              const upstream = Math.floor(random() * pool.calls.length);
              const seconds = context.quick ? 4 : 10 + random() * 20;
              const kills = mood === 'failing' && outages.length < MOODS.length;
              const during = kills ? () => killEveryProcessOnce(system) : () => delay(seconds * 1_000);
              outages.push(await breakOne(system, pool, { upstream, mood }, during));
            }
          } while (performance.now() < endsAt);
          judge(context.report, await load.stop(), outages);
        });
      } finally {
        await pool.stop();
      }
    },
  },
];
