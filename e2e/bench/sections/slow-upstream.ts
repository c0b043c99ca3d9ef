import { fileURLToPath } from 'node:url';
import { type LoadResult, runLoad } from '../load/run-load.ts';
import { measureRound } from '../measure.ts';
import { generationRequest, type ServiceUnderTest, startServiceUnderTest } from '../processes/service-under-test.ts';
import { residentBytes } from '../processes/usage.ts';
import { promptFor } from '../wish.ts';
import type { Upstream } from './contenders.ts';

const OPEN_LOOP = fileURLToPath(new URL('../load/open-loop.ts', import.meta.url));
const SAMPLE_MS = 200;

/** The test that Bifrost's makers publish for a machine of two cores: requests a second, and what the upstream takes, ms. */
const PUBLISHED = { perSecond: 500, upstreamMs: 1_500 } as const;

/** What a default set-up, with one worker, makes of an upstream that takes its time. */
export interface SlowUpstreamFigures {
  /** So many callers at once, before an upstream that takes 10 s. */
  readonly burst: {
    readonly callers: number;
    readonly answered: number;
    /** Until the last of them had its answer. */
    readonly seconds: number;
    /** The largest resident memory of the worker. */
    readonly workerMegabytes: number;
  };
  /** The test that Bifrost publishes for a machine of two cores: so many a second, whatever becomes of those before. */
  readonly openLoop: {
    readonly offeredPerSecond: number;
    readonly seconds: number;
    readonly upstreamMs: number;
    readonly answered: number;
    readonly failed: number;
    /** ms */
    readonly p50: number;
    readonly p99: number;
  };
}

/**
 * Measures the default set-up before an upstream of 10 s and one of 1.5 s. Everything is compiled before.
 *
 * @throws when a process does not start, or Redis fails
 */
export async function measureSlowUpstream(upstream: Upstream, quick: boolean): Promise<SlowUpstreamFigures> {
  // As installed; only the limits of one address and one key would refuse what comes from one machine.
  const service = await startServiceUnderTest({ upstreamPort: upstream.port, settings: { QUEUE_MAX_WAITING: '1000' } });
  try {
    const fast = service.request(promptFor({ bytes: 2_048, delayMs: 0 }));
    const warm = { name: 'service', ports: service.ports, requests: [fast], processes: [] };
    await measureRound(warm, { connections: 100, seconds: 6, warmUpSeconds: 0 });
    return { burst: await measureBurst(service, 500), openLoop: await measureOpenLoop(service, quick ? 10 : 60) };
  } finally {
    await service.stop();
  }
}

async function measureBurst(service: ServiceUnderTest, callers: number): Promise<SlowUpstreamFigures['burst']> {
  let most = 0;
  const sample = () => {
    most = Math.max(most, residentBytes(service.workers[0]!.pid));
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  const requests = [service.request(promptFor({ bytes: 2_048, delayMs: 10_000 }))];
  const plan = { ports: service.ports, connections: callers, requests, warmUpSeconds: 0, seconds: 110, most: callers };
  const result = await runLoad(plan, { started: () => undefined, finished: () => undefined });
  clearInterval(timer);
  sample();
  return { callers, answered: result.requests, seconds: result.most / 1000, workerMegabytes: most / 1e6 };
}

async function measureOpenLoop(service: ServiceUnderTest, seconds: number): Promise<SlowUpstreamFigures['openLoop']> {
  const { requests: answered, failures, p50, p99 } = await runPublishedLoad(service, seconds);
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const { perSecond: offeredPerSecond, upstreamMs } = PUBLISHED;
  return { offeredPerSecond, seconds, upstreamMs, answered, failed, p50, p99 };
}

/** Sends the requests of that test. @throws when the load generator fails */
export function runPublishedLoad(
  { ports, key }: Pick<ServiceUnderTest, 'ports' | 'key'>,
  seconds: number,
): Promise<LoadResult> {
  const requests = [generationRequest(promptFor({ bytes: 2_048, delayMs: PUBLISHED.upstreamMs }), key)];
  const plan = { ports, connections: PUBLISHED.perSecond, requests, warmUpSeconds: 0, seconds };
  const edges = { started: () => undefined, finished: () => undefined };
  return runLoad(plan, edges, { script: OPEN_LOOP, args: [] });
}
