import type { Logger } from '@lontar/shared/logger.ts';
import { ROUTE_LABELS } from '@lontar/shared/metrics.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { isAnswer, isGenerationRoute, type RequestEvent } from '@lontar/shared/request-event.ts';
import type { StatsMetrics } from '@lontar/shared/stats-metrics.ts';
import { type ThrottledLogger, throttledWarning, throttleLines } from '@lontar/shared/throttled-log.ts';
import {
  ACTIVE_MS,
  EXACT_PEOPLE,
  LOG_OPEN_ROWS,
  LOG_REFUSED_ROWS,
  LOG_ROWS,
  LOG_TEXTS,
  statsKeys,
} from '../stats-keys.ts';
import { type LastUses, rememberLastUses } from './last-uses.ts';
import { type Entry, parseTally, readEntry, type TakenTally } from './parse-events.ts';
import { type Numbers, planBatch, type Told } from './plan-batch.ts';

/** Consumer group of the event stream; all instances of stats-service share it. */
const EVENT_GROUP = 'stats';
const BATCH = 500;
const BLOCK_MS = 1_000;
/** Rest between two batches: under load they grow, and Redis is asked at most eight times a second. */
const LINGER_MS = 250;
const RETRY_MS = 500;
/** How long a row about refused requests stays open for others of its second, ms; and how often that is looked at. */
const ROW_OPEN_MS = 1_500;
const CLOSE_EVERY_MS = 250;
/** An instance that has not touched its pending events for this long has lost them to the others, ms. */
const TAKEOVER_AFTER_MS = 15_000;
const TAKEOVER_EVERY_MS = 5_000;
/** Consumers of instances that are gone are forgotten after this, ms. */
const RETIRE_AFTER_MS = 3_600_000;

const applyScript = loadScript(new URL('./apply-events.lua', import.meta.url));
const takeScript = loadScript(new URL('./take-tally.lua', import.meta.url));
const retireScript = loadScript(new URL('./retire-consumers.lua', import.meta.url));

/** The first keys and the bounds of apply-events.lua, in its order. */
const OWN_KEYS = [
  redisKeys.events,
  statsKeys.active,
  statsKeys.log,
  statsKeys.logTexts,
  statsKeys.logRefused,
  statsKeys.logOpen,
  redisKeys.eventBytes,
  redisKeys.eventTallyTaken,
  redisKeys.eventPeopleTaken,
  redisKeys.apiKeyUse,
];
const BOUNDS = [ACTIVE_MS, LOG_ROWS, LOG_TEXTS, EXACT_PEOPLE, LOG_REFUSED_ROWS, LOG_OPEN_ROWS, ROW_OPEN_MS];

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
 * many instances run and whenever one dies: see `apply-events.lua`. Never throws: where Redis fails, the events stay in
 * the stream and are taken again.
 */
export function consumeEvents(given: ConsumerDeps): EventConsumer {
  const deps = { ...given, lastUses: rememberLastUses() };
  const stop = new AbortController();
  const lines = throttleLines(deps.logger);
  const onTrouble = throttledWarning(deps.logger, 'events could not be counted; trying again');
  const loop = async () => {
    let nextTakeover = Number.NEGATIVE_INFINITY;
    let own = true;
    let ready = false;
    /** Rows wait to be closed; another instance may have left some behind. */
    let rowsOpen = true;
    while (!stop.signal.aborted) {
      try {
        if (!ready) await createGroup(deps.redis);
        ready = true;
        if (performance.now() >= nextTakeover) {
          nextTakeover = performance.now() + Math.min(TAKEOVER_EVERY_MS, deps.takeoverAfterMs ?? TAKEOVER_EVERY_MS);
          own = (await takeOver(deps)) > 0 || own;
          rowsOpen = true;
        }
        const entries = await read(deps, own, rowsOpen ? CLOSE_EVERY_MS : BLOCK_MS);
        const applied: Applied | 'nothing' | undefined = await applyAll(deps, lines, entries, rowsOpen);
        own = entries.length > 0 && (own || applied === undefined);
        if (applied !== 'nothing') rowsOpen = applied === undefined || applied.rowsOpen > 0;
        if (entries.length > 0 && entries.length < BATCH) await pause(LINGER_MS);
      } catch (error) {
        // What became of the batch is unknown: ask for what is still pending. A lost group is made anew.
        [own, ready, rowsOpen] = [true, false, true];
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
async function read({ redis, consumer }: ConsumerDeps, own: boolean, blockMs: number): Promise<readonly Entry[]> {
  const from = own ? '0' : '>';
  const reply = (await redis.xreadgroup(
    ...(['GROUP', EVENT_GROUP, consumer, 'COUNT', BATCH, 'BLOCK', blockMs, 'STREAMS', redisKeys.events, from] as const),
  )) as [string, Entry[]][] | null;
  return reply?.[0]?.[1] ?? [];
}

/** What gateways sent as numbers; `undefined` when there is nothing. */
async function takeTally(redis: Redis): Promise<TakenTally | undefined> {
  const keys = [
    redisKeys.eventTally,
    redisKeys.eventPeople,
    redisKeys.eventTallyTaken,
    redisKeys.eventPeopleTaken,
  ] as const;
  const reply = (await takeScript(redis, keys, [])) as [] | TakenTally;
  return reply.length === 0 ? undefined : reply;
}

/**
 * Counts the entries, and what was told as numbers before the last of them. Whether there are numbers is asked with the
 * entries: they are rare, and a question of its own for each batch would cost a tenth of it.
 *
 * @returns as `apply`; `nothing` where there was nothing to do
 */
async function applyAll(
  deps: Applying,
  lines: ThrottledLogger,
  entries: readonly Entry[],
  rowsOpen: boolean,
): Promise<Applied | 'nothing' | undefined> {
  if (entries.length > 0) {
    const applied = await apply(deps, lines, entries, undefined);
    if (applied !== 'numbers') return applied;
  }
  const tally = await takeTally(deps.redis);
  if (entries.length === 0 && !tally && !rowsOpen) return 'nothing';
  const applied = await apply(deps, lines, entries, tally);
  // They came, or another instance took them, in between: the entries are still held, and read again.
  return applied === 'numbers' ? undefined : applied;
}

/** What it takes to apply a batch. */
interface Applying extends ConsumerDeps {
  readonly lastUses: LastUses;
}

interface Applied {
  readonly rowsOpen: number;
}

/**
 * Counts the entries and what was sent as numbers, acknowledges and deletes both, in one step.
 *
 * @returns how many rows are still open; `numbers` when some were told that were not taken; `undefined` when the entries are no longer exactly what this consumer holds, or
 *   another one has counted the numbers; nothing was counted then
 */
async function apply(
  deps: Applying,
  lines: ThrottledLogger,
  entries: readonly Entry[],
  tally: TakenTally | undefined,
): Promise<Applied | 'numbers' | undefined> {
  const read = entries.map(readEntry);
  const { repeats, numbers, malformed } = parseTally(tally ?? ['', [], []]);
  const told = read.flatMap((entry) => entry.told ?? []).concat(repeats);
  const { keys, log, ...whole } = planBatch(told, deps.keepTexts, numbers);
  const plan = { ...whole, used: whole.used.filter(([keyId, minute]) => deps.lastUses.isLater(keyId, minute)) };
  const ids = JSON.stringify(entries.map(([id]) => id));
  const bytes = read.reduce((sum, entry) => sum + entry.bytes, 0);
  const reply = (await applyScript(
    deps.redis,
    [...OWN_KEYS, ...keys, redisKeys.eventTally, redisKeys.eventPeople],
    [deps.consumer, ids, JSON.stringify(plan), ...BOUNDS, bytes, tally?.[0] ?? '', ...log.flat()],
  )) as [string, number?];
  if (reply[0] !== 'applied') return reply[0] === 'numbers' ? 'numbers' : undefined;
  noteRecorded(deps.metrics, told, numbers);
  deps.lastUses.note(plan.used);
  const lost = read.length + repeats.length - told.length + malformed;
  if (lost > 0) {
    deps.metrics.dropped.inc({ reason: 'malformed' }, lost);
    lines.warn({ count: lost }, 'events were dropped because they could not be understood');
  }
  return { rowsOpen: reply[1] ?? 0 };
}

/** Once for each kind of a batch: the metrics' look-up of labels costs more than the rest of an event's counting. */
function noteRecorded({ recorded }: StatsMetrics, told: readonly Told[], { counters }: Numbers): void {
  const kinds = new Map<string, { route: string; outcome: RequestEvent['outcome']; count: number }>();
  const add = ({ route, outcome }: Pick<RequestEvent, 'route' | 'outcome'>, count: number): void => {
    const kind = kinds.get(`${route} ${outcome}`);
    if (kind) kind.count += count;
    else kinds.set(`${route} ${outcome}`, { route, outcome, count });
  };
  for (const { event, count } of told) if (isAnswer(event)) add(event, count);
  for (const [counter, amount] of counters) if (counter.kind === 'recorded') add(counter, amount);
  for (const { route, outcome, count } of kinds.values()) recorded.inc({ endpoint: routeLabel(route), outcome }, count);
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
