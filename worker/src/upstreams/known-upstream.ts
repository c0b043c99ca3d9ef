import { type OutcomeClass, UNKNOWN_STATE, type UpstreamState } from '@lontar/shared/models/upstream-state.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { ModelErrorKind } from '../model/language-model.ts';
import { countAnswersLately } from './answers-lately.ts';
import type { Seen } from './fleet-scripts.ts';
import { isQuiet, type Outcome } from './upstream-state.ts';

/** A worker that reached none of its upstreams lately has lost its own way to them, ms. */
const LATELY_MS = 10_000;

/** What a worker knows of an upstream. */
export interface Known {
  readonly state: UpstreamState;
  /** Places taken by calls of all workers, as far as calls need places. */
  readonly taken: number;
  /** Calls of this worker in flight. */
  readonly own: number;
  /** Of this worker's latest call no connection was made. */
  readonly isOutOfReach: boolean;
}

/** How a call has ended. */
export interface Ended {
  readonly kind: ModelErrorKind | 'ended by us';
  readonly class: OutcomeClass;
  readonly retryAfterMs?: number | undefined;
  /** Used beyond what was expected. */
  readonly moreTokens: number;
}

interface OwnCall {
  readonly beganAt: RedisTime;
  readonly hasPlace: boolean;
}

/** A worker's copy of what the fleet knows of an upstream, its own calls there, and what the fleet has to be told. */
export class KnownUpstream implements Known {
  state = UNKNOWN_STATE;
  taken = 0;
  /** Whether the operator limits it: then calls need places, or are counted. */
  isLimited = false;
  consideredAt = 0;
  renewedAt = 0;
  /** Whether it has been looked at since this worker knows it, or since Redis was away. */
  wasLookedAt = false;
  /** When this worker's latest call ended that said something. */
  heardAt = Number.NEGATIVE_INFINITY;
  isOutOfReach = false;
  /** Used beyond what was expected, by calls that the fleet was not told of yet. */
  moreTokens = 0;
  readonly calls = new Map<string, OwnCall>();
  readonly untold: Outcome[] = [];
  readonly answers = countAnswersLately();

  get own(): number {
    return this.calls.size;
  }

  /** Takes over what Redis has said, unless more is known by now. A state that Redis has lost begins anew. */
  take({ state, taken }: Seen): void {
    this.taken = taken;
    if (state.seq >= this.state.seq || state.seq === 0) this.state = state;
  }

  /** Ids of the calls that are to have a place. */
  get places(): string[] {
    const all = this.isLimited || this.state.limit > 0;
    return [...this.calls].flatMap(([id, { hasPlace }]) => (all || hasPlace ? [id] : []));
  }

  isOfInterest(now: RedisTime): boolean {
    return this.isLimited || this.state.aloneUntil > now || !isQuiet(this.state, now);
  }

  /** What the fleet has to be told; it is taken out. */
  takeUntold(now: RedisTime, most: number): Outcome[] {
    const told = this.untold.splice(0, most);
    const count = this.answers.take(now);
    if (count === 0) return told;
    return [{ class: 'answered', kind: 'none', id: '', beganAt: now, count, inFlight: this.own }, ...told];
  }
}

/**
 * What the end of a call says of its upstream; undefined where the call is not known.
 *
 * @param all every upstream of this worker: the fleet must not learn from one worker without a network that all are down
 */
export function outcomeOf(
  all: Iterable<KnownUpstream>,
  upstream: KnownUpstream,
  id: string,
  { kind, class: said, retryAfterMs }: Ended,
): { readonly outcome: Outcome; readonly hadPlace: boolean } | undefined {
  const call = upstream.calls.get(id);
  if (call === undefined) return undefined;
  const inFlight = upstream.calls.size;
  upstream.calls.delete(id);
  if (said !== 'unknown') {
    upstream.heardAt = performance.now();
    upstream.isOutOfReach = kind === 'connection';
  }
  const isOwnAccident = upstream.isOutOfReach && reachesNone(all);
  const outcome: Outcome = {
    class: isOwnAccident ? 'unknown' : said,
    kind,
    id,
    beganAt: call.beganAt,
    retryAfterMs,
    count: 1,
    inFlight,
  };
  return { outcome, hadPlace: call.hasPlace };
}

/** Whether no connection was made at the latest call to any of two upstreams or more. */
function reachesNone(all: Iterable<KnownUpstream>): boolean {
  const now = performance.now();
  let count = 0;
  for (const { heardAt, isOutOfReach } of all) {
    if (now - heardAt > LATELY_MS) continue;
    if (!isOutOfReach) return false;
    count++;
  }
  return count > 1;
}
