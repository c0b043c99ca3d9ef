import { parseState, UNKNOWN_STATE, type UpstreamState } from '@lontar/shared/models/upstream-state.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import type { Outcome } from './upstream-state.ts';

const takeScript = loadScript(new URL('./take-route.lua', import.meta.url));
const noteScript = loadScript(new URL('./note-outcomes.lua', import.meta.url));
const lookScript = loadScript(new URL('./look-at-upstreams.lua', import.meta.url));

/** A call's place at an upstream ends so long after its worker was last heard of: a dead one's come back by then. */
const PLACE_MS = 8_000;
/** How often a worker renews the places of its calls, ms: a place survives two renewals that fail. */
export const PLACE_RENEWAL_MS = 2_000;

/** What Redis says of one upstream. */
export interface Seen {
  readonly state: UpstreamState;
  /** Places taken by calls of all workers. */
  readonly taken: number;
}

/** What binds calls to one upstream. */
export interface UpstreamTerms {
  readonly upstream: string;
  /** Calls in flight at most; 0 for no limit. */
  readonly mostInFlight: number;
  readonly callsPerMinute: number;
  readonly tokensPerMinute: number;
  /** Whether an open breaker, and its wish to be left alone, keep calls away. */
  readonly binds: boolean;
}

export interface Taken {
  /** Which upstream of those that were asked for has the call now; undefined for none. */
  readonly index: number | undefined;
  /** How long until one may take it, ms. */
  readonly retryInMs: number;
  /** The call tries whether the upstream is well again. */
  readonly isProbe: boolean;
  /** The upstreams that were looked at, in the order in which they were given. */
  readonly seen: readonly Seen[];
}

/**
 * Takes a place at the first of several upstreams that takes a call now. See take-route.lua for the contract.
 *
 * @param callId of the call; no other has it
 * @param tokens that it is expected to use
 * @throws when Redis fails; a place may be taken then, which ends by itself
 */
export async function takeRoute(
  redis: Redis,
  callId: string,
  tokens: number,
  terms: readonly UpstreamTerms[],
): Promise<Taken> {
  const keys = terms.flatMap(({ upstream }) => keysOf(upstream));
  const args = terms.flatMap((term) => [
    term.mostInFlight,
    term.callsPerMinute,
    term.tokensPerMinute,
    term.binds ? '1' : '0',
  ]);
  const reply = (await takeScript(redis, keys, [callId, PLACE_MS, tokens, ...args])) as [number, number, number];
  const [which, retryInMs, isProbe] = reply;
  return {
    index: which === 0 ? undefined : which - 1,
    retryInMs,
    isProbe: isProbe === 1,
    seen: readSeen(reply.slice(3)),
  };
}

export interface ToldOutcomes {
  readonly upstream: string;
  readonly outcomes: readonly Outcome[];
  /** Used beyond those that were expected when the calls were let go. */
  readonly moreTokens: number;
  readonly toldAt: RedisTime;
}

/**
 * Notes how calls ended, and gives their places back. See note-outcomes.lua for the contract.
 *
 * @throws when Redis fails; the outcomes may have been noted then, and are not to be sent again
 */
export async function noteOutcomes(redis: Redis, told: ToldOutcomes): Promise<Seen> {
  const { upstream, outcomes, moreTokens, toldAt } = told;
  const each = outcomes.flatMap((outcome) => {
    const { kind, id, beganAt, retryAfterMs, count, inFlight } = outcome;
    const waitMs = retryAfterMs === undefined ? '' : Math.round(retryAfterMs);
    return [outcome.class, kind, id, Math.round(beganAt), waitMs, count, inFlight];
  });
  const keys = [...keysOf(upstream), redisKeys.workers];
  const args = [upstream, redisKeys.upstreamChanges, Math.round(moreTokens), toldAt, ...each];
  const reply = await noteScript(redis, keys, args);
  return readSeen(reply as unknown[])[0] ?? { state: UNKNOWN_STATE, taken: 0 };
}

/** An upstream, and the calls of this worker that keep a place there. */
export interface Looked {
  readonly upstream: string;
  readonly callIds: readonly string[];
}

/**
 * Looks at upstreams, and renews the places of this worker's calls. See look-at-upstreams.lua for the contract. Safe to
 * repeat.
 *
 * @throws when Redis fails; places may have been renewed then
 */
export async function lookAtUpstreams(redis: Redis, looked: readonly Looked[]): Promise<Seen[]> {
  const keys = looked.flatMap(({ upstream }) => [redisKeys.upstream(upstream), redisKeys.upstreamPlaces(upstream)]);
  const args = looked.flatMap(({ callIds }) => [callIds.length, ...callIds]);
  return readSeen((await lookScript(redis, keys, [PLACE_MS, ...args])) as unknown[]);
}

/** What is told on the channel of changes; undefined where it is nothing that this version can read. */
export function readChange(message: string): { readonly upstream: string; readonly state: UpstreamState } | undefined {
  try {
    const { name, state } = JSON.parse(message) as { name?: unknown; state?: unknown };
    const parsed = typeof state === 'string' ? parseState(state) : undefined;
    return typeof name === 'string' && parsed !== undefined ? { upstream: name, state: parsed } : undefined;
  } catch {
    return undefined;
  }
}

function keysOf(upstream: string): string[] {
  return [redisKeys.upstream(upstream), redisKeys.upstreamPlaces(upstream), redisKeys.upstreamRates(upstream)];
}

function readSeen(reply: readonly unknown[]): Seen[] {
  return Array.from({ length: reply.length / 2 }, (_, index) => ({
    state: parseState(String(reply[2 * index])) ?? UNKNOWN_STATE,
    taken: Number(reply[2 * index + 1]),
  }));
}
