import { measureRound, median } from '../measure.ts';
import { startServiceUnderTest } from '../processes/service-under-test.ts';
import type { Results } from '../results.ts';
import { promptFor } from '../wish.ts';
import type { Upstream } from './contenders.ts';

const SLOW = promptFor({ bytes: 2_048, delayMs: 200 });
const FAST = promptFor({ bytes: 2_048, delayMs: 0 });

/** One, two and four workers of ten jobs each before an upstream that takes 200 ms: what bounds them is waiting. */
export async function measureWorkers(upstream: Upstream, rounds: number): Promise<Results['workers']> {
  const service = await startServiceUnderTest({ upstreamPort: upstream.port, settings: { WORKER_CONCURRENCY: '10' } });
  const rows: { workers: number; perSecond: number }[] = [];
  try {
    for (const workers of [1, 2, 4]) {
      while (service.workers.length < workers) await service.startWorker();
      const target = { name: 'service', ports: service.ports, requests: [service.request(SLOW)], processes: [] };
      const measured: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const options = { connections: 100, seconds: 5, warmUpSeconds: 3 };
        measured.push((await measureRound(target, options)).perSecond);
      }
      rows.push({ workers, perSecond: median(measured) });
    }
  } finally {
    await service.stop();
  }
  return rows;
}

/** One and two gateways. Where all processes share two cores this shows the cost, and not what a second one adds. */
export async function measureGateways(upstream: Upstream, rounds: number): Promise<Results['gateways']> {
  const service = await startServiceUnderTest({ upstreamPort: upstream.port, gateways: 2 });
  const targets = [1, 2].map((gateways) => ({
    name: 'service',
    ports: service.ports.slice(0, gateways),
    requests: [service.request(FAST)],
    processes: service.processes,
  }));
  const measured = targets.map((): { perSecond: number; cpu: number }[] => []);
  try {
    const both = targets[1]!;
    await measureRound(both, { connections: 100, seconds: 5, warmUpSeconds: 0 });
    for (let round = 0; round < rounds; round++) {
      for (const [index, target] of targets.entries()) {
        const { perSecond, cpuMicros } = await measureRound(target, { connections: 100, seconds: 2 });
        const cpu = (cpuMicros['gateway-1'] ?? 0) + (cpuMicros['gateway-2'] ?? 0);
        measured[index]?.push({ perSecond, cpu });
      }
    }
  } finally {
    await service.stop();
  }
  return measured.map((rows, index) => ({
    gateways: index + 1,
    perSecond: median(rows.map(({ perSecond }) => perSecond)),
    gatewayCpuMicros: median(rows.map(({ cpu }) => cpu)),
  }));
}
