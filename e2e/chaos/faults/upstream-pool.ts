import { setTimeout as delay } from 'node:timers/promises';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { type Load, startLoad } from '../../harness/load.ts';
import { readOutcomes } from '../invariants.ts';
import { type LedgerEntry, statusOf, tookMs } from '../ledger.ts';
import { judgeKills, type Kills, killEveryProcessOnce } from '../pool-kills.ts';
import { percentile, type Report } from '../report.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import { type System, until } from '../system.ts';
import { POOL_MOODS, type PoolCall, type PoolMood, startUpstreamPool, type UpstreamPool } from '../upstream-pool.ts';

/** With one upstream down the two that are left bear 32 requests a second: eight calls of 500 ms each at once. */
const TERMS = { upstreams: 3, maxInFlight: 8 } as const;
const ANSWER_MS = { least: 300, most: 700 } as const;
/** Eighty of a hundred that they bear. */
const PER_SECOND = 25;
/** So many failures in a row open a breaker; those whose calls were on their way by then are not told apart by it. */
const OPENS_AFTER = 5;
/** Until all workers have heard of it, ms. */
const HEARD_WITHIN_MS = 500;
/** A call that stalls fails after this, ms: the first token's deadline in the pool's file. */
const STALL_MS = 2_000;
/** Between two outages, ms: the one that was down is used fully again. */
const REST_MS = 3_000;
/** Calls by which traffic counts as back, the one that tried among them: at this load an upstream gets eight a second. */
const BACK_CALLS = 3;
const MOODS = Object.keys(POOL_MOODS) as PoolMood[];
/** Of requests that failed, and of the log lines about each. */
const MOST_SHOWN = 10;
const SHOWN_CHARACTERS = 1_500;

interface Outage {
  readonly mood: PoolMood;
  readonly seconds: number;
  readonly calls: number;
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
  const startedAt = performance.now();
  pool.setMood(upstream, mood);
  await during();
  pool.setMood(upstream, 'well');
  const seconds = (performance.now() - startedAt) / 1_000;
  const seen = calls.slice(begin);
  // The call that tries it is the first after its end that finds it well.
  const wellFrom = calls.length;
  await until(() => calls.length > wellFrom, 60_000, `a call that tries an upstream that was ${mood}`);
  const triedAt = calls[wellFrom]?.at ?? 0;
  await until(() => calls.length >= wellFrom + BACK_CALLS, 30_000, 'traffic back').catch(async (error: unknown) => {
    const known = await system.stack.redis.client.get(redisKeys.upstream(`u${upstream + 1}`));
    throw new Error(`u${upstream + 1} was ${mood}, and the fleet still knows: ${known}`, { cause: error });
  });
  const backMs = (calls[wellFrom + BACK_CALLS - 1]?.at ?? 0) - triedAt;
  return { mood, seconds, calls: seen.length, wasted: countWasted(calls.slice(0, begin), seen, mood), backMs };
}

/** Calls in an outage that the fleet could have known to be of no use. */
function countWasted(before: readonly PoolCall[], calls: readonly PoolCall[], mood: PoolMood): number {
  const failMs = mood === 'hanging' ? STALL_MS : 0;
  const needed = mood === 'unauthorized' || mood === 'over quota' ? 1 : OPENS_AFTER;
  // What was asked before the outage is answered in its midst, and each answer says that the upstream is well.
  const ends = [
    ...before.flatMap(({ answeredAt }) => (answeredAt === undefined ? [] : [{ at: answeredAt, isFailure: false }])),
    ...calls.map(({ at }) => ({ at: at + failMs, isFailure: true })),
  ].sort((one, other) => one.at - other.at);
  let inRow = 0;
  const opens = ends.find(({ isFailure }) => {
    inRow = isFailure ? inRow + 1 : 0;
    return inRow === needed;
  });
  const knownAt = (opens?.at ?? Number.POSITIVE_INFINITY) + HEARD_WITHIN_MS;
  return calls.filter(({ at }) => at > knownAt).length;
}

function judge(report: Report, outages: readonly Outage[]): void {
  for (const [index, { mood, seconds, calls, wasted, backMs }] of outages.entries()) {
    const name = `outage ${index + 1}, ${mood}, ${Math.round(seconds)} s, ${calls} calls`;
    report.timed(`${name}: calls that were known to be of no use`, wasted, { atMost: 5 }, 'calls');
    report.timed(`${name}: traffic back after the call that tried`, backMs, { atMost: 2_000 });
  }
}

function judgeRequests(
  { report, system }: { readonly report: Report; readonly system: System },
  entries: readonly LedgerEntry[],
  isExcused: (entry: LedgerEntry) => boolean,
): void {
  const all = entries.filter((entry) => statusOf(entry) !== 200);
  const failed = all.filter((entry) => !isExcused(entry));
  report.fact('requests answered', entries.length - all.length);
  report.fact('connections to a killed gateway, and 503 while Redis was away', all.length - failed.length);
  report.fact('requests that failed', failed.length, { atMost: 0 });
  for (const { end } of failed.slice(0, MOST_SHOWN)) {
    report.fact(end?.kind === 'answered' ? end.text.trim() : String(end?.kind), 1);
    if (end?.kind !== 'answered') continue;
    const { requestId } = end;
    const logged = system.stack.logs().split('\n');
    const lines = logged.filter((line) => requestId !== '' && line.includes(requestId));
    for (const line of lines.slice(0, MOST_SHOWN)) report.fact(line.slice(0, SHOWN_CHARACTERS), 1);
  }
  const times = entries.filter((entry) => statusOf(entry) === 200).map(tookMs);
  report.timed('p99 of the answered', percentile(times, 0.99));
}

async function breakOneAfterTheOther(context: ScenarioContext, system: System, pool: UpstreamPool): Promise<void> {
  const { report, quick, minutes, seed } = context;
  const random = seededRandom(seed);
  const delays = seededRandom(seed + 1);
  pool.serve(system, () => ANSWER_MS.least + delays() * (ANSWER_MS.most - ANSWER_MS.least));
  const perSecond = quick ? PER_SECOND / 2 : PER_SECOND;
  const load: Load<LedgerEntry> = startLoad({ perSecond }, () => system.send());
  const outages: Outage[] = [];
  let kills: Kills | undefined;
  let readAt = performance.now();
  const endsAt = performance.now() + (quick ? 0 : minutes * 60_000);
  const names = pool.calls.map((_calls, index) => `u${index + 1}`);
  do {
    for (const mood of quick ? (['failing', 'hanging'] as const) : MOODS) {
      const upstream = Math.floor(random() * pool.calls.length);
      const seconds = quick ? 4 : 10 + random() * 20;
      const isKilled = mood === 'failing' && kills === undefined;
      const during = async () => {
        if (isKilled) kills = await killEveryProcessOnce(system, names[upstream] ?? '', names);
        else await delay(seconds * 1_000);
      };
      outages.push(await breakOne(system, pool, { upstream, mood }, during));
      pool.forget();
      if (!quick) await delay(REST_MS);
      // Results expire after ten minutes.
      if (performance.now() - readAt < 120_000) continue;
      await readOutcomes(system);
      readAt = performance.now();
    }
  } while (performance.now() < endsAt);
  const entries = await load.stop();
  judge(report, outages);
  judgeRequests({ report, system }, entries, kills === undefined ? () => false : judgeKills(report, kills));
}

export const upstreamPoolScenarios: readonly Scenario[] = [
  {
    name: 'upstream-pool',
    about: `One of three upstreams at a time goes wrong, in ${MOODS.length} ways, at 80 % of what the others bear; in one outage every process is killed once.`,
    async run(context) {
      const pool = await startUpstreamPool(TERMS);
      const settings = { ...pool.settings, REQUEST_TIMEOUT_MS: '30000' };
      const how = context.quick ? { gateways: 1, workers: 2 } : { gateways: 2, workers: 4 };
      try {
        await onSystem(context, { ...how, stats: true, synced: true, settings }, (system) =>
          breakOneAfterTheOther(context, system, pool),
        );
      } finally {
        await pool.stop();
      }
    },
  },
];
