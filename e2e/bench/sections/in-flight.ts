import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from '../load/run-load.ts';
import { measureRound } from '../measure.ts';
import { generationRequest, startServiceUnderTest } from '../processes/service-under-test.ts';
import { startProcess } from '../processes/start-process.ts';
import { residentBytes } from '../processes/usage.ts';
import type { InFlightRow, Results } from '../results.ts';
import { promptFor } from '../wish.ts';
import type { Upstream } from './contenders.ts';

const SAMPLE_MS = 200;
const WORKERS = 4;
/** Of each; a request that is not at the upstream waits in the queue, and is in flight on the gateway all the same. */
const CONCURRENCY = 1_000;

/**
 * So many requests at once on one gateway, before an upstream that takes 10 s. Everything is compiled and has served a
 * burst before, so that what grows is what the requests take.
 *
 * @throws when a process does not start, or Redis fails
 */
export async function measureInFlight(upstream: Upstream, counts: readonly number[]): Promise<InFlightRow[]> {
  const service = await startServiceUnderTest({
    upstreamPort: upstream.port,
    workers: WORKERS,
    settings: { WORKER_CONCURRENCY: String(CONCURRENCY) },
  });
  const fast = service.request(promptFor({ bytes: 2_048, delayMs: 0 }));
  const slow = service.request(promptFor({ bytes: 2_048, delayMs: 10_000 }));
  const [gateway, redis] = [service.gateways[0]!.pid, service.redis.process().pid!];
  const ofWorkers = () => service.workers.reduce((sum, { pid }) => sum + residentBytes(pid), 0);
  const memory = () => [residentBytes(gateway), ofWorkers(), residentBytes(redis)];
  try {
    const warm = { name: 'service', ports: service.ports, requests: [fast], processes: [] };
    await measureRound(warm, { connections: 200, seconds: 6, warmUpSeconds: 0 });
    const rows: InFlightRow[] = [];
    // One for all: what an earlier burst has made the heap grow is not given back, and would be missed by a later one.
    const before = memory();
    for (const inFlight of counts) {
      const most = [...before];
      const timer = setInterval(() => {
        for (const [index, bytes] of memory().entries()) most[index] = Math.max(most[index] ?? 0, bytes);
      }, SAMPLE_MS);
      const plan = { ports: service.ports, connections: inFlight, requests: [slow], warmUpSeconds: 0, seconds: 150 };
      const startedAt = performance.now();
      const result = await runLoad(
        { ...plan, most: inFlight },
        { started: () => undefined, finished: () => undefined },
      );
      clearInterval(timer);
      const [gatewayBytes = 0, workerBytes = 0, redisBytes = 0] = most.map(
        (bytes, index) => (bytes - (before[index] ?? 0)) / inFlight,
      );
      rows.push({
        inFlight,
        answered: result.requests,
        failed: Object.values(result.failures).reduce((sum, count) => sum + count, 0),
        seconds: (performance.now() - startedAt) / 1000,
        ...{ gatewayBytes, workerBytes, redisBytes },
      });
    }
    return rows;
  } finally {
    await service.stop();
  }
}

/** How long the bare servers are given to take all requests. */
const HOLD_SECONDS = 10;

/** What a held request takes on Node's own HTTP server and in a bare Express application, bytes. */
export async function measureHeld(inFlight: number): Promise<NonNullable<Results['heldAlone']>> {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-bench-'));
  const hold = async (kind: 'http' | 'express') => {
    const [server, line] = await startProcess({
      name: kind,
      command: ['e2e/bench/floors/hold-requests.ts', kind],
      folder,
      readyMessage: 'serves',
    });
    const requests = [
      generationRequest(promptFor({ bytes: 2_048, delayMs: 0 }), 'a key of the usual length'.padEnd(59)),
    ];
    const plan = { ports: [Number(line['port'])], connections: inFlight, requests, warmUpSeconds: 0 };
    const before = residentBytes(server.pid);
    let held = 0;
    await runLoad(
      { ...plan, seconds: HOLD_SECONDS },
      { started: () => undefined, finished: () => void (held = residentBytes(server.pid) - before) },
    );
    await server.stop();
    return held / inFlight;
  };
  const bytes = { http: await hold('http'), express: await hold('express') };
  await rm(folder, { recursive: true, force: true });
  return bytes;
}
