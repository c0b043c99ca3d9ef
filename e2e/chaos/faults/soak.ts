import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { loadFor, startLoad } from '../../harness/load.ts';
import type { Service } from '../../harness/service.ts';
import { type Held, INSPECTABLE, inspectProcess } from '../inspect-process.ts';
import { readOutcomes } from '../invariants.ts';
import { tookMs } from '../ledger.ts';
import { percentile } from '../report.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import { countStreams, createSomeStreams, KEY_OF_STREAMS } from '../streams/some-streams.ts';
import type { System } from '../system.ts';

const PER_SECOND = 40;
/** Longer than an idle connection is kept. */
const REST_SECONDS = 80;
const FIRST_LOAD_SECONDS = 20;
const SAMPLE_MS = 15_000;
/** Results stay for ten minutes; before that, Redis has to grow. */
const WARM_UP_MINUTES = 11;
/** What grows until then: a run that is too short for it does not judge these. */
const GROWS_WITH_RESULTS: ReadonlySet<string> = new Set(['Redis results', 'Redis memory, MB']);

/** Jobs in work: as many as there are requests in flight. */
const JOBS = '{lontar}:generation:req_';

/** One look at everything that must not grow, by name. */
type Sample = Readonly<Record<string, number>>;

export const soakScenarios: readonly Scenario[] = [
  {
    name: 'soak',
    about: 'A steady load, a third of it streamed, for long: nothing may grow once it is warm.',
    run: (context) =>
      onSystem(
        context,
        {
          stats: true,
          secondKey: KEY_OF_STREAMS,
          settings: { LOG_REQUESTS: 'false', WORKER_CONCURRENCY: '40', ...INSPECTABLE },
        },
        (system) => soak(context, system),
      ),
  },
];

async function soak({ report, minutes, seed }: ScenarioContext, system: System): Promise<void> {
  const streams = createSomeStreams(system, seededRandom(seed));
  system.behave((nonce) => streams.answer(nonce, 200));
  const send = () => streams.send(() => system.send());
  const looks = await inspectServices(system);
  await loadFor(FIRST_LOAD_SECONDS, PER_SECOND, send);
  const atFirst = await countAtRest(looks);
  const load = startLoad({ perSecond: PER_SECOND }, send);
  const warmUpMinutes = Math.min(WARM_UP_MINUTES, minutes / 2);
  const samples: Sample[] = [];
  const begin = performance.now();
  let outcomesReadAt = begin;
  while (performance.now() - begin < minutes * 60_000) {
    await delay(SAMPLE_MS);
    if (performance.now() - begin > warmUpMinutes * 60_000) samples.push(await takeSample(system, looks));
    system.stack.upstream.reset();
    if (performance.now() - outcomesReadAt < 120_000) continue;
    await readOutcomes(system);
    outcomesReadAt = performance.now();
  }
  const entries = await load.stop();
  judgeAnswers(report, entries);
  for (const [what, count] of Object.entries(countStreams(entries))) report.fact(what, count);
  for (const [what, count] of Object.entries(streams.faultsOf(entries))) report.fact(what, count, { atMost: 0 });
  report.timed('p99', percentile(entries.map(tookMs), 0.99));
  const warnings = system.stack.logs().split('MaxListenersExceededWarning').length - 1;
  report.fact('warnings of too many listeners', warnings, { atMost: 0 });
  for (const name of Object.keys(samples[0] ?? {})) {
    const values = samples.map((sample) => sample[name] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    report.timed(`${name}, mean`, mean, undefined, '');
    const growth = (slope(values) * values.length * 100) / mean;
    const mayGrow = warmUpMinutes < WARM_UP_MINUTES && GROWS_WITH_RESULTS.has(name);
    report.timed(`${name}, growth while measured`, growth, mayGrow ? undefined : { atMost: 5 }, '%');
  }
  for (const [name, count] of Object.entries(await countAtRest(looks))) {
    report.timed(`${name} at rest, before`, atFirst[name] ?? 0, undefined, '');
    report.timed(`${name} at rest, more after`, count - (atFirst[name] ?? 0), { atMost: 1 }, '');
  }
}

type Looks = readonly { readonly service: Service; readonly look: () => Promise<Held> }[];

function inspectServices({ stack }: System): Promise<Looks> {
  const services = [...stack.gateways, ...stack.workers, ...(stack.stats ? [stack.stats] : [])];
  return Promise.all(services.map(async (service) => ({ service, look: await inspectProcess(service) })));
}

async function takeSample({ stack }: System, looks: Looks): Promise<Sample> {
  const heaps = await Promise.all(
    looks.map(async ({ service: { name }, look }) => [`${name} heap after a collection, MB`, (await look()).heapMb]),
  );
  return { ...(Object.fromEntries(heaps) as Sample), ...(await sampleRedis(stack.redis.client)) };
}

/** Without requests in flight, and when kept connections have been given up: what is there now stays. */
async function countAtRest(looks: Looks): Promise<Sample> {
  await delay(REST_SECONDS * 1_000);
  const counts: Record<string, number> = {};
  for (const { service, look } of looks) {
    const { resources, listeners } = await look();
    counts[`${service.name} open files`] = (await readdir(`/proc/${service.process.pid}/fd`)).length;
    counts[`${service.name} active resources`] = resources;
    counts[`${service.name} process listeners`] = listeners;
  }
  return counts;
}

async function sampleRedis(client: Redis): Promise<Sample> {
  const keys = await client.keys('*');
  const results = keys.filter((key) => key.startsWith(redisKeys.request('')));
  const others = keys.filter((key) => !key.startsWith(redisKeys.request('')) && !key.startsWith(JOBS));
  const lives = await Promise.all(others.map((key) => client.pttl(key)));
  return {
    'Redis results': results.length,
    'Redis keys that do not expire': lives.filter((life) => life === -1).length,
    'Redis memory, MB': Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]) / 1_048_576,
  };
}

/** Of the line through the values, a step. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [over, under] = values.reduce(
    ([top, bottom], value, index) => [top + (index - middle) * (value - mean), bottom + (index - middle) ** 2],
    [0, 0],
  );
  return under === 0 ? 0 : over / under;
}
