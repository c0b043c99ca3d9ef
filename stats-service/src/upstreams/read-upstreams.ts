import type { CatalogSummary, UpstreamView } from '@lontar/shared/admin/models-schemas.ts';
import type { Instance } from '@lontar/shared/instances.ts';
import { type CallReport, callReportSchema, type RouteCalls } from '@lontar/shared/models/call-report.ts';
import { type CatalogView, catalogViewSchema } from '@lontar/shared/models/catalog-view.ts';
import { parseState, UNKNOWN_STATE } from '@lontar/shared/models/upstream-state.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { z } from 'zod';

/** What the fleet's models and upstreams are like now. */
export interface UpstreamsNow {
  readonly summary: CatalogSummary;
  readonly models: CatalogView['models'];
  readonly upstreams: readonly UpstreamView[];
  /** What each worker tells of its calls of the last minutes. */
  readonly calls: readonly RouteCalls[];
}

/**
 * Reads what workers have published, and what the fleet knows of each upstream.
 *
 * @returns undefined while no worker has told of its models, or where the user of Redis was made for an earlier version and
 *   may not read it
 * @throws when Redis fails
 */
export async function readUpstreams(
  redis: Redis,
  instances: readonly Instance[],
  now: RedisTime,
): Promise<UpstreamsNow | undefined> {
  try {
    return await read(redis, instances, now);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return undefined;
    throw error;
  }
}

async function read(redis: Redis, instances: readonly Instance[], now: RedisTime): Promise<UpstreamsNow | undefined> {
  const workers = instances.filter(({ service, models }) => service === 'worker' && models !== undefined);
  const digest = mostFrequent(workers.map(({ models }) => models?.digest ?? ''));
  if (digest === undefined) return undefined;
  const [published, ...reports] = await Promise.all([
    redis.get(redisKeys.upstreamCatalog(digest)),
    ...workers.map(({ id }) => redis.get(redisKeys.upstreamCalls(id))),
  ]);
  const catalog = parse(catalogViewSchema, published);
  if (catalog === undefined) return undefined;
  const told = reports.map((text) => parse(callReportSchema, text)).filter((report) => report !== undefined);
  const upstreams = await Promise.all(catalog.upstreams.map((upstream) => readUpstream(redis, upstream, told, now)));
  const readers = instances.filter(({ models }) => models !== undefined);
  return {
    summary: {
      source: catalog.source,
      digest,
      agreed: readers.every((reader) => goesBy(reader, catalog.source, digest)),
      broken: readers.some(({ models }) => models?.broken === true),
      modelsLeftOut: catalog.modelsLeftOut,
    },
    models: catalog.models,
    upstreams,
    calls: told.flatMap(({ routes }) => routes),
  };
}

/** A gateway without a file of models knows their names alone, so that its catalog is never that of the workers. */
function goesBy({ service, models }: Instance, source: CatalogSummary['source'], digest: string): boolean {
  if (service === 'gateway' && models?.source === 'variables') return source === 'variables';
  return models?.digest === digest;
}

async function readUpstream(
  redis: Redis,
  { name, provider, maxInFlight, requestsPerMinute, tokensPerMinute, context }: CatalogView['upstreams'][number],
  reports: readonly CallReport[],
  now: RedisTime,
): Promise<UpstreamView> {
  const [text, placesUsed] = await Promise.all([
    redis.get(redisKeys.upstream(name)),
    redis.zcount(redisKeys.upstreamPlaces(name), now, '+inf'),
  ]);
  const { openUntil, openedBy, aloneUntil, limit } = parseState(text ?? '') ?? UNKNOWN_STATE;
  const isOpen = openUntil > 0;
  return {
    name,
    provider,
    state: stateAt(openUntil, now),
    reason: isOpen ? openedBy : null,
    openUntil: isOpen ? new Date(openUntil).toISOString() : null,
    leftAloneUntil: aloneUntil > now ? new Date(aloneUntil).toISOString() : null,
    inFlight: reports.reduce((sum, { inFlight }) => sum + (inFlight[name] ?? 0), 0),
    placesUsed,
    maxInFlight: maxInFlight ?? null,
    adaptiveLimit: limit > 0 ? Math.floor(limit / 1_000) : null,
    requestsPerMinute: requestsPerMinute ?? null,
    tokensPerMinute: tokensPerMinute ?? null,
    context: context ?? null,
  };
}

function stateAt(openUntil: number, now: RedisTime): UpstreamView['state'] {
  if (openUntil === 0) return 'closed';
  return openUntil > now ? 'open' : 'half-open';
}

/** What another version wrote, and this one cannot read, is as good as not there. */
function parse<Schema extends z.ZodType>(schema: Schema, text: string | null): z.infer<Schema> | undefined {
  try {
    return text === null ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function mostFrequent(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
