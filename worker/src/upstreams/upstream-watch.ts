import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { onTicks } from '@lontar/shared/ticks.ts';
import {
  type Looked,
  lookAtUpstreams,
  noteOutcomes,
  PLACE_RENEWAL_MS,
  readChange,
  type Seen,
} from './fleet-scripts.ts';
import { type Ended, type Known, KnownUpstream, outcomeOf } from './known-upstream.ts';
import { isQuiet, noteOutcome } from './upstream-state.ts';

/** How old a worker's copy of what the fleet knows may be, ms. */
const LOOK_MS = 250;
/** An upstream that was not considered for so long is not looked at, ms. */
const FORGOTTEN_MS = 10_000;
/** Answers that change nothing at once are told together, ms. */
const ANSWERS_TOLD_MS = 50;
/** Outcomes that one script notes at most: Redis does nothing else meanwhile. */
const MOST_TOLD = 250;
/** Upstreams that one script looks at, at most. */
const MOST_LOOKED_AT = 100;

export interface WatchDeps {
  /** The patient connection that settles. */
  readonly redis: Redis;
  /** The connection that listens for cancellations. */
  readonly subscriber: Redis;
  readonly clock: Pick<RedisClock, 'now'>;
  /** Called for each failure of Redis; must not flood the log. */
  readonly onError: (error: unknown) => void;
  /** Called when an upstream may take calls that it did not take before. */
  readonly onChange: () => void;
}

/** A worker's copy of what the fleet knows of its upstreams, and of its own calls. */
export interface UpstreamWatch {
  /** What is known of an upstream; it is looked at from now on, if `isLimited` or anything is wrong with it. */
  known(upstream: string, isLimited: boolean): Known;
  /** Takes over what Redis has said. */
  note(upstream: string, seen: Seen): void;
  began(upstream: string, callId: string, hasPlace: boolean): void;
  ended(upstream: string, callId: string, end: Ended): void;
  /** Upstreams that were considered, with what is known of them. */
  all(): Iterable<readonly [string, Known]>;
  /** Looks at what is to be looked at. Never rejects: where Redis fails, it is tried again. */
  look(): Promise<void>;
  stop(): void;
}

/**
 * Follows what the fleet knows of its upstreams. While all are well and none has a limit, Redis is sent nothing. Changes
 * are heard on the channel; what is not well, or has limits, is looked at four times a second besides, so that nothing rests
 * on messages, which may be lost.
 *
 * Never throws, nor do its methods: where Redis fails, the worker goes by what it knows and by its own calls.
 */
export function watchUpstreams(deps: WatchDeps): UpstreamWatch {
  return new Watch(deps);
}

class Watch implements UpstreamWatch {
  readonly #deps: WatchDeps;
  readonly #upstreams = new Map<string, KnownUpstream>();
  readonly #stopLooking: () => void;
  #isLooking = false;
  #isTurnDue = false;
  #answersTimer: NodeJS.Timeout | undefined;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    const { subscriber, onError } = deps;
    subscriber.on('message', this.#onMessage);
    subscriber.on('ready', this.#onReady);
    subscriber.subscribe(redisKeys.upstreamChanges).catch(onError);
    this.#stopLooking = onTicks(LOOK_MS, () => void this.look());
  }

  known(name: string, isLimited: boolean): Known {
    const upstream = this.#of(name);
    upstream.isLimited = isLimited;
    upstream.consideredAt = performance.now();
    return upstream;
  }

  note(name: string, seen: Seen): void {
    this.#of(name).take(seen);
  }

  began(name: string, callId: string, hasPlace: boolean): void {
    this.#of(name).calls.set(callId, { beganAt: this.#deps.clock.now(), hasPlace });
  }

  ended(name: string, callId: string, end: Ended): void {
    const upstream = this.#of(name);
    const ended = outcomeOf(this.#upstreams.values(), upstream, callId, end);
    if (ended === undefined) return;
    const { outcome, hadPlace } = ended;
    const now = this.#deps.clock.now();
    upstream.moreTokens += end.moreTokens;
    const needsPlaces = hadPlace || upstream.isLimited || upstream.state.limit > 0;
    if (!needsPlaces && outcome.class === 'unknown') return;
    if (!needsPlaces && outcome.class === 'answered') {
      upstream.answers.add(now);
      if (!isQuiet(upstream.state, now)) this.#tellSoon();
      return;
    }
    upstream.untold.push(outcome);
    // This worker acts on it at once; the others, when Redis has told them.
    upstream.state = { ...noteOutcome(upstream.state, outcome, now), seq: upstream.state.seq };
    this.#tellThisTurn();
  }

  all(): Iterable<readonly [string, Known]> {
    return this.#upstreams.entries();
  }

  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#lookAtAll();
    } catch (error) {
      this.#deps.onError(error);
    } finally {
      this.#isLooking = false;
    }
  }

  stop(): void {
    const { subscriber } = this.#deps;
    subscriber.off('message', this.#onMessage);
    subscriber.off('ready', this.#onReady);
    this.#stopLooking();
    clearTimeout(this.#answersTimer);
  }

  #of(name: string): KnownUpstream {
    const found = this.#upstreams.get(name) ?? new KnownUpstream();
    this.#upstreams.set(name, found);
    return found;
  }

  async #lookAtAll(): Promise<void> {
    const looked = this.#toLookAt();
    if (looked.length === 0) return;
    const seen = await lookAtUpstreams(this.#deps.redis, looked);
    for (const [index, { upstream }] of looked.entries()) {
      const known = this.#of(upstream);
      known.wasLookedAt = true;
      known.take(seen[index] as Seen);
    }
    this.#deps.onChange();
  }

  /** What was considered lately and is limited or not well, what is not known yet, and where places are to be renewed. */
  #toLookAt(): Looked[] {
    const now = performance.now();
    const redisNow = this.#deps.clock.now();
    const looked: Looked[] = [];
    for (const [upstream, known] of Array.from(this.#upstreams)) {
      if (looked.length === MOST_LOOKED_AT) break;
      const isOfInterest = known.isOfInterest(redisNow);
      const isRenewed = isOfInterest && known.own > 0 && now - known.renewedAt >= PLACE_RENEWAL_MS;
      const isConsidered = isOfInterest && now - known.consideredAt <= FORGOTTEN_MS;
      if (!isConsidered && !isRenewed && known.wasLookedAt) continue;
      if (isRenewed) known.renewedAt = now;
      looked.push({ upstream, callIds: isRenewed ? known.places : [] });
      // Those that are looked at now come after the others next time.
      this.#upstreams.delete(upstream);
      this.#upstreams.set(upstream, known);
    }
    return looked;
  }

  #tellThisTurn(): void {
    if (!this.#isTurnDue) setImmediate(this.#tellAll);
    this.#isTurnDue = true;
  }

  #tellSoon(): void {
    this.#answersTimer ??= setTimeout(this.#tellAll, ANSWERS_TOLD_MS);
  }

  readonly #tellAll = () => {
    this.#isTurnDue = false;
    clearTimeout(this.#answersTimer);
    this.#answersTimer = undefined;
    const now = this.#deps.clock.now();
    for (const [name, upstream] of this.#upstreams) {
      if (upstream.untold.length === 0 && isQuiet(upstream.state, now)) continue;
      void this.#tell(name, upstream).catch(this.#deps.onError);
    }
  };

  async #tell(name: string, upstream: KnownUpstream): Promise<void> {
    const { redis, clock } = this.#deps;
    const toldAt = clock.now();
    const outcomes = upstream.takeUntold(toldAt, MOST_TOLD);
    if (upstream.untold.length > 0) this.#tellThisTurn();
    if (outcomes.length === 0) return;
    const { moreTokens } = upstream;
    upstream.moreTokens = 0;
    upstream.take(await noteOutcomes(redis, { upstream: name, outcomes, moreTokens, toldAt }));
    this.#deps.onChange();
  }

  readonly #onMessage = (channel: string, message: string) => {
    const change = channel === redisKeys.upstreamChanges ? readChange(message) : undefined;
    const upstream = change && this.#upstreams.get(change.upstream);
    if (change === undefined || upstream === undefined) return;
    const neededPlaces = upstream.state.limit > 0;
    upstream.take({ state: change.state, taken: upstream.taken });
    // Calls that needed no place have one from now on.
    if (!neededPlaces && change.state.limit > 0 && upstream.own > 0) {
      upstream.renewedAt = 0;
      void this.look();
    }
    // Others hold failures against answers that they were not told of.
    if (!isQuiet(change.state, this.#deps.clock.now())) this.#tellSoon();
    this.#deps.onChange();
  };

  /** What was told while the connection was away was missed. */
  readonly #onReady = () => {
    for (const upstream of this.#upstreams.values()) upstream.wasLookedAt = false;
  };
}
