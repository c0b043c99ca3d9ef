import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../../harness/service.ts';
import { readOutcomes } from '../invariants.ts';
import { tookMs } from '../ledger.ts';
import { startLoad } from '../load.ts';
import { percentile } from '../report.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System } from '../system.ts';

const PER_SECOND = 40;
const SAMPLE_MS = 5_000;
/** Results stay for ten minutes; before that, Redis has to grow. */
const WARM_UP_MINUTES = 11;
const PAGE_BYTES = 4_096;

/** One look at everything that must not grow, by name. */
type Sample = Readonly<Record<string, number>>;

export const soakScenarios: readonly Scenario[] = [
  {
    name: 'soak',
    about: 'A steady load, for long: nothing may grow once it is warm.',
    run: (context) =>
      onSystem(context, { stats: true, settings: { LOG_REQUESTS: 'false', WORKER_CONCURRENCY: '20' } }, (system) =>
        soak(context, system),
      ),
  },
];

async function soak({ report, minutes }: ScenarioContext, system: System): Promise<void> {
  system.behave((nonce) => system.answer(nonce, 200));
  const load = startLoad(PER_SECOND, () => system.send());
  const warmUpMinutes = Math.min(WARM_UP_MINUTES, minutes / 2);
  const samples: Sample[] = [];
  const begin = performance.now();
  let outcomesReadAt = begin;
  while (performance.now() - begin < minutes * 60_000) {
    await delay(SAMPLE_MS);
    if (performance.now() - begin > warmUpMinutes * 60_000) samples.push(await takeSample(system));
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
    report.timed(`${name}, growth while measured`, (slope(values) * values.length * 100) / mean, { atMost: 5 }, '%');
  }
}

async function takeSample({ stack }: System): Promise<Sample> {
  const services = [...stack.gateways, ...stack.workers, ...(stack.stats ? [stack.stats] : [])];
  const ofServices = await Promise.all(
    services.map(async ({ name, process }: Service) => ({
      [`${name} memory, MB`]: await memoryMb(process.pid),
      [`${name} open files`]: (await readdir(`/proc/${process.pid}/fd`)).length,
    })),
  );
  const keys = await stack.redis.client.dbsize();
  const results = (await stack.redis.client.keys('{lontar}:request:*')).length;
  const memory = Number(/^used_memory:(\d+)/m.exec(await stack.redis.client.info('memory'))?.[1]) / 1_048_576;
  return Object.assign({}, ...ofServices, {
    'Redis keys without results': keys - results,
    'Redis results': results,
    'Redis memory, MB': memory,
  }) as Sample;
}

async function memoryMb(pid: number | undefined): Promise<number> {
  const pages = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1];
  return (Number(pages) * PAGE_BYTES) / 1_048_576;
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
