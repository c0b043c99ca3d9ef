import type { Fleet, FleetMember } from '@lontar/shared/dashboard-contract.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import { type Instance, listInstances } from '@lontar/shared/instances.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type WorkerCircumstances, workerFailure } from '@lontar/shared/worker-failure.ts';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { readUpstreams } from '../upstreams/read-upstreams.ts';
import { type ParsedMetric, parseMetrics, sumOf } from './parse-metrics.ts';
import { streamTotalsOf } from './stream-totals.ts';

/** The fleet is looked at this often while an operator watches, ms. */
const FRESH_MS = 4_000;
const SCRAPE_TIMEOUT_MS = 1_500;
const MAX_SCRAPE_BYTES = 4 * 1024 * 1024;

export interface FleetDeps {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly queue: GenerationQueue;
  readonly requestTimeoutMs: number;
}

export interface FleetWatch {
  /** All processes that are up, with figures from their metrics; at most a few seconds old. */
  fleet(): Promise<Fleet>;
  /** All instances' metrics added up, in Prometheus's text format. */
  aggregated(): Promise<string>;
}

interface Look {
  readonly fleet: Fleet;
  readonly metrics: Registry;
}

/** Looks at the instances when asked, and shares one look between those who ask at about the same time. */
export function watchFleet(deps: FleetDeps): FleetWatch {
  let last: { at: number; look: Promise<Look> } | undefined;
  const look = () => {
    const now = performance.now();
    if (last === undefined || now - last.at > FRESH_MS) last = { at: now, look: lookAtFleet(deps) };
    return last.look;
  };
  return {
    fleet: async () => (await look()).fleet,
    aggregated: async () => (await look()).metrics.metrics(),
  };
}

/**
 * Prometheus's `http_sd_configs` form of the registry.
 *
 * @see https://prometheus.io/docs/prometheus/latest/http_sd/
 */
export function scrapeTargets(instances: readonly Instance[]): object[] {
  return instances
    .filter(({ metricsUrl }) => URL.canParse(metricsUrl))
    .map(({ id, service, metricsUrl }) => {
      const url = new URL(metricsUrl);
      return { targets: [url.host], labels: { __metrics_path__: url.pathname, job: service, instance_id: id } };
    });
}

async function lookAtFleet({ redis, clock, queue, requestTimeoutMs }: FleetDeps): Promise<Look> {
  const [instances, backlog] = await Promise.all([listInstances(redis), queue.state()]);
  const now = clock.now();
  const [known, ...scraped] = await Promise.all([
    readUpstreams(redis, instances, now),
    ...instances.map(({ metricsUrl }) => scrape(metricsUrl)),
  ]);
  const all = scraped.filter((metrics) => metrics !== undefined);
  const context = { now, backlog, longestJobMs: requestTimeoutMs };
  const members = instances.map((instance, index) => memberOf(instance, scraped[index], context));
  // prom-client's typings name only what a Node cluster sends; the form is the same.
  const fleet = { members, totals: totalsOf(all.flat()), ...(known && { upstreams: known.upstreams }) };
  return { fleet, metrics: AggregatorRegistry.aggregate(all) };
}

/** Metrics of one instance; `undefined` when they cannot be read, which must not spoil the rest. */
async function scrape(url: string): Promise<ParsedMetric[] | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS), redirect: 'error' });
    const text = await response.text();
    return response.ok && text.length <= MAX_SCRAPE_BYTES ? parseMetrics(text) : undefined;
  } catch {
    return undefined;
  }
}

function memberOf(
  instance: Instance,
  metrics: readonly ParsedMetric[] | undefined,
  context: WorkerCircumstances,
): FleetMember {
  const { metricsUrl: _, settings: __, model, slots, lastProgressAt, addressPerHour, ...known } = instance;
  const failing = instance.service === 'worker' ? workerFailure(instance, context) : undefined;
  return {
    ...known,
    ...(slots === undefined ? {} : { slots }),
    ...(lastProgressAt === undefined ? {} : { lastProgressAt }),
    ...(model === undefined ? {} : { model }),
    ...(addressPerHour === undefined ? {} : { addressPerHour }),
    ...(failing === undefined ? {} : { failing }),
    ...(metrics === undefined
      ? {}
      : {
          memoryBytes: sumOf(metrics, 'process_resident_memory_bytes'),
          eventLoopP99Ms: Math.round(sumOf(metrics, 'nodejs_eventloop_lag_p99_seconds') * 10_000) / 10,
        }),
  };
}

/** Thrown away, because masking failed or would have taken too much work. */
function isMaskingFailure({ result }: Readonly<Record<string, string>>): boolean {
  return result === 'failed' || result === 'refused';
}

function totalsOf(metrics: readonly ParsedMetric[]): Fleet['totals'] {
  const calls = 'gen_ai_client_operation_duration_seconds';
  const modelCalls = sumOf(metrics, `${calls}_count`);
  const masked = sumOf(metrics, 'masking_duration_seconds_count');
  return {
    modelCalls,
    modelErrors: sumOf(metrics, `${calls}_count`, ({ error_type }) => error_type !== 'none'),
    modelRetries: sumOf(metrics, 'model_retries_total'),
    ...(modelCalls === 0 ? {} : { modelMeanMs: Math.round((sumOf(metrics, `${calls}_sum`) / modelCalls) * 1_000) }),
    jobsStalled: sumOf(metrics, 'queue_jobs_stalled_total'),
    secretsMasked: sumOf(metrics, 'masking_secrets_masked_total'),
    maskingFailures: sumOf(metrics, 'masking_operations_total', isMaskingFailure),
    streams: streamTotalsOf(metrics),
    ...(masked === 0
      ? {}
      : { maskingMeanMs: Math.round((sumOf(metrics, 'masking_duration_seconds_sum') / masked) * 1e6) / 1_000 }),
  };
}
