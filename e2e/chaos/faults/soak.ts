import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { fewest, INSPECTABLE, inspectProcess } from '../inspect-process.ts';
import { readOutcomes } from '../invariants.ts';
import { tookMs } from '../ledger.ts';
import { startLoad } from '../load.ts';
import { percentile } from '../report.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System } from '../system.ts';

const PER_SECOND = 40;
const SAMPLE_MS = 15_000;
/** Results stay for ten minutes; before that, Redis has to grow. */
const WARM_UP_MINUTES = 11;

/** Jobs in work: as many as there are requests in flight. */
const JOBS = '{lontar}:generation:req_';

/** One look at everything that must not grow, by name. */
type Sample = Readonly<Record<string, number>>;

export const soakScenarios: readonly Scenario[] = [
  {
    name: 'soak',
    about: 'A steady load, for long: nothing may grow once it is warm.',
    run: (context) =>
      onSystem(
        context,
        { stats: true, settings: { LOG_REQUESTS: 'false', WORKER_CONCURRENCY: '20', ...INSPECTABLE } },
        (system) => soak(context, system),
      ),
  },
];

async function soak({ report, minutes }: ScenarioContext, system: System): Promise<void> {
  system.behave((nonce) => system.answer(nonce, 200));
  const sampler = await openSampler(system);
  const load = startLoad(PER_SECOND, () => system.send());
  const warmUpMinutes = Math.min(WARM_UP_MINUTES, minutes / 2);
  const samples: Sample[] = [];
  const begin = performance.now();
  let outcomesReadAt = begin;
  while (performance.now() - begin < minutes * 60_000) {
    await delay(SAMPLE_MS);
    if (performance.now() - begin > warmUpMinutes * 60_000) samples.push(await sampler());
    system.stack.upstream.reset();
    if (performance.now() - outcomesReadAt < 120_000) continue;
    await readOutcomes(system);
    outcomesReadAt = performance.now();
  }
  const entries = await load.stop();
  judgeAnswers(report, entries);
  report.timed('p99', percentile(entries.map(tookMs), 0.99));
  const warnings = system.stack.logs().split('MaxListenersExceededWarning').length - 1;
  report.fact('warnings of too many listeners', warnings, { atMost: 0 });
  for (const name of Object.keys(samples[0] ?? {})) {
    const values = samples.map((sample) => sample[name] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    report.timed(`${name}, mean`, mean, undefined, '');
    report.timed(
      `${name}, growth while measured`,
      (slope(values) * values.length * 100) / mean,
      { atMost: mostGrowth(name) },
      '%',
    );
  }
}

async function openSampler({ stack }: System): Promise<() => Promise<Sample>> {
  const services = [...stack.gateways, ...stack.workers, ...(stack.stats ? [stack.stats] : [])];
  const inspected = await Promise.all(
    services.map(async (service) => ({ service, look: await inspectProcess(service) })),
  );
  return async () => {
    const ofServices = await Promise.all(
      inspected.map(async ({ service: { name, process }, look }) => {
        const { heapMb, resources, listeners } = await look();
        return {
          [`${name} heap after a collection, MB`]: heapMb,
          [`${name} open files`]: await fewest(async () => (await readdir(`/proc/${process.pid}/fd`)).length),
          [`${name} active resources`]: resources,
          [`${name} process listeners`]: listeners,
        };
      }),
    );
    return Object.assign({}, ...ofServices, await sampleRedis(stack.redis.client)) as Sample;
  };
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

/** Percent. Connections and timers come and go with the requests in flight, a dozen of them, more or less. */
function mostGrowth(name: string): number {
  return /open files|active resources/.test(name) ? 20 : 5;
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
