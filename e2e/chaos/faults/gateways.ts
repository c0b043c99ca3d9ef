import { setTimeout as delay } from 'node:timers/promises';
import { startLoad } from '../../harness/load.ts';
import type { Service } from '../../harness/service.ts';
import { startBalancer } from '../balancer.ts';
import { readOutcomes } from '../invariants.ts';
import { type LedgerEntry, statusOf, tookMs } from '../ledger.ts';
import { percentile } from '../report.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import { isUp, type System, until } from '../system.ts';

export const gatewayScenarios: readonly Scenario[] = [
  {
    name: 'gateway-killed',
    about: 'SIGKILL of a gateway with waiting clients; another one is there.',
    run: (context) =>
      onSystem(context, { gateways: 2 }, async (system) => {
        const { stack, ledger } = system;
        system.behave((nonce) => system.answer(nonce, 600));
        const url = stack.urls[0] ?? '';
        const orphans = Array.from({ length: 20 }, () => system.send({ url }));
        await until(() => ledger.calls.size === orphans.length, 10_000, 'all calls');
        await stack.gateways[0]?.end('SIGKILL');
        const killedAt = performance.now();
        const next = await system.send();
        context.report.timed('another gateway answers after', performance.now() - killedAt - 600, { atMost: 1_000 });
        judgeAnswers(context.report, [next]);
        const entries = await Promise.all(orphans);
        context.report.fact('clients of the killed one', entries.filter(({ end }) => end?.kind === 'broken').length);
        await delay(1_500);
        await readOutcomes(system);
        const finished = new Set([...ledger.settled.values()].map(({ nonce }) => nonce));
        const missing = entries.filter(({ nonce }) => !finished.has(nonce)).length;
        context.report.fact('finished answers missing in Redis', missing, { atMost: 0 });
      }),
  },
  {
    name: 'rolling-restart',
    about: 'SIGTERM of each process in turn, and a new one in its place, at 80 % load behind a balancer.',
    run: (context) =>
      onSystem(
        context,
        {
          gateways: 2,
          workers: 2,
          stats: true,
          settings: { DRAIN_NOTICE_MS: '2000', WORKER_CONCURRENCY: '10' },
        },
        (system) => rollingRestart(context, system),
      ),
  },
  {
    name: 'drain-ends',
    about: 'SIGTERM of a gateway whose requests take longer than its drain.',
    run: (context) =>
      onSystem(context, { gateways: 2, settings: { DRAIN_TIMEOUT_MS: '4000' } }, async (system) => {
        const { stack, ledger } = system;
        system.behave(() => 'hang');
        const waiting = Array.from({ length: 10 }, () => system.send({ url: stack.urls[0] ?? '' }));
        await until(() => ledger.calls.size === waiting.length, 10_000, 'all calls');
        const exit = await stack.gateways[0]?.end('SIGTERM');
        const entries = await Promise.all(waiting);
        context.report.fact('not answered with 503', entries.filter((entry) => statusOf(entry) !== 503).length, {
          atMost: 0,
        });
        context.report.fact('exit code', exit ?? -1, { atLeast: 0, atMost: 0 });
      }),
  },
];

/** Ten at once for 100 ms each, by two workers: 200 a second is all they can do. */
const CAPACITY = 200;

async function rollingRestart({ report, quick }: ScenarioContext, system: System): Promise<void> {
  const { stack } = system;
  const balancer = await startBalancer();
  const probe = async (url: string, service: Service) => {
    const { instance } = (await service.logged('the gateway serves')) as { instance: string };
    const metrics = (await stack.metricsUrlOf(instance)) ?? '';
    balancer.add(url, new URL('/readyz', metrics).href);
  };
  await Promise.all(stack.urls.map((url, index) => probe(url, stack.gateways[index] as Service)));
  const perSecond = (quick ? 0.2 : 0.8) * CAPACITY;
  system.behave((nonce) => system.answer(nonce, 100));
  const load = startLoad({ perSecond }, () => system.send({ url: balancer.url }));
  await delay(2_000);
  for (const service of [...stack.workers]) {
    await stack.startWorker();
    report.fact(`${service.name} ends with`, (await service.end('SIGTERM')) ?? -1, { atLeast: 0, atMost: 0 });
  }
  for (const service of [...stack.gateways]) {
    const url = await stack.startGateway();
    await probe(url, stack.gateways.at(-1) as Service);
    report.fact(`${service.name} ends with`, (await service.end('SIGTERM')) ?? -1, { atLeast: 0, atMost: 0 });
  }
  report.fact('stats-service ends with', (await stack.stats?.end('SIGTERM')) ?? -1, { atLeast: 0, atMost: 0 });
  await stack.startStats();
  await delay(1_000);
  const entries = await load.stop();
  await balancer.stop();
  const failed = entries.filter((entry) => statusOf(entry) !== 200);
  report.fact('requests', entries.length);
  judgeAnswers(report, entries);
  for (const [outcome, count] of tally(failed)) report.fact(`of these ${outcome}`, count);
  report.timed('p99', percentile(entries.map(tookMs), 0.99));
  report.fact('processes that run', [...stack.gateways, ...stack.workers].filter(isUp).length, {
    atLeast: 4,
    atMost: 4,
  });
}

function tally(entries: readonly LedgerEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { end } of entries) {
    const outcome = end?.kind === 'answered' ? String(end.status) : String(end?.kind);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return counts;
}
