import { setTimeout as delay } from 'node:timers/promises';
import { parseState } from '@lontar/shared/models/upstream-state.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { type LedgerEntry, statusOf } from './ledger.ts';
import type { Report } from './report.ts';
import { isUp, type System, until } from './system.ts';

/** Between two kills: each is to be seen by itself. */
const PAUSE_MS = 2_000;
/** Redis starts again after this: an operator's supervisor takes no longer. */
const REDIS_AWAY_MS = 500;
/** What the fleet has to know again, and to have given back, within this. */
const BACK_WITHIN_MS = 10_000;
const LOOK_MS = 50;

/** What a client may see of the kills: a connection to a gateway that is gone, and 503 while Redis is away. */
interface Excuse {
  readonly from: number;
  to: number;
  readonly isExcused: (entry: LedgerEntry) => boolean;
}

/** What came of killing every process once. */
export interface Kills {
  readonly excuses: readonly Excuse[];
  /** Until the places of a dead worker's calls had come back, ms; the longest. */
  readonly placesBackMs: number;
  /** Until the fleet knew again that the upstream was down, once Redis was back, ms. */
  readonly knownAgainMs: number;
}

/**
 * Kills every process of the service once, one after the other, and starts each again, while an upstream is down.
 *
 * @param down its name
 * @throws when what the fleet had learned is not there again in time
 */
export async function killEveryProcessOnce(system: System, down: string, upstreams: readonly string[]): Promise<Kills> {
  const { stack } = system;
  const isKnown = async () => {
    const text = await stack.redis.client.get(redisKeys.upstream(down));
    return (parseState(text ?? '')?.openUntil ?? 0) > 0;
  };
  await until(isKnown, BACK_WITHIN_MS, `the breaker of ${down}`);
  let placesBackMs = 0;
  for (const worker of stack.workers.filter(isUp)) {
    await worker.end('SIGKILL');
    // With several dead at once too few places would be left for this load.
    const [backMs] = await Promise.all([untilPlacesAreBack(system, upstreams), stack.startWorker()]);
    placesBackMs = Math.max(placesBackMs, backMs);
  }
  const excuses: Excuse[] = [];
  for (const [again, gateway] of stack.gateways.entries()) {
    const excuse = begin(({ end }) => end?.kind === 'broken');
    excuses.push(excuse);
    await gateway.end('SIGKILL');
    await stack.startGateway({ again });
    excuse.to = Date.now();
    await delay(PAUSE_MS);
  }
  await stack.stats?.end('SIGKILL');
  await stack.startStats();
  const excuse = begin((entry) => statusOf(entry) === 503);
  excuses.push(excuse);
  await stack.redis.kill();
  await delay(REDIS_AWAY_MS);
  await stack.redis.start();
  const knownAgainMs = await until(isKnown, 2 * BACK_WITHIN_MS, `${down} known to be down again`);
  await delay(PAUSE_MS);
  // Service is back within a second of Redis's return; a busy machine takes a moment more.
  excuse.to = Date.now();
  return { excuses, placesBackMs, knownAgainMs };
}

/** Prints what came of it, and says which requests are excused. */
export function judgeKills(report: Report, { excuses, placesBackMs, knownAgainMs }: Kills) {
  report.timed('places of a killed worker come back', placesBackMs, { atMost: BACK_WITHIN_MS });
  report.timed('the open breaker is known again after a kill of Redis', knownAgainMs, { atMost: BACK_WITHIN_MS });
  return (entry: LedgerEntry) =>
    excuses.some(({ from, to, isExcused }) => isExcused(entry) && entry.sentAt <= to && (entry.endedAt ?? 0) >= from);
}

function begin(isExcused: Excuse['isExcused']): Excuse {
  return { from: Date.now(), to: Number.POSITIVE_INFINITY, isExcused };
}

/** Until those calls are over that have a place now: the dead worker's are, when their places end. */
async function untilPlacesAreBack({ stack }: System, upstreams: readonly string[]): Promise<number> {
  const taken = async () => {
    const keys = upstreams.map((name) => redisKeys.upstreamPlaces(name));
    return (await Promise.all(keys.map((key) => stack.redis.client.zrangebyscore(key, Date.now(), '+inf')))).flat();
  };
  const held = new Set(await taken());
  const areBack = async () => {
    await delay(LOOK_MS);
    return !(await taken()).some((call) => held.has(call));
  };
  return until(areBack, 2 * BACK_WITHIN_MS, 'places of a killed worker');
}
