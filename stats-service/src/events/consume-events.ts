import type { Logger } from '@lontar/shared/logger.ts';
import { ROUTE_LABELS } from '@lontar/shared/metrics.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { isGenerationRoute, type RequestEvent, requestEventSchema } from '@lontar/shared/request-event.ts';
import type { StatsMetrics } from '@lontar/shared/stats-metrics.ts';
import { throttledWarning } from '@lontar/shared/throttled-log.ts';
import { ACTIVE_MS, EXACT_PEOPLE, LOG_ROWS, LOG_TEXTS, statsKeys } from '../stats-keys.ts';
import { planBatch } from './plan-batch.ts';

/** Consumer group of the event stream; all instances of stats-service share it. */
export const EVENT_GROUP = 'stats';
const BATCH = 500;
const BLOCK_MS = 1_000;
/** Rest between two batches: under load they grow, and Redis is asked at most 40 times a second. */
const LINGER_MS = 25;
const RETRY_MS = 500;
/** An instance that has not touched its pending events for this long has lost them to the others, ms. */
const TAKEOVER_AFTER_MS = 15_000;
const TAKEOVER_EVERY_MS = 5_000;
/** Consumers of instances that are gone are forgotten after this, ms. */
const RETIRE_AFTER_MS = 3_600_000;

const applyScript = loadScript(new URL('./apply-events.lua', import.meta.url));
const retireScript = loadScript(new URL('./retire-consumers.lua', import.meta.url));

type Entry = readonly [id: string, fields: readonly string[] | null];

export interface EventConsumer {
  /** Finishes the batch in work and stops. */
  stop(): Promise<void>;
}

export interface ConsumerDeps {
  /** A patient connection of its own: reads block. */
  readonly redis: Redis;
  /** Unique per process. */
  readonly consumer: string;
  readonly keepTexts: boolean;
  readonly metrics: StatsMetrics;
  readonly logger: Logger;
  /** For tests: how soon pending events of a silent instance are taken over, ms. */
  readonly takeoverAfterMs?: number;
}

/**
 * Turns the stream of answered requests into counters until it is stopped. Each event is counted exactly once, however
 * many instances run and whenever one dies: see `apply-events.lua`.
 */
export function consumeEvents(deps: ConsumerDeps): EventConsumer {
  const stop = new AbortController();
  const onTrouble = throttledWarning(deps.logger, 'events could not be counted; trying again');
  const loop = async () => {
    let nextTakeover = Number.NEGATIVE_INFINITY;
    let own = true;
    let ready = false;
    while (!stop.signal.aborted) {
      try {
        if (!ready) await createGroup(deps.redis);
        ready = true;
        if (performance.now() >= nextTakeover) {
          nextTakeover = performance.now() + Math.min(TAKEOVER_EVERY_MS, deps.takeoverAfterMs ?? TAKEOVER_EVERY_MS);
          own = (await takeOver(deps)) > 0 || own;
        }
        const entries = await read(deps, own);
        if (entries.length > 0) own = !(await applyEntries(deps, entries)) || own;
        else own = false;
        if (entries.length < BATCH) await pause(LINGER_MS);
      } catch (error) {
        // What became of the batch is unknown: ask for what is still pending. A lost group is made anew.
        [own, ready] = [true, false];
        if (!stop.signal.aborted) onTrouble(error);
        if (!stop.signal.aborted) await pause(RETRY_MS);
      }
    }
  };
  const done = loop();
  return {
    async stop() {
      stop.abort();
      await done;
    },
  };
}

/** Makes the group where it is missing; it starts at the oldest event. */
async function createGroup(redis: Redis): Promise<void> {
  await redis.xgroup('CREATE', redisKeys.events, EVENT_GROUP, '0', 'MKSTREAM').catch((error: unknown) => {
    if (!(error instanceof Error) || !error.message.startsWith('BUSYGROUP')) throw error;
  });
}

/** The next entries: new ones, or those that this consumer holds already. */
async function read({ redis, consumer }: ConsumerDeps, own: boolean): Promise<readonly Entry[]> {
  const from = own ? '0' : '>';
  const reply = (await redis.xreadgroup(
    ...([
      'GROUP',
      EVENT_GROUP,
      consumer,
      'COUNT',
      BATCH,
      'BLOCK',
      BLOCK_MS,
      'STREAMS',
      redisKeys.events,
      from,
    ] as const),
  )) as [string, Entry[]][] | null;
  return reply?.[0]?.[1] ?? [];
}

/**
 * Counts the entries, acknowledges and deletes them, in one step.
 *
 * @returns false when they are no longer exactly what this consumer holds; nothing was counted
 */
async function applyEntries(deps: ConsumerDeps, entries: readonly Entry[]): Promise<boolean> {
  const events = entries.map(([, fields]) => parseEvent(fields));
  const known = events.filter((event) => event !== undefined);
  const { keys, ...plan } = planBatch(known, deps.keepTexts);
  const reply = (await applyScript(
    deps.redis,
    [redisKeys.events, statsKeys.active, statsKeys.log, statsKeys.logTexts, ...keys],
    [
      deps.consumer,
      JSON.stringify(entries.map(([id]) => id)),
      JSON.stringify(plan),
      ACTIVE_MS,
      LOG_ROWS,
      LOG_TEXTS,
      EXACT_PEOPLE,
    ],
  )) as [string];
  if (reply[0] !== 'applied') return false;
  for (const { route, outcome } of known) deps.metrics.recorded.inc({ endpoint: routeLabel(route), outcome });
  const malformed = events.length - known.length;
  if (malformed > 0) {
    deps.metrics.dropped.inc({ reason: 'malformed' }, malformed);
    deps.logger.warn({ count: malformed }, 'events were dropped because they could not be understood');
  }
  return true;
}

function parseEvent(fields: readonly string[] | null): RequestEvent | undefined {
  const at = fields?.indexOf('event') ?? -1;
  const text = at < 0 ? undefined : fields?.[at + 1];
  if (text === undefined) return undefined;
  try {
    const parsed = requestEventSchema.safeParse(JSON.parse(text));
    return parsed.success && isPlausibleTime(parsed.data.at) ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a moment is after Lontar's beginning and at most a day ahead; others would make days that never expire. */
function isPlausibleTime(at: number): boolean {
  return at > Date.UTC(2025, 0) && at < Date.now() + 86_400_000;
}

/** Takes over events whose instance has died or hangs, and forgets consumers that are long gone. */
async function takeOver({ redis, consumer, takeoverAfterMs, logger }: ConsumerDeps): Promise<number> {
  const idle = takeoverAfterMs ?? TAKEOVER_AFTER_MS;
  const reply = (await redis.xautoclaim(
    ...([redisKeys.events, EVENT_GROUP, consumer, idle, '0-0', 'COUNT', BATCH, 'JUSTID'] as const),
  )) as [string, string[]];
  const taken = reply[1].length;
  if (taken > 0) logger.info({ count: taken }, 'took over events of an instance that went silent');
  await retireScript(redis, [redisKeys.events], [EVENT_GROUP, RETIRE_AFTER_MS]);
  return taken;
}

function routeLabel(route: string): (typeof ROUTE_LABELS)[number] {
  if (isGenerationRoute(route)) return route;
  return ROUTE_LABELS.find((label) => label === route) ?? 'other';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
