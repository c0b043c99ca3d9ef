import { correctionOf } from '@lontar/shared/clock-correction.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { ScrapedRegistry } from '@lontar/shared/http/probes.ts';
import { listInstances } from '@lontar/shared/instances.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { QUEUE_STATES, type StatsMetrics } from '@lontar/shared/stats-metrics.ts';
import { workerFailure } from '@lontar/shared/worker-failure.ts';
import type { Registry } from 'prom-client';
import { readTiles } from './counters/read-counters.ts';
import { readLagMs } from './endpoints/read-health.ts';

export interface ExportDeps {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly queue: GenerationQueue;
  readonly metrics: StatsMetrics;
  readonly requestTimeoutMs: number;
  /** Takes what INFO said of the servers, see `exportTopology`. */
  readonly topology: (info: ReadonlyMap<string, string>) => Promise<void>;
}

/**
 * Brings the gauges up to date: the tiles' numbers, the queue, and the few figures of Redis that alerts need. Called
 * before each scrape. Never rejects: what cannot be read keeps its last value, so that Redis breaks no scrape.
 */
export async function exportGauges(deps: ExportDeps): Promise<void> {
  await Promise.allSettled([
    exportTiles(deps),
    exportQueue(deps),
    exportRedis(deps),
    readLagMs(deps.redis).then((lagMs) => deps.metrics.eventLag.set(lagMs / 1000)),
  ]);
}

async function exportTiles({ redis, clock, metrics }: ExportDeps): Promise<void> {
  const tiles = await readTiles(redis, clock.now());
  metrics.requestsSinceReset.set(tiles.requestsSinceReset);
  metrics.requestsAllTime.set(tiles.requestsAllTime);
  metrics.requestsToday.set(tiles.requestsToday);
  metrics.activeUsers.set(tiles.activeUsers);
  metrics.uniqueUsersToday.set(tiles.uniqueUsersToday);
  metrics.uniqueUsersAllTime.set(tiles.uniqueUsersAllTime);
  metrics.responseMeanToday.set((tiles.responseMeanMs ?? 0) / 1000);
  metrics.responseP95Today.set((tiles.responseP95Ms ?? 0) / 1000);
  const judged = tiles.successesToday + tiles.failuresToday;
  metrics.successRatioToday.set(judged === 0 ? 1 : tiles.successesToday / judged);
  metrics.errorsToday.set(tiles.errorsToday);
  metrics.clientErrorsToday.set(tiles.clientErrorsToday);
  metrics.blockedAddresses.set(tiles.blockedAddresses);
}

async function exportQueue({ redis, clock, queue, metrics, requestTimeoutMs }: ExportDeps): Promise<void> {
  const [state, instances] = await Promise.all([queue.state(), listInstances(redis)]);
  for (const name of QUEUE_STATES) metrics.queueJobs.set({ state: name }, state[name]);
  metrics.queueOldestWaitingAge.set(state.oldestWaitingAgeMs / 1000);
  const circumstances = { now: clock.now(), backlog: state, longestJobMs: requestTimeoutMs };
  const failing = instances.filter(
    (instance) => instance.service === 'worker' && workerFailure(instance, circumstances) !== undefined,
  );
  metrics.workersFailing.set(failing.length);
}

async function exportRedis({ redis, metrics, topology }: ExportDeps): Promise<void> {
  const info = parseInfo(await redis.info());
  metrics.redisMemoryUsed.set(Number(info.get('used_memory') ?? 0));
  metrics.redisMemoryMax.set(Number(info.get('maxmemory') ?? 0));
  metrics.redisClients.set(Number(info.get('connected_clients') ?? 0));
  metrics.redisPolicyOk.set(info.get('maxmemory_policy') === 'noeviction' ? 1 : 0);
  metrics.redisAofOk.set(info.get('aof_last_write_status') === 'ok' ? 1 : 0);
  metrics.redisClockCorrection.set(correctionOf(redis) / 1000);
  await topology(info);
}

/** The same registry for a scrape, before which its gauges are brought up to date. */
export function refreshedAtScrape(registry: Registry, refresh: () => Promise<void>): ScrapedRegistry {
  return {
    contentType: registry.contentType,
    async metrics() {
      await refresh();
      return registry.metrics();
    },
  };
}

/** Fields of Redis's INFO. */
function parseInfo(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
}
